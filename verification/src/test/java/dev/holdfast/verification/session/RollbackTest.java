package dev.holdfast.verification.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.StoreBusy;
import dev.holdfast.error.HoldfastException.StoreFailed;
import dev.holdfast.error.HoldfastException.StoreFull;
import dev.holdfast.session.FeedReader;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.session.Session;
import dev.holdfast.session.SessionInfo;
import dev.holdfast.store.StoreSettings;
import dev.holdfast.store.sqlite.SqliteStore;
import dev.holdfast.stream.StreamListing;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.ToolAnswer;
import dev.holdfast.turn.TurnContext;
import dev.holdfast.turn.TurnRequest;
import dev.holdfast.turn.TurnSettings;
import dev.holdfast.turn.TurnState;
import dev.holdfast.uimessage.UiMessageAssembler;
import dev.holdfast.uimessage.UiToolAnswers;
import dev.holdfast.verification.rig.Fault;
import dev.holdfast.verification.rig.Fault.When;
import dev.holdfast.verification.rig.ManualClock;
import dev.holdfast.verification.rig.StoreTap;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Changes of sessions and turns whose commit fails with a known fate: the caller is told, nothing of them can be seen, nobody who waits for a
 * feed is woken, and the same change works later (FAIL-STOP, second half; VISIBLE-IS-DURABLE).
 */
final class RollbackTest {

    private static final String AGENT = "agent";

    @TempDir
    Path folder;

    private final Fault fault = new Fault();
    private final ManualClock clock = new ManualClock();
    private final CountDownLatch running = new CountDownLatch(1);
    private Holdfast holdfast;

    @BeforeEach
    void open() {
        TurnSettings turns = TurnSettings.defaults()
                .withAgent(AGENT, this::run)
                .withAssembler(new UiMessageAssembler())
                .withAnswers(new UiToolAnswers());
        holdfast = Holdfast.open(
                new StoreTap(
                        SqliteStore.open(folder, new StoreSettings(2, Long.MAX_VALUE, Duration.ofSeconds(10), clock)),
                        fault),
                HoldfastSettings.defaults().withTime(clock, clock::timers).withTurns(turns));
    }

    @AfterEach
    void close() {
        fault.disarm();
        holdfast.close();
    }

    private AgentResult run(TurnContext turn) throws InterruptedException {
        switch (turn.turnId()) {
            case "asks" -> {
                turn.emit(
                        "{\"type\":\"tool-input-available\",\"toolCallId\":\"c1\",\"toolName\":\"where\",\"input\":{}}");
                turn.emit(
                        "{\"type\":\"tool-input-available\",\"toolCallId\":\"c2\",\"toolName\":\"when\",\"input\":{}}");
                return AgentResult.awaiting("answers");
            }
            case "runs" -> {
                turn.emit("{\"type\":\"start\"}");
                running.countDown();
                new CountDownLatch(1).await();
            }
            default -> turn.emit("{\"type\":\"start\"}");
        }
        return AgentResult.completed();
    }

    private static TurnRequest ask(String turn) {
        return TurnRequest.answer(turn, AGENT, MessageDraft.of("ask-" + turn, "user", "question of " + turn));
    }

    private Session session(String id) {
        return holdfast.sessions().get(id);
    }

    /** Something of everything, and nothing that moves by itself. */
    private void populate() throws InterruptedException {
        for (String id : List.of("chat", "busy", "free", "asks", "doomed")) {
            holdfast.sessions().create(id).append(MessageDraft.of("first", "user", "hello"));
        }
        session("chat").append(MessageDraft.of("m1", "user", "one"));
        session("chat").append(MessageDraft.of("m2", "assistant", "two"));
        session("chat").append(MessageDraft.of("m3", "user", "three"));
        session("chat").properties().put("kept", "value");
        session("chat").properties().put("old", "value");
        holdfast.turns().start("busy", ask("runs"));
        running.await();
        holdfast.turns().start("busy", ask("waits1"));
        holdfast.turns().start("busy", ask("waits2"));
        assertThat(holdfast.turns().start("asks", ask("asks")).await().state()).isEqualTo(TurnState.AWAITING);
    }

