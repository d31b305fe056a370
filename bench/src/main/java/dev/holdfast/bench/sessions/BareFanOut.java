package dev.holdfast.bench.sessions;

import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.jetty.JettyServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * What the session transport is held against: a bare handler on the same Jetty that writes the same bytes to the same number of connections from one loop. It
 * has no store and no sessions, keeps nothing for whoever is away, and encodes each event once for all.
 */
public final class BareFanOut extends Handler.Abstract {

    /** The name under which {@code Main} reaches it; not for people. */
    public static final String COMMAND = "bare-sessions";

    private static final String CONNECT = "/api/v1/connect";
    private static final Pattern SESSION = Pattern.compile("\"session\":\"([^\"]+)\"");

    /** As long as a cursor that knows one stream. */
    private static final String CURSOR = "A".repeat(44);

    private final Metronome metronome;
    private final Map<String, Stream> connections = new ConcurrentHashMap<>();
    private final List<List<Stream>> watchers;
    private final AtomicLong made = new AtomicLong();

    private BareFanOut(Metronome metronome) {
        this.metronome = metronome;
        this.watchers = IntStream.range(0, metronome.sessions())
                .<List<Stream>>mapToObj(i -> new CopyOnWriteArrayList<>())
                .toList();
    }

    /** Serves until the process is killed. */
    public static void run(int sessions) throws IOException, InterruptedException {
        BareFanOut handler = new BareFanOut(new Metronome(sessions));
        JettyServer server = new JettyServer("127.0.0.1", 0, HttpLimits.defaults(), handler);
        server.start();
        System.out.println("Bare handler listening on http://127.0.0.1:" + server.port());
        System.out.flush();
        handler.loop();
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        String path = request.getHttpURI().getPath();
        if (request.getMethod().equals("GET")) {
            connect(new Stream(response, callback));
        } else if (path.startsWith(Metronome.PATH)) {
            Round round = metronome.begin(path.substring(Metronome.PATH.length()));
            answer(response, round.text(), callback);
        } else {
            watch(path.substring(CONNECT.length() + 1), Content.Source.asString(request));
            answer(
                    response,
                    "{\"type\":\"reply\",\"id\":\"1\",\"status\":200,\"result\":{\"sessions\":[{\"attached\":true}]}}",
                    callback);
        }
        return true;
    }

    /** A response that lasts until its client is gone. */
    private record Stream(Response response, Callback end) {

        /** Writes, and returns whether its client is still there. */
        boolean took(byte[] bytes) {
            try {
                write(bytes);
                return true;
            } catch (IOException e) {
                end.failed(e);
                return false;
            }
        }

        void write(byte[] bytes) throws IOException {
            Content.Sink.write(response, false, ByteBuffer.wrap(bytes));
        }
    }

    private void connect(Stream stream) throws IOException {
        Response response = stream.response();
        String id = "conn-" + made.incrementAndGet();
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/event-stream; charset=utf-8");
        response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store, no-transform");
        connections.put(id, stream);
        stream.write(event("{\"type\":\"welcome\",\"protocol\":1,\"connection\":\"" + id + "\"}"));
    }

    private void watch(String id, String command) throws IOException {
        Stream stream = connections.remove(id);
        Matcher session = SESSION.matcher(command);
        if (stream == null || !session.find()) {
            throw new IOException("there is no connection or no session in " + command);
        }
        int index = Beat.index(session.group(1));
        stream.write(event("{\"type\":\"attached\",\"session\":\"%s\",\"answer\":\"ok\",\"cursor\":\"%s\",\"turns\":[]}"
                .formatted(Beat.session(index), CURSOR)));
        watchers.get(index).add(stream);
    }

    private static void answer(Response response, String text, Callback callback) {
        response.write(true, ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)), callback);
    }

    private void loop() throws InterruptedException {
        long number = 0;
        while (true) { // until the process is killed
            Round round = metronome.await(number);
            for (int chunk = 0; chunk < round.chunks(); chunk++) {
                for (int session = 0; session < round.sessions(); session++) {
                    Metronome.sleepUntil(round.dueAt(session, chunk));
                    tell(session, number);
                }
                number++;
            }
        }
    }

    private void tell(int session, long number) {
        byte[] frame = frame(session, number, System.nanoTime());
        watchers.get(session).removeIf(watcher -> !watcher.took(frame));
    }

    private static byte[] frame(int session, long number, long nanos) {
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        frame.writeBytes(
                "data: {\"type\":\"events\",\"session\":\"%s\",\"from\":\"%s\",\"cursor\":\"%s\",\"events\":[{\"kind\":\"chunk\",\"turn\":\"%s\",\"seq\":%d,\"data\":"
                        .formatted(Beat.session(session), CURSOR, CURSOR, Beat.turn(session), number)
                        .getBytes(StandardCharsets.US_ASCII));
        frame.writeBytes(Beat.chunk(number, nanos));
        frame.writeBytes("}]}\n\n".getBytes(StandardCharsets.US_ASCII));
        return frame.toByteArray();
    }

    private static byte[] event(String json) {
        return ("data: " + json + "\n\n").getBytes(StandardCharsets.US_ASCII);
    }
}
