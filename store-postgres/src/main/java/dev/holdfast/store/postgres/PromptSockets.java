package dev.holdfast.store.postgres;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import javax.net.SocketFactory;

/**
 * Sockets for the connection that listens. Behind each notification the driver looks whether another one follows, by a read that waits a
 * millisecond, the shortest time a socket can; so every hint would come a millisecond late, which is most of its way. Here such a read does not
 * wait: what has not arrived is read the next time.
 *
 * <p>Public for the driver, which makes it by its name; nothing else uses it.
 */
public final class PromptSockets extends SocketFactory {

    private static final int LOOK_MILLIS = 1;

    @Override
    public Socket createSocket() {
        return new PromptSocket();
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return new Socket(host, port);
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
        return new Socket(host, port, localHost, localPort);
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return new Socket(host, port);
    }

    @Override
    public Socket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort)
            throws IOException {
        return new Socket(address, port, localAddress, localPort);
    }

    private static final class PromptSocket extends Socket {
        private volatile boolean looking;

        @Override
        public void setSoTimeout(int timeout) throws SocketException {
            super.setSoTimeout(timeout);
            looking = timeout == LOOK_MILLIS;
        }

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {

                @Override
                public int read() throws IOException {
                    look();
                    return super.read();
                }

                @Override
                public int read(byte[] target, int offset, int length) throws IOException {
                    look();
                    return super.read(target, offset, length);
                }

                private void look() throws IOException {
                    if (looking && available() == 0) {
                        throw new SocketTimeoutException("Nothing has arrived.");
                    }
                }
            };
        }
    }
}
