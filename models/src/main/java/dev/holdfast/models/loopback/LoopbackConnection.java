package dev.holdfast.models.loopback;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** One connection of a {@link LoopbackUpstream}, with one request. */
final class LoopbackConnection implements AutoCloseable {

    private static final String STREAM_HEAD = """
            HTTP/1.1 200 OK
            Content-Type: text/event-stream; charset=utf-8
            Cache-Control: no-cache
            Transfer-Encoding: chunked
            Connection: close

            """;

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;
    private final CountDownLatch left = new CountDownLatch(1);
    private volatile boolean gone;

    LoopbackConnection(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        this.in = new BufferedInputStream(socket.getInputStream());
        this.out = socket.getOutputStream();
    }

    LoopbackRequest read() throws IOException {
        return LoopbackRequest.read(in);
    }

    void answer(int status, String json) throws IOException {
        byte[] body = json.getBytes(StandardCharsets.UTF_8);
        write(
                "HTTP/1.1 %d Loopback\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"
                        .formatted(status, body.length));
        out.write(body);
        out.flush();
    }

    /** Streams a run's events from an index on, and the mark at the end if the wire has one. Says whether the reader stayed. */
    boolean stream(Run run, int from, Optional<String> mark, @Nullable Fault fault)
            throws IOException, InterruptedException {
        write(STREAM_HEAD.replace("\n", "\r\n"));
        watch(run);
        int sent = 0;
        while (true) {
            List<String> events = run.from(from + sent, () -> gone);
            if (gone) {
                return false;
            }
            if (events.isEmpty()) {
                break;
            }
            for (String event : events) {
                if (fault instanceof Fault.HangAfter hang && sent == hang.events()) {
                    left.await();
                    return false;
                }
                if (fault != null && misbehave(fault, sent, event)) {
                    return true;
                }
                chunk(sse(event));
                sent++;
            }
        }
        if (mark.isPresent() && run.isWhole()) {
            chunk("data: " + mark.get() + "\n\n");
        }
        write("0\r\n\r\n");
        return true;
    }

    private boolean misbehave(Fault fault, int sent, String next) throws IOException {
        switch (fault) {
            case Fault.CutAfter f when sent == f.events() -> cut();
            case Fault.CutInside f
            when sent == f.events() -> {
                String event = sse(next);
                chunk(event.substring(0, event.length() / 2));
                cut();
            }
            case Fault.EndAfter f when sent == f.events() -> write("0\r\n\r\n");
            case Fault.GarbageAfter f
            when sent == f.events() -> {
                chunk("data: <html>Bad gateway</html>\n\n");
                write("0\r\n\r\n");
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private void cut() throws IOException {
        // What was sent arrives, then the connection ends within the answer.
        socket.shutdownOutput();
    }

    /** Notices that the reader went away, also while there is nothing to send. */
    private void watch(Run run) {
        Thread.ofVirtual().start(() -> {
            try {
                while (in.read() >= 0) {
                    // Nothing is expected after the request.
                }
            } catch (IOException e) {
                // Gone as well.
            }
            gone = true;
            left.countDown();
            run.wake();
        });
    }

    private static String sse(String event) {
        return Recording.type(event).map(type -> "event: " + type + "\n").orElse("") + "data: " + event + "\n\n";
    }

    private void chunk(String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        write(Integer.toHexString(bytes.length) + "\r\n");
        out.write(bytes);
        write("\r\n");
    }

    private void write(String ascii) throws IOException {
        out.write(ascii.getBytes(StandardCharsets.US_ASCII));
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
