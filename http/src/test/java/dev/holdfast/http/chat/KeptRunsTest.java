package dev.holdfast.http.chat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.store.Time;
import dev.holdfast.stream.ReadBatch;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamReader;
import dev.holdfast.stream.StreamWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class KeptRunsTest {

    private static final String TENANT = "t";
    private static final int MAX_BYTES = 1 << 20;

    @TempDir
    Path folder;

    private final Clock clock = new Clock();
    private final KeptRuns kept = new KeptRuns(clock);
    private Holdfast holdfast;

    @BeforeEach
    void open() {
        holdfast = Holdfast.open(folder);
    }

    @AfterEach
    void close() {
        holdfast.close();
    }

    private static final class Clock implements Time {
        private long nanos;

        @Override
        public long wallMillis() {
            return nanos / 1_000_000;
        }

        @Override
        public long monotonicNanos() {
            return nanos;
        }

        @Override
        public long randomLong() {
            return nanos;
        }
    }

    private static RunId run(String turn) {
        return new RunId("chat", turn, 1, 6, false);
    }

    /** A connection on a stream with one chunk. */
    private StreamReader connect(String tenant, String turn) {
        StreamWriter writer = holdfast.streams().open(turn);
        writer.append("chunk of " + turn);
        StreamReader reader = holdfast.streams().tail(turn, 0);
        kept.begun(tenant, run(turn), reader);
        writer.settle(Settlement.completed().discard());
        return reader;
    }

    private Optional<String> readAgain(String tenant, String turn) {
        return kept.reader(tenant, run(turn)).map(reader -> {
            try (reader) {
                ReadBatch batch = reader.read(MAX_BYTES);
                return batch.chunks().getFirst().text();
            }
        });
    }

    @Test
    void a_client_comes_back_after_the_end_though_its_first_connection_has_not_noticed_that_it_is_gone() {
        try (StreamReader stuck = connect(TENANT, "a")) {
            assertThat(readAgain(TENANT, "a")).contains("chunk of a");
            assertThat(readAgain(TENANT, "a")).as("and once more").contains("chunk of a");
            assertThat(stuck.read(MAX_BYTES).chunks()).hasSize(1);
        }
        kept.ended(TENANT, run("a"));
        assertThat(readAgain(TENANT, "a")).contains("chunk of a");
    }

    @Test
    void a_run_goes_some_time_after_its_last_connection_ended() {
        connect(TENANT, "a").close();
        connect(TENANT, "b").close();
        kept.ended(TENANT, run("a"));
        clock.nanos += KeptRuns.KEPT_RUN_LIFE.minus(Duration.ofMillis(1)).toNanos();
        kept.ended(TENANT, run("b"));
        assertThat(readAgain(TENANT, "a")).isPresent();

        clock.nanos += Duration.ofMillis(1).toNanos();
        connect(TENANT, "c").close();
        kept.ended(TENANT, run("c"));
        assertThat(readAgain(TENANT, "a")).isEmpty();
        assertThat(readAgain(TENANT, "b")).isPresent();
    }

    @Test
    void a_tenant_with_too_many_loses_its_oldest_and_nobody_elses() {
        connect("other", "first").close();
        kept.ended("other", run("first"));
        for (int i = 0; i <= KeptRuns.MAX_KEPT_RUNS_PER_TENANT; i++) {
            connect(TENANT, "turn" + i).close();
            kept.ended(TENANT, run("turn" + i));
        }
        assertThat(readAgain("other", "first")).isPresent();
        assertThat(readAgain(TENANT, "turn0")).isEmpty();
        assertThat(readAgain(TENANT, "turn1")).isPresent();
    }
}
