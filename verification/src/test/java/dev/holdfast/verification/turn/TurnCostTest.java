package dev.holdfast.verification.turn;

import static dev.holdfast.verification.turn.TurnFixture.AGENT;
import static dev.holdfast.verification.turn.TurnFixture.SESSION;
import static dev.holdfast.verification.turn.TurnFixture.ask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.store.StoreSettings;
import dev.holdfast.store.sqlite.SqliteStore;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.ToolAnswer;
import dev.holdfast.turn.TurnContext;
import dev.holdfast.turn.TurnHandle;
import dev.holdfast.turn.TurnSettings;
import dev.holdfast.turn.TurnState;
import dev.holdfast.uimessage.UiMessageAssembler;
import dev.holdfast.uimessage.UiToolAnswers;
import dev.holdfast.verification.rig.ManualClock;
import dev.holdfast.verification.rig.StoreTap;
import dev.holdfast.verification.rig.VerbCount;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a turn costs the disk, over a real instance: each writing verb, which is a row, and each commit, which is one sync. A change of these
 * numbers is a change of what every user's disk has to write.
 */
class TurnCostTest {

    private static final int CHUNKS = 20;

    /** 150 bytes, as a token of a model is with its frame. */
    private static final String DELTA =
            "{\"type\":\"text-delta\",\"id\":\"t\",\"delta\":\"%s\"}".formatted("x".repeat(108));

    /** One page and its header in SQLite's write-ahead log. */
    private static final long FRAME_BYTES = 4096 + 24;

    /** The question, the turn and its stream, with an event for the question and one for the turn. */
    private static final Map<String, Integer> START =
            Map.of("insertMessage", 1, "insertTurn", 1, "insertStream", 1, "appendFeed", 2, "commit", 1);

    /** The answer and the outcome, with an event each; the stream goes with what it remembered. */
    private static final Map<String, Integer> END = Map.of(
            "insertMessage", 1, "updateTurn", 1, "deleteStream", 1, "purgeProperties", 2, "appendFeed", 2, "commit", 1);

    @TempDir
    Path folder;

    private final VerbCount count = new VerbCount();
    private final ManualClock clock = new ManualClock();

    /** A permit for each step that an agent may make. */
    private final Semaphore steps = new Semaphore(0);

    /** A permit for each run that began. */
    private final Semaphore begun = new Semaphore(0);

    /** A permit for each step that was made. */
    private final Semaphore made = new Semaphore(0);

    private Holdfast holdfast;

    @BeforeEach
    void open() {
        holdfast = Holdfast.open(
                new StoreTap(
                        SqliteStore.open(folder, new StoreSettings(2, Long.MAX_VALUE, Duration.ofSeconds(10), clock)),
                        count),
                HoldfastSettings.defaults()
                        .withTime(clock, clock::timers)
                        .withTurns(TurnSettings.defaults()
                                .withAgent(AGENT, this::run)
                                .withAssembler(new UiMessageAssembler())
                                .withAnswers(new UiToolAnswers())));
        holdfast.sessions().create(SESSION).append(MessageDraft.of("hello", "user", "hello"));
        count.take();
    }

    @AfterEach
    void close() {
        holdfast.close();
    }

    private AgentResult run(TurnContext turn) throws InterruptedException {
        begun.release();
        if (turn.turnId().equals("asks") && turn.written().isEmpty()) {
            steps.acquire();
            turn.emit("{\"type\":\"tool-input-available\",\"toolCallId\":\"c1\",\"toolName\":\"where\",\"input\":{}}");
            turn.emit("{\"type\":\"tool-input-available\",\"toolCallId\":\"c2\",\"toolName\":\"when\",\"input\":{}}");
            return AgentResult.awaiting("answers");
        }
        steps.acquire();
        turn.emit("{\"type\":\"text-start\",\"id\":\"t\"}");
        for (int i = 0; i < CHUNKS - 2; i++) {
            turn.emit(DELTA);
        }
        turn.emit("{\"type\":\"text-end\",\"id\":\"t\"}");
        made.release();
        steps.acquire();
        return AgentResult.completed();
    }

    private long walBytes() throws IOException {
        return Files.size(folder.resolve("holdfast.db-wal"));
    }

    /** What was written since the last time. */
    private Map<String, Integer> costs() {
        return count.take();
    }

