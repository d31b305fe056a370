package dev.holdfast.verification.turn;

import static dev.holdfast.verification.turn.TurnFixture.SESSION;
import static dev.holdfast.verification.turn.TurnFixture.ask;
import static dev.holdfast.verification.turn.TurnFixture.open;
import static dev.holdfast.verification.turn.TurnFixture.textOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.stream.CommitCallback;
import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnHandle;
import dev.holdfast.turn.TurnState;
import dev.holdfast.turn.TurnStatus;
import dev.holdfast.verification.rig.Reading;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The cutover when something in it fails: the turn stays live with its stream until message and settlement succeed together (NEVER-BOTH). */
class CutoverFaultTest {

    @TempDir
    Path folder;

    private static final Agent GREETS = turn -> {
        turn.emit("Hello");
        return AgentResult.completed();
    };

    private static void write(CommitCallback.CommitHandle handle, String text) throws SQLException {
        Connection connection = handle.unwrap(Connection.class).orElseThrow();
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("CREATE TABLE IF NOT EXISTS app_answers (text TEXT)");
            statement.executeUpdate("INSERT INTO app_answers VALUES ('" + text + "')");
        }
    }

    private int answers() throws SQLException {
        try (Connection own = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("holdfast.db"));
                Statement statement = own.createStatement();
                ResultSet count = statement.executeQuery("SELECT count(*) FROM app_answers")) {
            return count.getInt(1);
        }
    }

    @Test
    @Tag("S54")
    void the_applications_own_write_is_committed_with_the_message() throws Exception {
        try (Holdfast holdfast =
                open(folder, GREETS, settings -> settings.withCommit(handle -> write(handle, "once")))) {
            TurnStatus end = holdfast.turns().start(SESSION, ask("t")).await();

            assertThat(end.state()).isEqualTo(TurnState.COMPLETED);
            assertThat(answers()).isEqualTo(1);
        }
    }

    @Test
    @Tag("S54")
    void a_throwing_callback_leaves_the_turn_live_and_the_cutover_is_tried_again() throws Exception {
        AtomicInteger tries = new AtomicInteger();
        try (Holdfast holdfast = open(folder, GREETS)) {
            AtomicReference<String> seen = new AtomicReference<>();
            CommitCallback fails = handle -> {
                write(handle, "try");
                int number = tries.incrementAndGet();
                if (number == 2) {
                    seen.set(asItStands(holdfast)); // here, since nothing can change meanwhile
                }
                if (number < 3) {
                    throw new IllegalStateException("not yet");
                }
            };
            TurnHandle turn = holdfast.turns().start(SESSION, ask("t").committing(fails));

            TurnStatus end = turn.await();

            assertThat(end.state()).isEqualTo(TurnState.COMPLETED);
            assertThat(tries).hasValue(3);
            assertThat(seen.get())
                    .as("after the first try")
                    .isEqualTo("turn STREAMING, stream LIVE, [Hello], 1 message");
            assertThat(answers()).isEqualTo(1);
            assertThat(textOf(holdfast, end.messageId())).isEqualTo("Hello");
        }
    }

    private static String asItStands(Holdfast holdfast) {
        TurnStatus turn = holdfast.turns().status(SESSION, "t").orElseThrow();
        String stream = Objects.requireNonNull(turn.streamName());
        return "turn %s, stream %s, %s, %d message"
                .formatted(
                        turn.state(),
                        holdfast.streams().status(stream).orElseThrow().state(),
                        Reading.allTexts(holdfast.streams(), stream),
                        holdfast.sessions().get(SESSION).count());
    }

    @Test
    @Tag("S54")
    void a_turn_whose_cutover_never_succeeded_is_cut_over_after_a_restart() throws Exception {
        AtomicInteger tries = new AtomicInteger();
        CommitCallback fails = handle -> {
            tries.incrementAndGet();
            throw new IllegalStateException("never");
        };
        String messageId;
        try (Holdfast first = open(folder, GREETS)) {
            messageId = first.turns()
                    .start(SESSION, ask("t").committing(fails))
                    .status()
                    .messageId();
            Await.until(tries::get, n -> n > 1);
            assertThat(first.sessions().get(SESSION).message(messageId)).isEmpty();
        }
        try (Holdfast second = open(folder, GREETS)) {
            TurnStatus end = second.turns().start(SESSION, ask("t")).await();

            assertThat(end.state()).isEqualTo(TurnState.COMPLETED);
            assertThat(textOf(second, messageId)).isEqualTo("Hello");
            assertThat(second.sessions().get(SESSION).count()).isEqualTo(2);
        }
    }

    @Test
    @Tag("S53")
    void an_assembler_that_fails_fails_the_turn_and_keeps_its_stream() throws Exception {
        try (Holdfast holdfast = open(
                folder,
                GREETS,
                settings -> settings.withAssembler(assembly -> {
                    throw new IllegalStateException("cannot");
                }))) {
            TurnStatus end = holdfast.turns().start(SESSION, ask("t")).await();

            assertThat(end.state()).isEqualTo(TurnState.FAILED);
            assertThat(holdfast.streams()
                            .read(Objects.requireNonNull(end.streamName()), 0, 100)
                            .chunks())
                    .hasSize(1);
        }
    }
}
