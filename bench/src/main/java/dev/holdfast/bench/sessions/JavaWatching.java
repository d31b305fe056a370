package dev.holdfast.bench.sessions;

import dev.holdfast.client.SessionClient;
import dev.holdfast.client.SessionListener;
import dev.holdfast.client.message.ServerMessage.Attached;
import dev.holdfast.client.message.SessionEvent;
import dev.holdfast.client.transport.Endpoint;
import dev.holdfast.client.transport.SseTransport;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;

/**
 * The Java client in a process of its own: watches sessions, and looks at the text of each chunk. Prints {@code ready} once all are attached,
 * and for each line of its input how many chunks it was told of so far.
 */
public final class JavaWatching {

    public static final String COMMAND = "watch-with-java";

    private JavaWatching() {}

    public static void run(URI server, List<String> sessions) throws IOException, InterruptedException {
        LongAdder chunks = new LongAdder();
        LongAdder characters = new LongAdder();
        CountDownLatch attached = new CountDownLatch(sessions.size());
        try (SessionClient client = new SessionClient(new SseTransport(Endpoint.of(server)))) {
            for (String session : sessions) {
                client.watch(session, null, new Counting(chunks, characters, attached));
            }
            client.connect();
            attached.await();
            System.out.println("ready");
            BufferedReader asked = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            while (asked.readLine() != null) {
                System.out.println(chunks.sum());
            }
        }
    }

    private record Counting(LongAdder chunks, LongAdder characters, CountDownLatch first) implements SessionListener {

        @Override
        public void attached(Attached attached) {
            first.countDown();
        }

        @Override
        public void events(List<SessionEvent> events, String cursor) {
            for (SessionEvent event : events) {
                if (event instanceof SessionEvent.Chunk chunk
                        && chunk.data().path("type").asString("").equals("text-delta")) {
                    chunks.increment();
                    characters.add(chunk.data().path("delta").asString("").length());
                }
            }
        }
    }
}
