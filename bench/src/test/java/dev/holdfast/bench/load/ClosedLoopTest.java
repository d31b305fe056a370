package dev.holdfast.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ClosedLoopTest {

    private static final Duration SHORT = Duration.ofMillis(50);

    @Test
    void producers_reach_every_stream_and_their_payload_is_counted() throws InterruptedException {
        Set<Integer> seen = ConcurrentHashMap.newKeySet();
        Target target = new Target() {
            @Override
            public void append(int stream, byte[] payload) {
                seen.add(stream);
            }

            @Override
            public void close() {}
        };

        Sample sample = new ClosedLoop(target, 3, 10, 7).run(SHORT, SHORT);

        assertThat(seen).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
        assertThat(sample.payloadBytes()).isEqualTo(7 * sample.appends()).isPositive();
    }

    @Test
    void a_failed_append_makes_the_run_fail() {
        Target target = new Target() {
            @Override
            public void append(int stream, byte[] payload) {
                throw new IllegalStateException("disk full");
            }

            @Override
            public void close() {}
        };

        assertThatThrownBy(() -> new ClosedLoop(target, 1, 1, 1).run(SHORT, SHORT))
                .hasRootCauseMessage("disk full");
    }

    @Test
    void short_streams_follow_each_other_and_are_discarded_at_their_end(@TempDir Path folder)
            throws InterruptedException {
        int appends = 2 * HoldfastTarget.SHORT_STREAM_APPENDS;
        try (HoldfastTarget target = HoldfastTarget.withoutSeals(folder, 1, appends)) {
            target.fill(appends, 1);

            assertThat(target.liveStreams()).isEqualTo(1); // the one that would come next
        }
    }
}