    @Test
    @Tag("S57")
    void a_turn_of_20_chunks_costs_these_verbs_and_commits() throws Exception {
        long before = walBytes();
        TurnHandle turn = holdfast.turns().start(SESSION, ask("t"));
        assertThat(costs()).as("the start").isEqualTo(START);

        steps.release();
        made.acquire();
        assertThat(costs()).as("the chunks").isEqualTo(Map.of("append", CHUNKS, "commit", CHUNKS));

        steps.release();
        assertThat(turn.await().state()).isEqualTo(TurnState.COMPLETED);
        assertThat(costs()).as("the end, with the deletion of the stream").isEqualTo(END);
        assertThat((walBytes() - before) / FRAME_BYTES)
                .as("frames of the write-ahead log")
                .isEqualTo(54);
    }

    @Test
    void awaiting_is_an_end_and_each_answer_is_one_commit() throws Exception {
        TurnHandle turn = holdfast.turns().start(SESSION, ask("asks"));
        assertThat(costs()).as("the start").isEqualTo(START);
        steps.release();
        assertThat(turn.await().state()).isEqualTo(TurnState.AWAITING);
        assertThat(costs())
                .as("two chunks, and all that an end is")
                .isEqualTo(Map.of(
                        "append",
                        2,
                        "commit",
                        3,
                        "insertMessage",
                        1,
                        "appendFeed",
                        2,
                        "updateTurn",
                        1,
                        "deleteStream",
                        1,
                        "purgeProperties",
                        2));

        holdfast.turns().answer(SESSION, "asks", output("c1"));
        assertThat(costs())
                .as("an answer after which the turn waits on")
                .isEqualTo(Map.of("updateMessage", 1, "appendFeed", 1, "commit", 1));
        holdfast.turns().answer(SESSION, "asks", output("c1"));
        assertThat(costs()).as("the same answer again").isEmpty();

        holdfast.turns().answer(SESSION, "asks", output("c2"));
        assertThat(costs())
                .as("the last answer, with which the turn goes on")
                .isEqualTo(
                        Map.of("updateMessage", 1, "appendFeed", 2, "updateTurn", 1, "insertStream", 1, "commit", 1));
        steps.release(2);
    }

    private static ToolAnswer output(String call) {
        return new ToolAnswer.Output(call, "1".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void a_stop_is_one_commit_and_the_end_another() throws Exception {
        TurnHandle turn = holdfast.turns().start(SESSION, ask("t"));
        steps.release();
        made.acquire();
        count.take();

        holdfast.turns().stop(SESSION, "t", null);
        assertThat(turn.await().state()).isEqualTo(TurnState.STOPPED);

        Map<String, Integer> both = new TreeMap<>(END);
        both.merge("commit", 1, Integer::sum);
        both.merge("updateTurn", 1, Integer::sum);
        both.merge("appendFeed", 1, Integer::sum);
        assertThat(costs()).isEqualTo(both);
        holdfast.turns().stop(SESSION, "t", null);
        assertThat(costs()).as("a stop of what is over").isEmpty();
        holdfast.turns().stop(SESSION, "ahead", null);
        assertThat(costs()).as("a stop of what is not there yet").isEqualTo(Map.of("putProperty", 1, "commit", 1));
    }

    @Test
    void a_turn_that_waits_costs_no_stream_until_it_begins() throws Exception {
        TurnHandle first = holdfast.turns().start(SESSION, ask("a"));
        count.take();
        TurnHandle second = holdfast.turns().start(SESSION, ask("b"));
        assertThat(costs())
                .as("queued; the turn before it notes who comes next")
                .isEqualTo(Map.of("insertMessage", 1, "insertTurn", 1, "updateTurn", 1, "appendFeed", 2, "commit", 1));
        holdfast.turns().start(SESSION, ask("b"));
        assertThat(costs()).as("the same start again").isEmpty();
        holdfast.turns().start(SESSION, ask("c"));
        holdfast.turns().start(SESSION, ask("d"));
        count.take();
        holdfast.turns().clearQueue(SESSION, null);
        assertThat(costs())
                .as("three are cleared in one commit")
                .isEqualTo(Map.of("updateTurn", 3, "appendFeed", 3, "commit", 1));
        assertThat(second.await().state()).isEqualTo(TurnState.STOPPED);

        holdfast.turns().start(SESSION, ask("e"));
        steps.release();
        made.acquire();
        count.take();
        steps.release();
        first.await();
        begun.acquire(2);
        Map<String, Integer> next = new TreeMap<>(END);
        next.put("commit", 2);
        next.put("insertStream", 1);
        next.merge("updateTurn", 1, Integer::sum);
        next.merge("appendFeed", 2, Integer::sum); // its stream, and that its question now follows the answer
        next.put("moveMessage", 1);
        assertThat(costs()).as("the end of one, and the beginning of the next").isEqualTo(next);
        steps.release(2);
    }
}
