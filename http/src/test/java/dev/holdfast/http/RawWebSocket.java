package dev.holdfast.http;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A client that sends frames as a test wants them, whether they are allowed or not. */
final class RawWebSocket implements AutoCloseable {

    static final int CONTINUATION = 0;
    static final int TEXT = 1;
    static final int CLOSE = 8;

    private final Socket socket;
    private final DataInputStream in;

    RawWebSocket(RunningServer server, String path) throws IOException {
        socket = server.connect();
        socket.setSoTimeout(120_000);
        in = new DataInputStream(socket.getInputStream());
        socket.getOutputStream()
                .write(request(path, "Connection: Upgrade", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: " + KEY)
                        .getBytes(StandardCharsets.ISO_8859_1));
        String head = head(in);
        if (!head.startsWith("HTTP/1.1 101")) {
            socket.close();
            throw new NotOpenException(head);
        }
    }

    /** The upgrade was not answered with 101. */
    static final class NotOpenException extends IOException {
        private final String head;

        NotOpenException(String head) {
            super("answered with: " + head);
            this.head = head;
        }

        /** As much of a response's head as came. */
        String head() {
            return head;
        }
    }

    static final String KEY = "AAAAAAAAAAAAAAAAAAAAAA==";

    /** A request with {@code Upgrade: websocket}. */
    static String request(String path, String... lines) {
        return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n" + String.join("\r\n", lines)
                + "\r\n\r\n";
    }

    private static String head(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int c = in.read();
            if (c < 0) {
                break;
            }
            head.append((char) c);
        }
        return head.toString();
    }

    /** Sends a frame of less than 126 bytes, whose mask is zero. */
    void send(int opcode, boolean last, byte... payload) throws IOException {
        byte[] frame = new byte[6 + payload.length];
        frame[0] = (byte) (last ? 0x80 | opcode : opcode);
        frame[1] = (byte) (0x80 | payload.length);
        System.arraycopy(payload, 0, frame, 6, payload.length);
        socket.getOutputStream().write(frame);
    }

    /** The payload of the next frame, which has less than 126 bytes. */
    byte[] read(int opcode) throws IOException {
        int first = in.readUnsignedByte();
        if (first != (0x80 | opcode)) {
            throw new IOException("Another frame: " + first);
        }
        byte[] payload = new byte[in.readUnsignedByte()];
        in.readFully(payload);
        return payload;
    }

    /** The code of the close frame that comes next. */
    int readClose() throws IOException {
        byte[] payload = read(CLOSE);
        return (payload[0] & 0xff) << 8 | (payload[1] & 0xff);
    }

    /** How the server ended it: the code of the close frame that comes next, or 1006 if the connection ends without one. */
    int ending() throws IOException {
        try {
            return readClose();
        } catch (EOFException e) {
            return 1006;
        }
    }

    InputStream in() {
        return in;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