    private Map<String, Runnable> changes() {
        Map<String, Runnable> changes = new LinkedHashMap<>();
        changes.put("append", () -> session("chat").append(MessageDraft.of("m4", "user", "four")));
        changes.put("upsert", () -> session("chat").upsert(MessageDraft.of("m1", "user", "anew")));
        changes.put("delete a message", () -> session("chat").delete("m2"));
        changes.put("put a property", () -> session("chat").properties().put("kept", "other"));
        changes.put("delete a property", () -> session("chat").properties().delete("old"));
        changes.put("create a session", () -> holdfast.sessions().create("created"));
        changes.put("start", () -> holdfast.turns().start("free", ask("starts")));
        changes.put("start behind another", () -> holdfast.turns().start("busy", ask("waits3")));
        changes.put("stop what waits", () -> holdfast.turns().stop("busy", "waits1", "not any more"));
        changes.put("clear the queue", () -> holdfast.turns().clearQueue("busy", "all of them"));
        changes.put("stop what runs", () -> holdfast.turns().stop("busy", "runs", "enough"));
        changes.put("stop what is not there yet", () -> holdfast.turns().stop("chat", "never came", null));
        changes.put("answer", () -> holdfast.turns().answer("asks", "asks", output("c1")));
        changes.put("stop what awaits", () -> holdfast.turns().stop("asks", "asks", null));
        changes.put("clear", () -> session("chat").clear());
        changes.put("delete a session", () -> holdfast.sessions().delete("doomed"));
        return changes;
    }

    private static ToolAnswer output(String call) {
        return new ToolAnswer.Output(call, "1".getBytes(StandardCharsets.UTF_8));
    }

    /** Everything that anyone can see. */
    private List<String> picture() {
        List<String> lines = new ArrayList<>();
        for (SessionInfo info : holdfast.sessions().list(100)) {
            lines.add(info.toString());
            Session session = session(info.id());
            session.recent(1 << 20)
                    .messages()
                    .forEach(message -> lines.add("%s under %s at %s: %s"
                            .formatted(message.id(), message.parentId(), message.updatedAt(), message.text())));
            session.properties()
                    .list("", 100)
                    .properties()
                    .forEach(property ->
                            lines.add("%s %d %s".formatted(property.name(), property.version(), property.text())));
            session.feed().read(0, 1000).forEach(event -> lines.add(event.toString()));
            holdfast.turns().latest(info.id(), 100).forEach(turn -> lines.add(turn.toString()));
        }
        holdfast.streams()
                .list(StreamListing.all())
                .forEach(stream -> lines.add("%s %s to %d".formatted(stream.name(), stream.state(), stream.tail())));
        lines.add("running: " + holdfast.turns().running());
        return lines;
    }

    /** Readers of all feeds, at their ends, who count how often they are woken. */
    private List<FeedReader> listen(AtomicInteger woken) {
        List<FeedReader> readers = new ArrayList<>();
        for (SessionInfo info : holdfast.sessions().list(100)) {
            FeedReader reader = session(info.id()).feed().open(0);
            assertThat(reader.read(1000)).isNotEmpty();
            reader.onChange(woken::incrementAndGet);
            readers.add(reader);
        }
        return readers;
    }

    private static List<HoldfastException> errors() {
        IOException cause = new IOException("injected");
        return List.of(
                new StoreFailed("injected", cause), new StoreFull("injected", cause), new StoreBusy("injected", cause));
    }

    @Test
    void a_failed_commit_of_any_change_is_told_and_changes_nothing_that_anyone_sees_or_hears() throws Exception {
        populate();
        List<String> before = picture();
        AtomicInteger woken = new AtomicInteger();
        List<FeedReader> readers = listen(woken);

        for (HoldfastException error : errors()) {
            changes().forEach((name, change) -> {
                fault.arm("commit", When.BEFORE, 0, () -> error);
                assertThatThrownBy(change::run).as(name).isInstanceOf(error.getClass());
                fault.disarm();
                assertThat(picture()).as(name).isEqualTo(before);
                assertThat(woken).as(name).hasValue(0);
            });
        }

        readers.forEach(FeedReader::close);
        clock.advance(Duration.ofSeconds(2)); // the room that was kept back for deletions is looked for once a second
        changes().forEach((name, change) -> change.run()); // everything works again by itself
        assertThat(session("chat").count()).isZero();
        assertThat(session("chat").properties().get("kept").orElseThrow().text())
                .isEqualTo("other");
        assertThat(holdfast.sessions().find("doomed")).isEmpty();
        assertThat(holdfast.turns().queue("busy")).isEmpty();
        assertThat(holdfast.turns().start("busy", ask("runs")).await().state()).isEqualTo(TurnState.STOPPED);
        assertThat(holdfast.turns().start("free", ask("starts")).await().state())
                .isEqualTo(TurnState.COMPLETED);
        assertThat(holdfast.turns().start("asks", ask("asks")).await().state()).isEqualTo(TurnState.STOPPED);
    }

    @Test
    void a_change_that_is_committed_wakes_whoever_waits_for_its_feed_and_nobody_else() throws Exception {
        populate();
        AtomicInteger woken = new AtomicInteger();
        List<FeedReader> readers = listen(woken);

        session("free").append(MessageDraft.of("m4", "user", "four"));

        assertThat(woken).hasValue(1);
        readers.forEach(FeedReader::close);
    }
}
