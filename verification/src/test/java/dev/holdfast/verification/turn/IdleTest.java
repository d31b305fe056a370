package dev.holdfast.verification.turn;

import static dev.holdfast.verification.turn.TurnFixture.AGENT;
import static dev.holdfast.verification.turn.TurnFixture.SESSION;
import static dev.holdfast.verification.turn.TurnFixture.ask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.session.FeedReader;
import dev.holdfast.session.Session;
import dev.holdfast.store.StoreSettings;
import dev.holdfast.store.sqlite.SqliteStore;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnContext;
import dev.holdfast.turn.TurnSettings;
import dev.holdfast.turn.TurnState;
import dev.holdfast.verification.rig.FileStamps;
import dev.holdfast.verification.rig.ManualClock;
import dev.holdfast.verification.rig.StoreTap;
import dev.holdfast.verification.rig.VerbCount;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sessions and turns at rest cost nothing, however long (IDLE-IS-SILENT). */
class IdleTest {

    @TempDir
    Path folder;

    private final VerbCount count = new VerbCount();
    private final ManualClock clock = new ManualClock();

    private Holdfast open() {
        return Holdfast.open(
                new StoreTap(
                        SqliteStore.open(folder, new StoreSettings(2, Long.MAX_VALUE, Duration.ofSeconds(10), clock)),
                        count),
                HoldfastSettings.defaults()
                        .withTime(clock, clock::timers)
                        .withTurns(TurnSettings.defaults().withAgent(AGENT, IdleTest::run)));
    }

    private static AgentResult run(TurnContext turn) {
        turn.emit("answer of " + turn.turnId());
        if (turn.turnId().startsWith("fails")) {
            throw new IllegalStateException("failed on purpose");
        }
        return turn.turnId().startsWith("awaits") ? AgentResult.awaiting("a person") : AgentResult.completed();
    }

    private static TurnState end(Holdfast holdfast, String turn) throws InterruptedException {
        return holdfast.turns().start(SESSION, ask(turn)).await().state();
    }

    /** Goes through the committer and is refused, so that whatever upkeep is due comes with it. */
    private static void nudge(Holdfast holdfast) {
        assertThat(holdfast.turns().stop(SESSION, "completes", null).accepted()).isFalse();
    }

    private void settleDown(Holdfast holdfast) {
        do {
            count.take();
            nudge(holdfast);
            nudge(holdfast);
        } while (!count.take().isEmpty());
    }

    private void assertSilentForAMonth(Holdfast holdfast) {
        settleDown(holdfast);
        Map<String, String> files = FileStamps.of(folder);
        long timers = clock.timersMade();
        assertThat(clock.pending()).isZero();
        for (int day = 0; day < 30; day++) {
            clock.advance(Duration.ofDays(1));
            nudge(holdfast);
        }
        assertThat(count.take()).isEmpty();
        assertThat(FileStamps.of(folder)).isEqualTo(files);
        assertThat(clock.timersMade()).isEqualTo(timers);
        assertThat(holdfast.turns().running()).isZero();
    }

    @Test
    @Tag("S57")
    void an_idle_holdfast_with_sessions_properties_and_turns_writes_nothing_and_sets_no_timer_IDLE_IS_SILENT()
            throws Exception {
        try (Holdfast holdfast = open()) {
            Session session = holdfast.sessions().create(SESSION);
            session.properties().put("title", "A talk");
            holdfast.properties().put("theme", "dark");
            assertThat(end(holdfast, "completes")).isEqualTo(TurnState.COMPLETED);
            assertThat(end(holdfast, "fails")).isEqualTo(TurnState.FAILED);
            assertThat(end(holdfast, "awaits")).isEqualTo(TurnState.AWAITING);
            FeedReader reader = session.feed().open(0);
            assertThat(reader.read(1000)).isNotEmpty();
            AtomicInteger woken = new AtomicInteger();
            reader.onChange(woken::incrementAndGet);

            assertSilentForAMonth(holdfast);

            assertThat(woken).as("nobody was woken for nothing").hasValue(0);
            assertThat(holdfast.turns().status(SESSION, "awaits").orElseThrow().state())
                    .isEqualTo(TurnState.AWAITING);
            assertThat(session.properties().get("title").orElseThrow().text()).isEqualTo("A talk");
            reader.close();
        }
        try (Holdfast again = open()) {
            assertSilentForAMonth(again);
            assertThat(again.turns().resume(SESSION, "awaits", null).await().state())
                    .as("it still goes on")
                    .isEqualTo(TurnState.AWAITING);
        }
    }
}
