package dev.holdfast.mcp.streamable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.stream.Retention;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Memory does not grow with what goes through a session; a million events in the nightly run. */
@Timeout(1800)
final class MemoryTest {

    private static final int ROUNDS = "nightly".equals(System.getProperty("holdfast.profile")) ? 63 : 2;

    private static final int CALLS = 16;
    private static final int PER_CALL = 1_000;
    private static final long TOLERANCE_BYTES = 24L << 20;

    @TempDir
    private Path folder;

    @Test
    void events_of_many_calls_and_of_the_standalone_stream_leave_nothing_in_memory() throws Exception {
        Site.Plan plan = new Site.Plan().settings(s -> s.withStandalone(Retention.ofBytes(1 << 20)));
        try (Site site = new Site(folder, plan);
                Client client = Client.of(site);
                Sse standalone = client.get(null)) {
            run(site, client, standalone);
            long before = used();
            for (int i = 0; i < ROUNDS; i++) {
                run(site, client, standalone);
            }
            assertThat(used() - before).isLessThan(TOLERANCE_BYTES);
        }
    }

    private static void run(Site site, Client client, Sse standalone) throws Exception {
        List<Sse> streams = new ArrayList<>();
        for (int i = 0; i < CALLS; i++) {
            streams.add(client.call(i, "count", "{\"n\":%d,\"pad\":100}".formatted(PER_CALL)));
        }
        for (Sse stream : streams) {
            try (stream) {
                for (int i = 0; i < PER_CALL; i++) {
                    assertThat(stream.message().text()).startsWith(Integer.toString(i));
                }
                assertThat(stream.message().isAnswer()).isTrue();
            }
        }
        site.transport()
                .notifyClients("notifications/x", java.util.Map.of("data", "round"))
                .block();
        assertThat(standalone.message().text()).isEqualTo("round");
    }

    private static long used() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
