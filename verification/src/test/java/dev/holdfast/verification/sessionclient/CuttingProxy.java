package dev.holdfast.verification.sessionclient;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;

/**
 * A TCP proxy that does harm to the connections on which messages come down; others pass as they are. What happens to the n-th of them its test says: after
 * so many frames, and so many bytes of the next one, it is cut, or held until the client has come with another one and then let go, late.
 */
final class CuttingProxy implements AutoCloseable {

    private static final int READ_BYTES = 8192;

    private final InetSocketAddress server;
    private final IntFunction<Harm> harms;
    private final ServerSocket listener;
    private final AtomicInteger count = new AtomicInteger();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final ConcurrentHashMap<Integer, CountDownLatch> arrivals = new ConcurrentHashMap<>();

    /** What is done to a connection. */
    sealed interface Harm {
        /** Nothing. */
        record None() implements Harm {}

        /** It is cut, both ways. */
        record Cut(int frames, int bytes) implements Harm {}

        /** Nothing more comes until the client has opened another one; then all of it comes, too late. */
        record Hold(int frames, int bytes) implements Harm {}
    }

    /** @param harms what is done to the n-th connection, counted from 0 */
    CuttingProxy(URI server, IntFunction<Harm> harms) throws IOException {
        this.server = new InetSocketAddress(server.getHost(), server.getPort());
        this.harms = harms;
        this.listener = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + listener.getLocalPort());
    }

    /** How many connections for messages there were. */
    int connections() {
        return count.get();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                open.add(client);
                Thread.ofVirtual().start(() -> serve(client));
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    /** What is done to what comes down; another thing once the client has asked for messages. */
    private record Fate(Harm harm, int number, Limit limit) {}

    private void serve(Socket client) {
        Socket upstream = new Socket();
        open.add(upstream);
        AtomicReference<Fate> fate = new AtomicReference<>(fate(new Harm.None(), -1, false));
        try {
            upstream.connect(server);
            Thread.ofVirtual().start(() -> up(client, upstream, fate));
            down(upstream, client, fate);
        } catch (IOException e) {
            close(client);
            close(upstream);
        }
    }

    private static Fate fate(Harm harm, int number, boolean webSocket) {
        return new Fate(harm, number, limit(harm, webSocket));
    }

    private CountDownLatch arrival(int number) {
        return arrivals.computeIfAbsent(number, n -> new CountDownLatch(1));
    }

    /** What the client says. A request for messages may come on a connection that carried others before. */
    private void up(Socket from, Socket to, AtomicReference<Fate> fate) {
        byte[] buffer = new byte[READ_BYTES];
        try {
            InputStream in = from.getInputStream();
            for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                String said = new String(buffer, 0, length, StandardCharsets.ISO_8859_1);
                if (said.startsWith("GET /api/v1/connect")) {
                    int number = count.getAndIncrement();
                    fate.set(fate(harms.apply(number), number, said.contains("Upgrade: websocket")));
                    arrival(number).countDown();
                }
                to.getOutputStream().write(buffer, 0, length);
            }
            to.shutdownOutput();
        } catch (IOException e) {
            close(from); // whichever broke, the other way ends by itself
        }
    }

    private void down(Socket from, Socket to, AtomicReference<Fate> fates) throws IOException {
        InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream();
        byte[] buffer = new byte[READ_BYTES];
        for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
            Fate fate = fates.get();
            int passes = fate.limit().passes(buffer, length);
            out.write(buffer, 0, passes);
            out.flush();
            if (passes < length) {
                harm(fate, from, to, buffer, passes, length);
                return;
            }
        }
        close(to);
        close(from);
    }

    private void harm(Fate fate, Socket from, Socket to, byte[] rest, int begin, int end) throws IOException {
        switch (fate.harm()) {
            case Harm.None none -> throw new AssertionError("it has no limit");
            case Harm.Cut cut -> {
                close(to);
                close(from);
            }
            case Harm.Hold hold -> {
                try {
                    arrival(fate.number() + 1).await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                to.getOutputStream().write(rest, begin, end - begin);
                from.getInputStream().transferTo(to.getOutputStream());
            }
        }
    }

    private static Limit limit(Harm harm, boolean webSocket) {
        return switch (harm) {
            case Harm.None none -> new Limit(webSocket, Integer.MAX_VALUE, 0);
            case Harm.Cut cut -> new Limit(webSocket, cut.frames(), cut.bytes());
            case Harm.Hold hold -> new Limit(webSocket, hold.frames(), hold.bytes());
        };
    }

    private void close(Socket socket) {
        open.remove(socket);
        try {
            socket.close();
        } catch (IOException e) {
            // it is of no use any more
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            // it is of no use any more
        }
        open.forEach(this::close);
        arrivals.values().forEach(CountDownLatch::countDown);
    }
}
