package dev.holdfast.http.session;

import dev.holdfast.access.Principal;
import dev.holdfast.http.Json;
import dev.holdfast.http.NoExchange;
import dev.holdfast.session.SessionCursor;
import java.io.IOException;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import tools.jackson.databind.JsonNode;

/**
 * A client within this process whose connections break after some frames, as often as chance has it: the connection is the real one, and only what lies
 * between it and the client is short. Comes back each time with its cursor, until it is content.
 */
final class CutCable {

    private static final long MAX_PAUSE_NANOS = 300_000;

    private final Transport transport;
    private final String session;
    private final SplittableRandom random;
    private final int framesBetweenCuts;
    final Applied applied;
    private int connections;

    /** @param framesBetweenCuts on average; 0 for no cuts */
    CutCable(Transport transport, String session, SplittableRandom random, int framesBetweenCuts) {
        this.transport = transport;
        this.session = session;
        this.random = random;
        this.framesBetweenCuts = framesBetweenCuts;
        this.applied = new Applied(session);
    }

    int connections() {
        return connections;
    }

    void follow(BooleanSupplier content) throws InterruptedException {
        while (!content.getAsBoolean()) {
            int frames = framesBetweenCuts == 0 ? Integer.MAX_VALUE : 1 + random.nextInt(2 * framesBetweenCuts);
            Out out = new Out(frames, content);
            Connection connection = new Connection(
                    transport,
                    "conn-" + connections++,
                    Principal.anonymous("default"),
                    "device",
                    new NoExchange(),
                    out);
            transport.connections().enter(connection);
            String cursor = applied.cursorOrNull();
            connection.watch(session, cursor == null ? null : SessionCursor.parse(cursor));
            try {
                new NoExchange().goOnApart(connection);
            } catch (IOException e) {
                pause(); // it was cut
            }
        }
    }

    private void pause() {
        if (random.nextBoolean()) {
            LockSupport.parkNanos(random.nextLong(MAX_PAUSE_NANOS));
        }
    }

    private final class Out implements Outlet {
        private final BooleanSupplier content;
        private int left;

        Out(int frames, BooleanSupplier content) {
            this.left = frames;
            this.content = content;
        }

        @Override
        public void add(byte[] json) throws IOException {
            if (left-- <= 0) {
                throw new IOException("cut");
            }
            JsonNode frame = Json.MAPPER.readTree(json);
            applied.frame(frame);
            pause();
            if (content.getAsBoolean()) {
                throw new IOException("enough");
            }
        }

        @Override
        public boolean flush() {
            return true;
        }
    }
}
