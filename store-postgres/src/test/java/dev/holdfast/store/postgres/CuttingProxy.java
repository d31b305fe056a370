package dev.holdfast.store.postgres;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Stands between a store and its server, and cuts one connection where a test says. All others pass, unless it is {@link #shut}.
 *
 * <p>Public, and in the module's test jar, for the tests of other modules. Statements must travel as text for it to find marks in them
 * ({@code prepareThreshold=0}).
 */
public final class CuttingProxy implements AutoCloseable {

    /** Where to cut: at the first packet of a client that holds the mark. */
    public sealed interface Cut {
        String mark();

        /** The server gets only so many bytes of the packet, and then loses its client. */
        record BeforeTheServer(String mark, int bytes) implements Cut {}

        /** The server gets the packet, the client only so many bytes of the answer. */
        record BeforeTheAnswer(String mark, int bytes) implements Cut {}

        /** The client loses the connection at once; the server gets the packet when the test {@link CuttingProxy#deliver}s it. */
        record Late(String mark) implements Cut {}

        /** Nobody loses anything; but the server gets the packet only when the test {@link CuttingProxy#deliver}s it. */
        record Held(String mark) implements Cut {}
    }

    private final ServerSocket listener = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
    private final int target;
    private final AtomicReference<@Nullable Cut> armed = new AtomicReference<>();
    private final AtomicReference<@Nullable Runnable> held = new AtomicReference<>();
    private final AtomicReference<Runnable> whenCut = new AtomicReference<>(() -> {});
    private final AtomicLong packets = new AtomicLong();
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private volatile boolean shut;
    private volatile CountDownLatch fired = new CountDownLatch(1);

    /**
     * @param target the server's port on this machine
     */
    public CuttingProxy(int target) throws IOException {
        this.target = target;
        Thread unused = Thread.ofVirtual().start(this::accept);
    }

    public int port() {
        return listener.getLocalPort();
    }

    /** The next packet that holds the mark is cut. */
    public void arm(Cut cut) {
        arm(cut, () -> {});
    }

    /**
     * @param then runs when it is cut, before the client can notice
     */
    void arm(Cut cut, Runnable then) {
        whenCut.set(then);
        fired = new CountDownLatch(1);
        armed.set(cut);
    }

    /** How many packets of clients came through so far; one that fits into a buffer is one round trip. */
    long packets() {
        return packets.get();
    }

    /** Whether the last cut was made. */
    public boolean hasCut() {
        return fired.getCount() == 0;
    }

    /** Nothing is cut from now on. Returns whether the last cut was made. */
    public boolean disarm() {
        return armed.getAndSet(null) == null && fired.getCount() == 0;
    }

    /** Cuts every connection, and refuses new ones from now on. */
    public void shut() {
        shut = true;
        links.forEach(Link::end);
    }

    /** Lets connections pass again. */
    public void reopen() {
        shut = false;
    }

    /** Gives the server what was held back; if its client is gone, waits until it has answered or closed. */
    public void deliver() {
        Runnable packet = held.getAndSet(null);
        if (packet == null) {
            throw new AssertionError("nothing is held back");
        }
        packet.run();
    }

    private void accept() {
        while (true) {
            try {
                Socket client = listener.accept();
                Thread unused = Thread.ofVirtual().start(() -> join(client));
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    /** A server that is down refuses, and so does this. */
    private void join(Socket client) {
        try {
            if (shut) {
                client.close();
                return;
            }
            Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            Link link = new Link(client, server);
            links.add(link);
            if (shut) {
                link.end();
            }
            Thread up = Thread.ofVirtual().start(link::up);
            Thread down = Thread.ofVirtual().start(link::down);
            assert up != down;
        } catch (IOException e) {
            try {
                client.close();
            } catch (IOException other) {
                e.addSuppressed(other);
            }
        }
    }

    private final class Link {
        private final Socket client;
        private final Socket server;
        /** How many bytes of answers the client still gets; negative: all. */
        private volatile int answerLeft = -1;

        Link(Socket client, Socket server) {
            this.client = client;
            this.server = server;
        }

        void up() {
            byte[] buffer = new byte[1 << 16];
            try {
                InputStream in = client.getInputStream();
                OutputStream out = server.getOutputStream();
                for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                    packets.incrementAndGet();
                    answerLeft = -1; // the answer before was shorter than where it was to be cut
                    Cut cut = cutFor(buffer, n);
                    switch (cut) {
                        case null -> out.write(buffer, 0, n);
                        case Cut.BeforeTheServer before -> {
                            out.write(buffer, 0, Math.min(n - 1, before.bytes()));
                            out.flush();
                            whenCut.getAndSet(() -> {}).run();
                            end();
                            fired.countDown();
                            return;
                        }
                        case Cut.BeforeTheAnswer before -> {
                            answerLeft = before.bytes();
                            out.write(buffer, 0, n);
                        }
                        case Cut.Late late -> {
                            byte[] packet = Arrays.copyOf(buffer, n);
                            held.set(() -> late(packet));
                            answerLeft = 0;
                            client.close();
                            fired.countDown();
                            return;
                        }
                        case Cut.Held later -> {
                            CountDownLatch delivered = new CountDownLatch(1);
                            held.set(delivered::countDown);
                            fired.countDown();
                            delivered.await();
                            out.write(buffer, 0, n);
                        }
                    }
                }
            } catch (IOException e) {
                // one of the two is gone, and so is the other
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            end();
        }

        private @Nullable Cut cutFor(byte[] buffer, int n) {
            Cut cut = armed.get();
            boolean here = cut != null
                    && new String(buffer, 0, n, StandardCharsets.ISO_8859_1).contains(cut.mark())
                    && armed.compareAndSet(cut, null);
            return here ? cut : null;
        }

        private void late(byte[] packet) {
            try {
                server.getOutputStream().write(packet);
                server.getOutputStream().flush();
                server.shutdownOutput();
                while (drained.getCount() > 0) {
                    drained.await();
                }
            } catch (IOException e) {
                // the server did not wait for it
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        private final CountDownLatch drained = new CountDownLatch(1);

        void down() {
            byte[] buffer = new byte[1 << 16];
            try {
                InputStream in = server.getInputStream();
                OutputStream out = client.getOutputStream();
                for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                    int left = answerLeft;
                    if (left < 0) {
                        out.write(buffer, 0, n);
                    } else if (!client.isClosed()) {
                        out.write(buffer, 0, Math.min(n, left));
                        out.flush();
                        answerLeft = left - Math.min(n, left);
                        if (answerLeft == 0) {
                            whenCut.getAndSet(() -> {}).run();
                            end();
                            fired.countDown();
                            return;
                        }
                    }
                }
            } catch (IOException e) {
                // one of the two is gone, and so is the other
            } finally {
                drained.countDown();
            }
            end();
        }

        private void end() {
            links.remove(this);
            try {
                client.close();
                server.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
