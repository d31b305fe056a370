package dev.holdfast.mcp.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.HoldfastSettings;
import dev.holdfast.store.Time;
import dev.holdfast.store.Timers;
import dev.holdfast.stream.StreamListing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Tasks whose time is over before the process that made them is followed by another one. */
class TaskExpiredTest extends TaskTest {

    private final AtomicLong ahead = new AtomicLong();
    private boolean sweeps = true;

    /** The system's, ahead of it by what a test wants. */
    private final Time time = new Time() {
        @Override
        public long wallMillis() {
            return Time.system().wallMillis() + ahead.get();
        }

        @Override
        public long monotonicNanos() {
            return Time.system().monotonicNanos();
        }

        @Override
        public long randomLong() {
            return Time.system().randomLong();
        }
    };

    private static final class Never implements Timers {
        @Override
        public Handle after(Duration delay, Runnable action) {
            return () -> {};
        }

        @Override
        public void close() {}
    }

    @Override
    HoldfastSettings settings() {
        return HoldfastSettings.defaults().withTime(time, () -> sweeps ? Timers.system() : new Never());
    }

    @Override
    DurableTasks.Builder rules(DurableTasks.Builder tasks) {
        return tasks.tool("gate", TaskPolicy.always(), AfterRestart.RERUN)
                .tool("patient_gate", TaskPolicy.always(), AfterRestart.FAIL)
                .tool("confirm_delete", TaskPolicy.always(), AfterRestart.FAIL)
                .settings(quick().withTime(time)
                        .withTimeToLive(Duration.ofMinutes(10))
                        .withMaxUnfinished(6, 6));
    }

    private List<String> make() {
        List<String> tasks = new ArrayList<>();
        for (String tool :
                List.of("gate", "patient_gate", "confirm_delete", "gate", "patient_gate", "confirm_delete")) {
            tasks.add(caller().task(tool, Map.of("label", "a", "filename", "f")));
        }
        return tasks;
    }

    @Test
    void what_expired_and_was_not_swept_yet_is_gone_and_comes_not_back() {
        sweeps = false;
        List<String> tasks = make();
        until(() -> tools.counted("came a") == 4);
        stop();
        ahead.set(Duration.ofMinutes(11).toMillis());

        for (String task : tasks) {
            assertThat(caller().ask("tasks/get", Map.of("taskId", task)).code()).isEqualTo(-32602);
            assertThat(caller().cancel(task).code()).isEqualTo(-32602);
        }
        assertThat(tools.counted("came a")).isEqualTo(4);
        assertThat(holdfast().streams().list(StreamListing.all()))
                .allSatisfy(left -> assertThat(left.expiresAt()).isNotNull());
        assertThat(make()).hasSize(6); // no place was kept
        stop();
        ahead.set(Duration.ofMinutes(22).toMillis());
        sweeps = true;
        until(() -> holdfast().streams().list(StreamListing.all()).isEmpty());
    }
}
