package dev.holdfast.verification.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.session.History;
import dev.holdfast.turn.TurnState;
import dev.holdfast.turn.TurnStatus;
import dev.holdfast.verification.rig.Child;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Processes killed with turns waiting, with an answer on its way, and again and again within one turn. */
final class TurnKillTest {

    /** Where a child never stops by itself. */
    private static final String NOWHERE = Point.RECOVERED.name();

    @TempDir
    static Path scratch;

    @TempDir
    Path folder;

    /** Runs a child until it says so, and kills it there. */
    private void killAt(String line, String... arguments) {
        List<String> command = new ArrayList<>(List.of(folder.toString()));
        command.addAll(List.of(arguments));
        List<String> lines = new ArrayList<>();
        try (Child child = Child.start(scratch, TurnMain.class, command.toArray(String[]::new))) {
            child.readUntil(line::equals, lines::add);
            child.kill(lines::add);
        }
    }

    private Holdfast reopen() {
        return Holdfast.open(folder, TurnMain.settings((turn, words) -> {}));
    }

    private static TurnStatus outcome(Holdfast holdfast, String turn) throws InterruptedException {
        return holdfast.turns().start(TurnMain.SESSION, TurnMain.ask(turn)).await();
    }

    private static List<String> path(Holdfast holdfast) {
        List<String> texts = new ArrayList<>();
        History history = holdfast.sessions().get(TurnMain.SESSION).history();
        while (history.hasNext()) {
            texts.add(history.next().text());
        }
        return texts;
    }

    private void assertQueueRunsToItsEnd() throws Exception {
        List<String> expected = new ArrayList<>();
        try (Holdfast holdfast = reopen()) {
            for (String turn : TurnMain.QUEUED) {
                assertThat(outcome(holdfast, turn).state()).isEqualTo(TurnState.COMPLETED);
                expected.add("question of " + turn);
                expected.add("answer of " + turn);
            }
            assertThat(path(holdfast)).containsExactlyElementsOf(expected);
            assertThat(holdfast.turns().live(TurnMain.SESSION)).isEmpty();
        }
    }

    @Test
    void a_process_killed_with_turns_in_its_queue_loses_none_and_keeps_their_order_S92() throws Exception {
        killAt("QUEUED", "queue", NOWHERE, "0");
        assertQueueRunsToItsEnd();
    }

    @ParameterizedTest
    @EnumSource(
            names = {
                "BEFORE_QUEUED_CUTOVER_COMMIT",
                "AFTER_QUEUED_CUTOVER_COMMIT",
                "BEFORE_NEXT_TURN_COMMIT",
                "AFTER_NEXT_TURN_COMMIT"
            })
    void a_kill_in_the_cutover_or_as_the_next_turn_begins_leaves_each_message_once_and_in_its_place_S92(Point point)
            throws Exception {
        killAt("AT " + point, "queue", point.name(), "0");
        assertQueueRunsToItsEnd();
    }

    @ParameterizedTest
    @EnumSource(names = {"BEFORE_ANSWER_COMMIT", "AFTER_ANSWER_COMMIT"})
    void an_answer_is_in_the_message_and_the_turn_goes_on_or_neither_S92(Point point) throws Exception {
        killAt("AT " + point, "answer", point.name(), "0");
        try (Holdfast holdfast = reopen()) {
            TurnStatus found = holdfast.turns().status(TurnMain.SESSION, "asks").orElseThrow();
            if (point == Point.BEFORE_ANSWER_COMMIT) {
                assertThat(found.state()).isEqualTo(TurnState.AWAITING);
            }
            holdfast.turns().answer(TurnMain.SESSION, "asks", TurnMain.YES); // the client, which heard nothing, repeats
            TurnStatus end = outcome(holdfast, "asks");
            assertThat(end.state()).isEqualTo(TurnState.COMPLETED);
            assertThat(holdfast.sessions()
                            .get(TurnMain.SESSION)
                            .message(end.messageId())
                            .orElseThrow()
                            .text())
                    .isEqualTo("May I? [yes] Done.");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    @Tag("M74")
    void a_turn_killed_before_its_first_chunk_or_behind_it_is_answered_whole_S92(int words) throws Exception {
        killAt("WORDS " + words, "churn", NOWHERE, Integer.toString(words - 1));
        assertChurned();
    }

    @Test
    void ten_kills_in_a_row_during_one_turn_lose_and_repeat_nothing_S92() throws Exception {
        for (int life = 0; life < TurnMain.WORDS; life++) {
            killAt("WORDS " + (life + 1), "churn", NOWHERE, Integer.toString(life));
        }
        assertChurned();
    }

    private void assertChurned() throws Exception {
        StringBuilder expected = new StringBuilder();
        for (int i = 0; i < TurnMain.WORDS; i++) {
            expected.append('w').append(i).append(' ');
        }
        try (Holdfast holdfast = reopen()) {
            assertThat(outcome(holdfast, "churn").state()).isEqualTo(TurnState.COMPLETED);
            assertThat(path(holdfast)).containsExactly("question of churn", expected.toString());
            assertThat(holdfast.turns().incidents(TurnMain.SESSION)).isEmpty();
        }
    }
}
