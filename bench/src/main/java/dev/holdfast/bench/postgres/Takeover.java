package dev.holdfast.bench.postgres;

import dev.holdfast.HoldfastSettings;
import dev.holdfast.bench.report.Median;
import dev.holdfast.bench.report.Section;
import dev.holdfast.error.HoldfastException;
import dev.holdfast.node.NodeSettings;
import dev.holdfast.store.postgres.PostgresSettings;
import dev.holdfast.stream.AppendRequest;
import dev.holdfast.stream.Streams;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The process of a node is killed; how long until an append through the other node is durable. Of that the lease is by design: it counts from the last beat
 * of the killed node, which was up to a third of it before the kill.
 */
final class Takeover {

    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final int KILLS_PER_ROUND = 3;
    private static final Duration MAX_TAKEOVER = Duration.ofMinutes(1);
    private static final long RETRY_MILLIS = 5;
    private static final String STREAM = "stream";

    private final Database database;
    private final Options options;
    private final PrintStream out;

    Takeover(Database database, Options options, PrintStream out) {
        this.database = database;
        this.options = options;
        this.out = out;
    }

    Section measure() throws Exception {
        List<Double> millis = new ArrayList<>();
        for (int i = 0; i < options.rounds() * KILLS_PER_ROUND; i++) {
            millis.add(takeover() / 1e6);
        }
        double median = Median.of(millis, Double::doubleValue);
        double longest = millis.stream().mapToDouble(Double::doubleValue).max().orElse(Double.NaN);
        long lease = LEASE.toMillis();
        out.printf(
                "%nFrom a kill to the first append through the other node, lease %,d ms, %d kills%n",
                lease, millis.size());
        out.printf(
                "  median %,.0f ms, longest %,.0f ms; beyond the lease: %,.0f ms, %,.0f ms%n",
                median, longest, median - lease, longest - lease);
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("leaseMillis", lease);
        figures.put("millis", millis);
        figures.put("medianMillis", median);
        figures.put("longestMillis", longest);
        figures.put("medianBeyondLeaseMillis", median - lease);
        figures.put("longestBeyondLeaseMillis", longest - lease);
        return new Section("takeover", figures, List.of());
    }

    private long takeover() throws Exception {
        PostgresSettings settings = database.settings(1);
        AppendRequest request = AppendRequest.of(List.of(Crowd.random(Appends.CHUNK_BYTES, 0)));
        try (NodeProcess holder = NodeProcess.start(database.url(), settings, LEASE);
                Member other = Member.join(
                        settings,
                        HoldfastSettings.defaults(),
                        NodeSettings.named("other").withLease(LEASE))) {
            Streams streams = other.holdfast().streams();
            var unused = streams.open(STREAM).append(request);
            // At whatever moment between two beats.
            Thread.sleep(ThreadLocalRandom.current().nextLong(LEASE.toMillis() / 3, LEASE.toMillis()));
            if (other.holdfast().shardsHeld() != 0) {
                throw new IllegalStateException("the other node holds the shard before the kill");
            }
            long killed = System.nanoTime();
            holder.kill();
            appendOnce(streams, request, killed + MAX_TAKEOVER.toNanos());
            return System.nanoTime() - killed;
        } finally {
            database.drop(settings);
        }
    }

    /** Calls wait while the shard is nobody's; one that the killed node had taken is made anew, as a client would. */
    private static void appendOnce(Streams streams, AppendRequest request, long deadline) throws InterruptedException {
        while (true) {
            try {
                streams.append(STREAM, request);
                return;
            } catch (HoldfastException e) {
                if (System.nanoTime() - deadline > 0) {
                    throw e;
                }
                Thread.sleep(RETRY_MILLIS);
            }
        }
    }
}
