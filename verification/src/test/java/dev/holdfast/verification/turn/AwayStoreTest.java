package dev.holdfast.verification.turn;

import static dev.holdfast.verification.turn.TurnFixture.AGENT;
import static dev.holdfast.verification.turn.TurnFixture.SESSION;
import static dev.holdfast.verification.turn.TurnFixture.ask;
import static dev.holdfast.verification.turn.TurnFixture.textOf;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.error.HoldfastException.StoreBusy;
import dev.holdfast.store.StoreSettings;
import dev.holdfast.store.sqlite.SqliteStore;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnContext;
import dev.holdfast.turn.TurnRequest;
import dev.holdfast.turn.TurnSettings;
import dev.holdfast.turn.TurnState;
import dev.holdfast.turn.TurnStatus;
import dev.holdfast.verification.rig.StoreTap;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A database that is away for a moment while an agent looks at its turn: the agent waits, and the turn does not fail for what passes by itself. */
final class AwayStoreTest {

    private static final long MAX_BYTES = 10_000;
    private static final int FAILURES = 3;

    @TempDir
    private Path folder;

    /** What the agent asks for. */
    enum Look {
        HISTORY,
        WRITTEN,
        RECALLED,
        NESTED;

        void at(TurnContext turn) {
            switch (this) {
                case HISTORY -> assertThat(turn.history(MAX_BYTES)).hasSize(1);
                case WRITTEN -> assertThat(turn.written()).isEmpty();
                case RECALLED ->
                    assertThat(turn.recall("run"))
                            .hasValueSatisfying(
                                    run -> assertThat(run).asString(UTF_8).isEqualTo("7"));
                case NESTED ->
                    assertThat(turn.nest("inner", TurnRequest.of("nested", "inner"))
                                    .status()
                                    .id())
                            .isEqualTo("nested");
            }
        }
    }

    /** Fails so many reads of the thread that armed it. */
    private static final class Away implements StoreTap.Observer {
        private final AtomicInteger left = new AtomicInteger();
        private volatile Thread reader = Thread.currentThread();

        void arm() {
            reader = Thread.currentThread();
            left.set(FAILURES);
        }

        @Override
        public void reading() {
            if (Thread.currentThread() == reader && left.getAndUpdate(now -> Math.max(0, now - 1)) > 0) {
                throw new StoreBusy("injected: the database is away", new IOException("injected"));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_agent_that_looks_at_its_turn_meanwhile_waits_and_its_turn_completes(Look what) throws Exception {
        Away away = new Away();
        TurnSettings turns = TurnSettings.defaults()
                .withAgent("inner", turn -> AgentResult.completed())
                .withAgent(AGENT, turn -> {
                    turn.remember("run", "7".getBytes(UTF_8));
                    away.arm();
                    what.at(turn);
                    turn.emit("seen");
                    return AgentResult.completed();
                });
        try (Holdfast holdfast = Holdfast.open(
                new StoreTap(SqliteStore.open(folder, StoreSettings.defaults()), away),
                HoldfastSettings.defaults().withTurns(turns))) {
            holdfast.sessions().create(SESSION);

            TurnStatus end = holdfast.turns().start(SESSION, ask("t")).await();

            assertThat(end.state()).as(end.error()).isEqualTo(TurnState.COMPLETED);
            assertThat(textOf(holdfast, end.messageId())).isEqualTo("seen");
            assertThat(away.left).hasValue(0);
        }
    }
}
