package dev.holdfast.mcp.streamable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.mcp.McpProblem;
import dev.holdfast.mcp.events.EventLog;
import dev.holdfast.testkit.MovedTime;
import io.modelcontextprotocol.common.McpTransportContext;
import java.nio.file.Path;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What ends while something begins: a deletion, a cancellation and the server's end between any two steps of a call. */
@Timeout(60)
final class EndingTest {

    @TempDir
    private Path folder;

    private final MovedTime time = new MovedTime();
    private Parts parts;

    @BeforeEach
    void open() {
        parts = new Parts(folder, StreamableSettings.defaults().withTime(time, () -> time));
    }

    @AfterEach
    void close() {
        parts.close();
    }

    private static void assertRefused(Runnable work, int status) {
        assertThatThrownBy(work::run)
                .isInstanceOfSatisfying(
                        McpProblem.class,
                        problem -> assertThat(problem.status()).isEqualTo(status));
    }

    private void closeTable() {
        parts.services.closed().set(true);
        parts.table.close();
    }

    @Test
    void a_call_that_was_stored_while_the_server_closes_is_refused_and_its_stream_is_left_for_recovery() {
        LiveSession session = parts.session("s");
        EventLog log = parts.stored(session, "call");
        closeTable();

        assertRefused(() -> parts.running(session, log), 503);

        assertThat(parts.services.events().exists("s", "call")).isTrue();
        assertThat(parts.services.sessions().find("s")).isPresent();
    }

    @Test
    void a_call_that_was_stored_while_its_session_was_deleted_is_deleted_with_it() {
        LiveSession session = parts.session("s");
        parts.table.delete(session);
        EventLog log = parts.stored(session, "call");

        assertRefused(() -> parts.running(session, log), 404);

        assertThat(parts.services.events().exists("s", "call")).isFalse();
    }

    @Test
    void what_was_cancelled_before_it_began_does_not_begin() {
        LiveSession session = parts.session("s");
        RunningCall call = parts.running(session, parts.stored(session, "call"));
        session.calls().cancel(1L).join();
        assertNeverRun(session, call);
    }

    @Test
    void what_was_deleted_before_it_began_does_not_begin() {
        LiveSession session = parts.session("s");
        RunningCall call = parts.running(session, parts.stored(session, "call"));
        parts.table.delete(session);
        assertNeverRun(parts.session("other"), call);
    }

    @Test
    void what_the_server_closed_on_does_not_begin_and_leaves_no_timer() {
        LiveSession session = parts.session("s");
        RunningCall call = parts.running(session, parts.stored(session, "call"));
        closeTable();
        int idle = time.waitingTimers();

        call.start(Parts.request(), McpTransportContext.EMPTY);

        assertThat(time.waitingTimers()).isEqualTo(idle);
        assertThat(parts.calls()).isZero();
    }

    /** Another call that begins after it has run first. */
    private void assertNeverRun(LiveSession session, RunningCall call) {
        call.start(Parts.request(), McpTransportContext.EMPTY);
        parts.running(session, parts.stored(session, "next")).start(Parts.request(), McpTransportContext.EMPTY);
        Awaitility.await().atMost(java.time.Duration.ofMinutes(2)).until(() -> parts.ended(session.id(), "next"));
        assertThat(parts.calls()).isEqualTo(1);
    }

    @Test
    void nobody_enters_or_begins_a_session_once_the_server_is_closed() {
        parts.session("s").leave();
        closeTable();
        assertRefused(() -> parts.table.enter("s", null), 503);
    }
}
