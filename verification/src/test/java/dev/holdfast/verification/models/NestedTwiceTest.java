package dev.holdfast.verification.models;

import static dev.holdfast.verification.models.Nesting.ASK;
import static dev.holdfast.verification.models.Nesting.INNER;
import static dev.holdfast.verification.models.Nesting.MIDDLE;
import static dev.holdfast.verification.models.Nesting.OUTER;
import static dev.holdfast.verification.rig.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.models.loopback.LoopbackUpstream;
import dev.holdfast.models.loopback.Pace;
import dev.holdfast.turn.TurnHandle;
import dev.holdfast.turn.TurnState;
import dev.holdfast.turn.TurnStatus;
import dev.holdfast.verification.rig.Child;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An agent in a tool of an agent in a tool, on a real store. */
final class NestedTwiceTest {

    /** Of a model's answer: a call, or its last words. */
    private static final int EVENTS = 2;

    @TempDir
    Path folder;

    private final LoopbackUpstream upstream = LoopbackUpstream.start(Pace.gated());
    private final Semaphore words = new Semaphore(0);

    NestedTwiceTest() {
        upstream.script(Nesting::answer);
    }

    @AfterEach
    void close() {
        upstream.close();
    }

    private Holdfast open() {
        return Nesting.twice(folder.resolve("data"), upstream.baseUrl(), new TwoWords(words::acquire));
    }

    private static void until(Callable<Boolean> condition) {
        await().until(condition);
    }

    private static boolean isIn(Holdfast holdfast, String agent, TurnState state) {
        return Nesting.find(holdfast, agent)
                .filter(turn -> turn.state() == state)
                .isPresent();
    }

    @Test
    void each_stream_is_tailed_kept_until_the_turn_around_it_ends_and_goes_with_that_S55() throws Exception {
        upstream.release(2 * EVENTS); // both call
        try (Holdfast holdfast = open()) {
            TurnHandle turn = holdfast.turns().start(OUTER, ASK);
            words.release();
            until(() -> Nesting.shows(holdfast, MIDDLE, "one "));
            TurnStatus middle = Nesting.turn(holdfast, MIDDLE);
            TurnStatus inner = Nesting.turn(holdfast, INNER);
            words.release();
            until(() -> isIn(holdfast, INNER, TurnState.COMPLETED));
            assertThat(Nesting.hasStream(holdfast, inner)).isTrue();

            upstream.release(EVENTS); // the middle one speaks
            until(() -> isIn(holdfast, MIDDLE, TurnState.COMPLETED));
            assertThat(Nesting.hasStream(holdfast, inner)).isFalse();
            assertThat(Nesting.hasStream(holdfast, middle)).isTrue();

            upstream.release(EVENTS);
            TurnStatus end = turn.await();
            assertThat(end.state()).isEqualTo(TurnState.COMPLETED);
            assertThat(Nesting.hasStream(holdfast, middle)).isFalse();
            assertWhole(holdfast);
        }
        assertThat(upstream.requests()).hasSize(4);
    }

    private static void assertWhole(Holdfast holdfast) {
        assertThat(Nesting.message(holdfast, Nesting.turn(holdfast, INNER)).text())
                .isEqualTo("one two");
        TurnStatus middle = Nesting.turn(holdfast, MIDDLE);
        assertThat(Nesting.call(holdfast, middle).output().orElseThrow().stringValue())
                .isEqualTo("one two");
        assertThat(Nesting.message(holdfast, middle).text()).isEqualTo("It is so.");
        TurnStatus outer = Nesting.turn(holdfast, OUTER);
        assertThat(outer.state()).isEqualTo(TurnState.COMPLETED);
        assertThat(Nesting.call(holdfast, outer).output().orElseThrow().stringValue())
                .isEqualTo("It is so.");
        assertThat(Nesting.message(holdfast, outer).text()).isEqualTo("It is so.");
        for (String agent : List.of(OUTER, MIDDLE, INNER)) {
            String session = Nesting.turn(holdfast, agent).sessionId();
            assertThat(holdfast.turns().latest(session, 10)).as(agent).hasSize(1);
            assertThat(holdfast.turns().live(session)).as(agent).isEmpty();
        }
    }

    @Test
    void a_stop_of_the_outermost_turn_stops_all_within_it_S55() throws Exception {
        upstream.release(2 * EVENTS);
        try (Holdfast holdfast = open()) {
            TurnHandle turn = holdfast.turns().start(OUTER, ASK);
            words.release();
            until(() -> Nesting.shows(holdfast, MIDDLE, "one "));
            holdfast.turns().stop(OUTER, "t", "enough");
            assertThat(turn.await().state()).isEqualTo(TurnState.STOPPED);
            until(() -> isIn(holdfast, MIDDLE, TurnState.STOPPED));
            until(() -> isIn(holdfast, INNER, TurnState.STOPPED));
            assertThat(Nesting.message(holdfast, Nesting.turn(holdfast, INNER)).text())
                    .isEqualTo("one ");
        }
        assertThat(upstream.requests()).hasSize(2);
    }

    private Child child(int words) {
        return Child.start(
                folder,
                NestedMain.class,
                folder.resolve("data").toString(),
                upstream.baseUrl().toString(),
                Integer.toString(words));
    }

    @Test
    void a_kill_within_the_innermost_turn_loses_none_of_them_and_begins_none_twice_S92() throws Exception {
        upstream.release(4 * EVENTS);
        List<String> lines = new ArrayList<>();
        try (Child first = child(1)) {
            first.readUntil("said one "::equals, lines::add);
            first.kill(lines::add);
        }
        try (Child second = child(1)) {
            assertThat(second.end(lines::add)).isZero();
        }
        assertThat(lines.stream().filter(line -> line.matches("(said|ended) .*")))
                .containsExactly("said one ", "said two", "ended COMPLETED");
        try (Holdfast holdfast = open()) {
            assertWhole(holdfast);
        }
        assertThat(upstream.requests()).hasSize(4);
    }
}
