package dev.holdfast.bench.chat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The same turns as an application would write them on Redis: the question is kept, each chunk is an XADD, the reader waits with XREAD BLOCK, and at
 * the end one MULTI stores the message and deletes the stream. A reader that has not got a chunk by then never will.
 */
final class RedisTurns implements Contender.Running {

    /** How long a reader waits in one XREAD. */
    private static final int BLOCK_MILLIS = 1_000;

    private final Redis redis;
    private final List<RedisConnection> writers = new ArrayList<>();
    private final List<RedisConnection> readers = new ArrayList<>();
    private long runs;

    RedisTurns(Path program, Path folder) throws IOException, InterruptedException {
        redis = Redis.start(program, folder);
    }

    @Override
    public TurnSample run(int turns, int inARow) throws IOException, InterruptedException {
        while (writers.size() < turns) {
            writers.add(new RedisConnection(redis.address()));
            readers.add(new RedisConnection(redis.address()));
        }
        Latencies acknowledged = new Latencies();
        Latencies seen = new Latencies();
        AtomicLong lost = new AtomicLong();
        String run = "run-" + runs++;
        long before = redis.fileBytes();
        long nanos = Workers.run(turns, inARow, (worker, number) -> {
            String key = run + "-" + worker + "-" + number;
            Reader reader = new Reader(readers.get(worker), key, new Arrivals(seen));
            Thread thread = Thread.ofVirtual().start(reader);
            write(writers.get(worker), key, acknowledged);
            reader.ended = true;
            thread.join();
            reader.check();
            lost.addAndGet(Deltas.CHUNKS - reader.arrivals.count());
        });
        return new TurnSample(
                (long) turns * inARow,
                nanos,
                acknowledged.millis(50),
                acknowledged.millis(99),
                seen.millis(50),
                seen.millis(99),
                lost.get(),
                redis.fileBytes() - before,
                -1);
    }

    private static void write(RedisConnection writer, String key, Latencies acknowledged) throws IOException {
        Object unused = writer.ask("SET", key + ":question", ChatRequests.QUESTION);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < Deltas.CHUNKS; i++) {
            long now = System.nanoTime();
            byte[] chunk = Deltas.stamped(now);
            unused = writer.ask("XADD", key, "*", "c", chunk);
            acknowledged.add(now);
            text.append(now);
        }
        byte[] message = "{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"text\":\"%s\"}]}"
                .formatted(text)
                .getBytes(StandardCharsets.UTF_8);
        writer.askAll(
                new Object[] {"MULTI"},
                new Object[] {"SET", key + ":message", message},
                new Object[] {"DEL", key},
                new Object[] {"EXEC"});
    }

    /** Reads one stream until it has everything, or there is nothing more to come. */
    private static final class Reader implements Runnable {
        private final RedisConnection connection;
        private final String key;
        private final Arrivals arrivals;
        private volatile boolean ended;
        private volatile String failure = "";

        Reader(RedisConnection connection, String key, Arrivals arrivals) {
            this.connection = connection;
            this.key = key;
            this.arrivals = arrivals;
        }

        @Override
        public void run() {
            try {
                String last = "0";
                while (arrivals.count() < Deltas.CHUNKS) {
                    boolean over = ended; // looked at before the read that may find nothing
                    Object found =
                            connection.ask("XREAD", "COUNT", "1000", "BLOCK", BLOCK_MILLIS, "STREAMS", key, last);
                    if (found instanceof List<?> streams) {
                        last = take(streams);
                    } else if (over) {
                        return;
                    }
                }
            } catch (IOException e) {
                failure = e.toString();
            }
        }

        /** One stream of pairs of an id and its fields. */
        private String take(List<?> streams) {
            String last = "0";
            List<?> entries = (List<?>) ((List<?>) streams.getFirst()).get(1);
            for (Object each : entries) {
                List<?> entry = (List<?>) each;
                last = new String((byte[]) entry.getFirst(), StandardCharsets.US_ASCII);
                byte[] chunk = (byte[]) ((List<?>) entry.get(1)).get(1);
                arrivals.bytes(chunk, 0, chunk.length);
            }
            return last;
        }

        void check() throws IOException {
            if (!failure.isEmpty()) {
                throw new IOException("a reader of Redis failed: " + failure);
            }
        }
    }

    @Override
    public void close() throws IOException {
        for (RedisConnection each : writers) {
            each.close();
        }
        for (RedisConnection each : readers) {
            each.close();
        }
        redis.close();
    }
}
