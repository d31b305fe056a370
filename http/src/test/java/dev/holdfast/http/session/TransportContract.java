package dev.holdfast.http.session;

import static dev.holdfast.http.session.Wire.command;
import static dev.holdfast.http.session.Wire.sending;
import static dev.holdfast.http.session.Wire.watching;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.Patience;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.session.Session;
import dev.holdfast.session.SessionCursor;
import dev.holdfast.turn.TurnRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What both transports do alike. */
abstract class TransportContract {

    @TempDir
    private Path folder;

    private Wire wire;

    abstract Line connect(Wire to, @Nullable String device) throws Exception;

    @BeforeEach
    void start() throws Exception {
        wire = Wire.open(folder);
    }

    @AfterEach
    void stop() {
        wire.close();
    }

    private Line connect() throws Exception {
        return connect(wire, null);
    }

    private Line connectAs(String device) throws Exception {
        return connect(wire, device);
    }

    private static ObjectNode reconnecting(@Nullable String... sessionsAndCursors) {
        ObjectNode command = command("reconnect");
        ArrayNode sessions = command.putArray("sessions");
        for (int i = 0; i < sessionsAndCursors.length; i += 2) {
            sessions.addObject().put("session", sessionsAndCursors[i]).put("cursor", sessionsAndCursors[i + 1]);
        }
        return command;
    }

    private static void assertProblem(JsonNode reply, int status, String type) {
        assertThat(reply.get("status").intValue()).isEqualTo(status);
        assertThat(reply.get("problem").get("type").stringValue()).isEqualTo("urn:holdfast:problem:" + type);
    }

    @Test
    void a_message_is_answered_and_every_chunk_comes_before_its_message_and_the_message_before_the_end_M41()
            throws Exception {
        try (Line line = connect()) {
            JsonNode receipt = line.done(sending("s", "m1"));
            assertThat(receipt.get("turn").stringValue()).isEqualTo("m1");
            assertThat(receipt.get("started").booleanValue()).isTrue();
            Applied applied = line.watch("s");
            wire.agent.say("one ");
            wire.agent.say("two");
            wire.agent.end();
            line.follow(applied, "turn-ended");
            assertThat(applied.text("m1")).isEqualTo("one two");
            List<String> kinds = applied.kinds();
            assertThat(kinds.getFirst()).isEqualTo("stream-opened");
            assertThat(kinds.lastIndexOf("chunk")).isLessThan(kinds.indexOf("message-added"));
            assertThat(kinds.indexOf("message-added")).isLessThan(kinds.indexOf("turn-ended"));
            JsonNode message = applied.last("message-added").orElseThrow().get("message");
            assertThat(message.get("content").get("parts").toString()).contains("one two");
        }
    }

    @Test
    void an_observer_learns_of_everything_from_a_snapshot_on() throws Exception {
        Session session = wire.holdfast.sessions().create("s");
        session.append(MessageDraft.of("m0", "user", "{\"id\":\"m0\",\"role\":\"user\",\"parts\":[]}"));
        try (Line line = connect()) {
            line.done(watching("s", null));
            JsonNode attached = line.next("attached");
            assertThat(attached.get("answer").stringValue()).isEqualTo("snapshot");
            assertThat(attached.get("why").stringValue()).isEqualTo("new");
            assertThat(attached.get("snapshot").get("messages").get(0).get("id").stringValue())
                    .isEqualTo("m0");
            assertThat(attached.get("driver").stringValue()).isEqualTo("none");
            Applied applied = new Applied("s");
            applied.frame(attached);
            wire.holdfast.turns().start("s", TurnRequest.of("t1", "default"));
            wire.agent.say("hi");
            wire.agent.end();
            line.follow(applied, "turn-ended");
            assertThat(applied.kinds()).contains("turn-started", "stream-opened", "chunk", "message-added");
            assertThat(applied.last("turn-ended").orElseThrow().get("outcome").stringValue())
                    .isEqualTo("completed");
        }
    }

    @Test
    void a_client_that_comes_back_gets_what_follows_its_cursor_exactly_once_M39_M77() throws Exception {
        Applied applied = new Applied("s");
        try (Line line = connect()) {
            line.done(sending("s", "m1"));
            line.done(watching("s", null));
            wire.agent.say("a");
            while (!applied.text("m1").equals("a")) {
                applied.frame(line.next());
            }
        }
        wire.agent.say("b");
        wire.agent.say("c");
        try (Line line = connect()) {
            line.done(reconnecting("s", applied.cursor()));
            while (!applied.text("m1").equals("abc")) {
                applied.frame(line.next());
            }
            assertThat(applied.snapshots()).isEqualTo(1);
            wire.agent.end();
            line.follow(applied, "turn-ended");
            List<Long> seqs = applied.events().stream()
                    .filter(event -> event.get("kind").stringValue().equals("chunk"))
                    .map(event -> event.get("seq").longValue())
                    .toList();
            assertThat(seqs).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L);
        }
    }

    @Test
    void a_client_that_was_away_over_the_end_gets_the_message_instead_of_the_chunks_M70_M78() throws Exception {
        Applied applied = new Applied("s");
        try (Line line = connect()) {
            line.done(sending("s", "m1"));
            line.done(watching("s", null));
            wire.agent.say("a");
            while (!applied.text("m1").equals("a")) {
                applied.frame(line.next());
            }
        }
        wire.agent.say("b");
        wire.agent.end();
        Patience.await()
                .until(() -> wire.holdfast
                        .turns()
                        .status("s", "m1")
                        .orElseThrow()
                        .state()
                        .isOutcome());
        int had = applied.events().size();
        try (Line line = connect()) {
            line.done(reconnecting("s", applied.cursor()));
            line.follow(applied, "turn-ended");
            List<String> more = applied.kinds().subList(had, applied.kinds().size());
            assertThat(more).containsExactly("message-added", "turn-ended");
            assertThat(applied.last("message-added")
                            .orElseThrow()
                            .get("message")
                            .toString())
                    .contains("\"ab\"");
        }
        try (Line line = connect()) { // and nothing of it again
            line.done(reconnecting("s", applied.cursor()));
            JsonNode attached = line.next("attached");
            assertThat(attached.get("answer").stringValue()).isEqualTo("ok");
            assertThat(attached.get("cursor").stringValue()).isEqualTo(applied.cursor());
            assertThat(attached.get("turns").isEmpty()).isTrue();
        }
    }

    @Test
    void a_cursor_that_does_not_stand_is_answered_with_a_snapshot_that_says_why_M68() throws Exception {
        Session session = wire.holdfast.sessions().create("s");
        SessionCursor now = session.feed().snapshot(0).cursor();
        wire.holdfast.sessions().create("other");
        try (Line line = connect()) {
            line.done(watching("s", now.withFeed(1_000).token()));
            assertThat(line.next("attached").get("why").stringValue()).isEqualTo("ahead");
            line.done(watching("other", now.token()));
            assertThat(line.next("attached").get("why").stringValue()).isEqualTo("other-session");
            JsonNode refused = line.command(watching("s", "garbage"));
            assertProblem(refused, 400, "wrong-cursor");
        }
    }

    @Test
    void a_client_that_was_away_for_longer_than_the_feed_is_kept_is_told_so(@TempDir Path other) throws Exception {
        try (Wire forgetful = Wire.forgetful(other, 10)) {
            Session session = forgetful.holdfast.sessions().create("s");
            String cursor = session.feed().snapshot(0).cursor().token();
            appendAtOnce(session, 3_000);
            try (Line line = connect(forgetful, null)) {
                line.done(watching("s", cursor));
                JsonNode attached = line.next("attached");
                assertThat(attached.get("why").stringValue()).isEqualTo("too-old");
                assertThat(attached.get("snapshot").get("truncated").booleanValue())
                        .isFalse();
            }
        }
    }

    /** By many threads, which share commits. */
    private static void appendAtOnce(Session session, int messages) throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> appends = new ArrayList<>();
            for (int i = 0; i < messages; i++) {
                String id = "m" + i;
                appends.add(threads.submit(() -> session.append(MessageDraft.of(id, "user", "{}"))));
            }
            for (Future<?> append : appends) {
                append.get();
            }
        }
    }

    @Test
    void names_that_no_path_could_name_are_refused_M61() throws Exception {
        try (Line line = connect()) {
            for (String name : List.of("../up", "a/b", "..", "a%2fb", "a;b")) {
                assertProblem(line.command(sending(name, "m1")), 400, "malformed-request");
                assertProblem(line.command(sending("s", name)), 400, "malformed-request");
            }
            assertThat(wire.holdfast.sessions().list(10)).isEmpty();
        }
    }

    @Test
    void sessions_that_cannot_be_watched_do_not_fail_the_others_M40() throws Exception {
        wire.holdfast.sessions().create("here");
        try (Line line = connect()) {
            JsonNode result = line.done(reconnecting("gone", null, "here", null));
            assertThat(result.get("sessions").get(0).get("attached").booleanValue())
                    .isFalse();
            assertThat(result.get("sessions")
                            .get(0)
                            .get("problem")
                            .get("status")
                            .intValue())
                    .isEqualTo(404);
            assertThat(result.get("sessions").get(1).get("attached").booleanValue())
                    .isTrue();
            assertThat(line.next("attached").get("session").stringValue()).isEqualTo("here");
        }
    }

    @Test
    void a_deleted_session_is_detached_and_others_go_on() throws Exception {
        wire.holdfast.sessions().create("doomed");
        Session stays = wire.holdfast.sessions().create("stays");
        try (Line line = connect()) {
            line.done(reconnecting("doomed", null, "stays", null));
            line.next("attached");
            line.next("attached");
            wire.holdfast.sessions().delete("doomed");
            JsonNode detached = line.next("detached");
            assertThat(detached.get("session").stringValue()).isEqualTo("doomed");
            assertThat(detached.get("reason").stringValue()).isEqualTo("deleted");
            stays.append(MessageDraft.of("m", "user", "{}"));
            assertThat(line.next("events").get("session").stringValue()).isEqualTo("stays");
        }
    }

    @Test
    void watching_and_unwatching_are_answered_and_bound_what_comes_M50_M65() throws Exception {
        Session session = wire.holdfast.sessions().create("s");
        try (Line line = connect()) {
            assertThat(line.done(watching("s", null)).get("attached").booleanValue())
                    .isTrue();
            line.next("attached");
            line.done(command("unwatch").put("session", "s"));
            assertThat(line.next("detached").get("reason").stringValue()).isEqualTo("unwatched");
            session.append(MessageDraft.of("m", "user", "{}"));
            line.done(command("probe").put("nonce", "n1"));
            assertThat(Line.type(line.next())).isEqualTo("probe"); // and no events before it
        }
        Patience.await()
                .untilAsserted(
                        () -> assertThat(wire.transport.watchedSessions()).isZero());
    }

    @Test
    void watching_again_begins_anew_at_the_cursor_given() throws Exception {
        Session session = wire.holdfast.sessions().create("s");
        String start = session.feed().snapshot(0).cursor().token();
        session.append(MessageDraft.of("m", "user", "{}"));
        try (Line line = connect()) {
            line.done(watching("s", null));
            line.next("attached");
            line.done(watching("s", start));
            assertThat(line.next("attached").get("answer").stringValue()).isEqualTo("ok");
            JsonNode events = line.next("events");
            assertThat(events.get("from").stringValue()).isEqualTo(start);
        }
    }

    @Test
    void the_session_in_the_foreground_takes_the_place_of_the_one_before_M51() throws Exception {
        wire.holdfast.sessions().create("a");
        wire.holdfast.sessions().create("b");
        try (Line line = connect()) {
            line.done(command("switch").put("session", "a"));
            assertThat(line.next("attached").get("session").stringValue()).isEqualTo("a");
            line.done(command("switch").put("session", "a"));
            assertProblem(line.command(command("switch").put("session", "nowhere")), 404, "session-not-found");
            line.done(command("switch").put("session", "b"));
            List<JsonNode> both = line.until(message -> Line.type(message).equals("detached"));
            assertThat(both).extracting(Line::type).containsExactly("attached", "detached");
            assertThat(both.getFirst().get("session").stringValue()).isEqualTo("b");
            assertThat(both.getLast().get("session").stringValue()).isEqualTo("a");
            line.done(command("switch").putNull("session"));
            assertThat(line.next("detached").get("session").stringValue()).isEqualTo("b");
        }
    }

    @Test
    void a_message_that_is_sent_again_has_the_same_receipt_and_a_changed_one_is_a_conflict_M60() throws Exception {
        try (Line line = connect()) {
            JsonNode first = line.done(sending("s", "m1"));
            JsonNode again = line.done(sending("s", "m1"));
            assertThat(again.get("started").booleanValue()).isFalse();
            assertThat(again.get("messageId")).isEqualTo(first.get("messageId"));
            ObjectNode changed = sending("s", "m1");
            ((ObjectNode) changed.get("turn").get("message")).put("text", "Other");
            assertProblem(line.command(changed), 409, "turn-conflict");
            wire.agent.end();
            Patience.await()
                    .until(() -> wire.holdfast
                            .turns()
                            .status("s", "m1")
                            .orElseThrow()
                            .state()
                            .isOutcome());
            JsonNode after = line.done(sending("s", "m1"));
            assertThat(after.get("state").stringValue()).isEqualTo("completed");
            assertThat(wire.holdfast.turns().latest("s", 10)).hasSize(1);
        }
    }

    @Test
    void a_message_without_a_session_makes_one_that_a_retry_finds() throws Exception {
        ObjectNode send = sending("s", "m1");
        send.remove("session");
        send.remove("create");
        try (Line line = connect()) {
            String made = line.done(send).get("session").stringValue();
            JsonNode again = line.done(send);
            assertThat(again.get("session").stringValue()).isEqualTo(made);
            assertThat(again.get("started").booleanValue()).isFalse();
            ObjectNode strict = sending("nowhere", "m2");
            strict.remove("create");
            assertProblem(line.command(strict), 404, "session-not-found");
        }
    }

    @Test
    void two_messages_at_once_are_answered_one_after_the_other_M54() throws Exception {
        try (Line one = connect();
                Line two = connect()) {
            one.done(sending("s", "m1"));
            assertThat(two.done(sending("s", "m2")).get("state").stringValue()).isEqualTo("accepted");
            Applied applied = one.watch("s");
            wire.agent.end();
            one.follow(applied, "turn-ended");
            wire.agent.end();
            while (!applied.last("turn-ended")
                    .orElseThrow()
                    .get("turn")
                    .stringValue()
                    .equals("m2")) {
                applied.frame(one.next());
            }
        }
    }

    @Test
    void an_interrupt_stops_what_ran_and_nothing_else_however_often_it_is_sent_M56() throws Exception {
        try (Line line = connect()) {
            line.done(sending("s", "m1"));
            ObjectNode interrupt = sending("s", "m2").put("type", "interrupt");
            line.done(interrupt);
            line.done(interrupt);
            Patience.await()
                    .until(() -> wire.holdfast
                            .turns()
                            .status("s", "m1")
                            .orElseThrow()
                            .state()
                            .isOutcome());
            assertThat(wire.holdfast.turns().status("s", "m1").orElseThrow().state())
                    .hasToString("STOPPED");
            line.done(interrupt);
            wire.agent.end();
            Patience.await()
                    .until(() -> wire.holdfast
                            .turns()
                            .status("s", "m2")
                            .orElseThrow()
                            .state()
                            .isOutcome());
            assertThat(wire.holdfast.turns().status("s", "m2").orElseThrow().state())
                    .hasToString("COMPLETED");
        }
    }

    @Test
    void an_interrupt_of_a_session_that_nobody_knows_changes_nothing_M55() throws Exception {
        try (Line line = connect()) {
            ObjectNode interrupt = sending("nowhere", "m1").put("type", "interrupt");
            interrupt.remove("create");
            assertProblem(line.command(interrupt), 404, "session-not-found");
            assertThat(wire.transport.watchedSessions()).isZero();
        }
    }

    @Test
    void a_stop_ends_the_turn_that_runs_and_observers_learn_of_it_M57() throws Exception {
        try (Line line = connect();
                Line observer = connect()) {
            line.done(sending("s", "m1"));
            Applied applied = observer.watch("s");
            JsonNode stopped = line.done(command("stop").put("session", "s").put("reason", "enough"));
            assertThat(stopped.get("accepted").booleanValue()).isTrue();
            assertThat(stopped.get("turn").stringValue()).isEqualTo("m1");
            observer.follow(applied, "turn-ended");
            JsonNode ended = applied.last("turn-ended").orElseThrow();
            assertThat(ended.get("outcome").stringValue()).isEqualTo("stopped");
            assertThat(ended.get("reason").stringValue()).isEqualTo("enough");
            assertThat(applied.kinds()).contains("turn-stopping");
            JsonNode nothing = line.done(command("stop").put("session", "s"));
            assertThat(nothing.get("accepted").booleanValue()).isFalse();
        }
    }

    @Test
    void what_waits_for_a_decision_is_shown_with_every_attach_and_decided_from_any_device() throws Exception {
        try (Line line = connect()) {
            ObjectNode send = sending("s", "m1");
            ((ObjectNode) send.get("turn")).put("agent", "asking");
            wire.holdfast.sessions().create("s");
            Applied applied = line.watch("s");
            line.done(send);
            line.follow(applied, "turn-awaiting");
            JsonNode pending = applied.last("turn-awaiting").orElseThrow().get("pending");
            assertThat(pending.get(0).get("toolName").stringValue()).isEqualTo("delete");
            assertThat(pending.get(0).get("approval").booleanValue()).isTrue();
        }
        try (Line other = connect()) {
            other.done(watching("s", null));
            JsonNode attached = other.next("attached");
            JsonNode call = attached.get("turns").get(0).get("pending").get(0);
            assertThat(call.get("toolCallId").stringValue()).isEqualTo("c1");
            ObjectNode answer = command("answer").put("session", "s").put("turn", "m1");
            answer.putObject("answer").put("toolCallId", "c1").put("approved", true);
            assertThat(other.done(answer).get("effect").stringValue()).isEqualTo("applied");
            assertThat(other.done(answer).get("effect").stringValue()).isEqualTo("repeated");
            ((ObjectNode) answer.get("answer")).put("approved", false);
            assertProblem(other.command(answer), 409, "answer-conflict");
            Applied applied = new Applied("s");
            applied.frame(attached);
            other.follow(applied, "turn-ended");
            assertThat(applied.text("m1")).isEqualTo("done");
        }
    }

    @Test
    void the_mode_is_kept_and_told() throws Exception {
        wire.holdfast.sessions().create("s");
        try (Line line = connect()) {
            Applied applied = line.watch("s");
            line.done(command("mode").put("session", "s").put("mode", "ask"));
            line.follow(applied, "mode-changed");
            assertThat(applied.last("mode-changed").orElseThrow().get("mode").stringValue())
                    .isEqualTo("ask");
            line.done(watching("s", null));
            assertThat(line.next("attached").get("mode").stringValue()).isEqualTo("ask");
            assertProblem(
                    line.command(command("mode").put("session", "s").put("mode", "x".repeat(65))),
                    400,
                    "malformed-request");
        }
    }

    @Test
    void while_a_page_is_hidden_nothing_comes_and_then_all_of_it_M47_M58() throws Exception {
        Session session = wire.holdfast.sessions().create("s");
        try (Line line = connect()) {
            line.done(watching("s", null));
            line.next("attached");
            line.done(command("suspend"));
            line.done(command("suspend")); // as browsers tell it twice
            session.append(MessageDraft.of("m", "user", "{}"));
            line.done(command("probe").put("nonce", "n"));
            assertThat(Line.type(line.next())).isEqualTo("probe");
            line.done(command("resume"));
            assertThat(Line.type(line.next())).isEqualTo("events");
        }
    }

    @Test
    void the_driver_is_who_sent_last_and_the_one_before_is_told_M52() throws Exception {
        try (Line phone = connectAs("phone");
                Line desk = connectAs("desk")) {
            phone.done(sending("s", "m1"));
            phone.done(watching("s", null));
            assertThat(phone.next("attached").get("driver").stringValue()).isEqualTo("you");
            desk.done(watching("s", null));
            assertThat(desk.next("attached").get("driver").stringValue()).isEqualTo("other");
            desk.done(sending("s", "m2"));
            JsonNode displaced = phone.next("driver");
            assertThat(displaced.get("driver").stringValue()).isEqualTo("other");
            assertThat(displaced.get("displaced").booleanValue()).isTrue();
            assertThat(desk.next("driver").get("driver").stringValue()).isEqualTo("you");
        }
    }

    @Test
    void who_comes_back_gets_the_seat_if_its_driver_is_gone_and_who_only_watches_does_not_M43_M44_M45()
            throws Exception {
        try (Line desk = connectAs("desk")) {
            try (Line phone = connectAs("phone")) {
                phone.done(sending("s", "m1"));
                desk.done(reconnecting("s", null));
                assertThat(desk.next("attached").get("driver").stringValue()).isEqualTo("other"); // its driver is there
            }
            assertThat(desk.next("driver").get("driver").stringValue()).isEqualTo("none");
            desk.done(watching("s", null));
            assertThat(desk.next("attached").get("driver").stringValue()).isEqualTo("none");
            desk.done(reconnecting("s", null));
            assertThat(desk.next("attached").get("driver").stringValue()).isEqualTo("you");
        }
    }

    @Test
    void a_device_that_reconnects_takes_its_seat_from_its_own_stale_connection() throws Exception {
        try (Line stale = connectAs("phone");
                Line fresh = connectAs("phone")) {
            stale.done(sending("s", "m1"));
            fresh.done(reconnecting("s", null));
            assertThat(fresh.next("attached").get("driver").stringValue()).isEqualTo("you");
            stale.vanish(); // late, and it changes nothing
            Patience.await()
                    .untilAsserted(
                            () -> assertThat(wire.transport.connections()).isEqualTo(1));
            fresh.done(watching("s", null));
            assertThat(fresh.next("attached").get("driver").stringValue()).isEqualTo("you");
        }
    }

    @Test
    void its_driver_closes_a_session_and_nobody_drives_it_until_someone_sends_M46_M53_M59() throws Exception {
        try (Line phone = connectAs("phone");
                Line desk = connectAs("desk")) {
            phone.done(sending("s", "m1"));
            JsonNode refused = desk.done(command("close").put("session", "s"));
            assertThat(refused.get("accepted").booleanValue()).isFalse();
            Applied applied = desk.watch("s");
            assertThat(phone.done(command("close").put("session", "s").put("reason", "bedtime"))
                            .get("accepted")
                            .booleanValue())
                    .isTrue();
            desk.follow(applied, "turn-ended");
            assertThat(applied.last("session-closed")
                            .orElseThrow()
                            .get("reason")
                            .stringValue())
                    .isEqualTo("bedtime");
            phone.done(reconnecting("s", null));
            JsonNode attached = phone.next("attached");
            assertThat(attached.get("closed").booleanValue()).isTrue();
            assertThat(attached.get("driver").stringValue()).isEqualTo("none");
            desk.done(sending("s", "m2"));
            desk.follow(applied, "session-reopened");
        }
    }

    @Test
    void what_the_host_keeps_for_clients_comes_with_the_attach_M48() throws Exception {
        wire.holdfast.sessions().create("s");
        wire.holdfast.sessions().create("bad").properties().put("live.boot", "{not json");
        wire.holdfast.sessions().get("s").properties().put("live.boot", "{\"title\":\"Hi\"}");
        try (Line line = connect()) {
            line.done(watching("s", null));
            assertThat(line.next("attached").get("boot").get("title").stringValue())
                    .isEqualTo("Hi");
            line.done(watching("bad", null));
            assertThat(line.next("attached").has("boot")).isFalse();
        }
    }

    @Test
    void who_says_goodbye_is_told_not_to_come_back() throws Exception {
        try (Line line = connect()) {
            line.done(command("bye"));
            assertThat(line.next("goodbye").get("reason").stringValue()).isEqualTo("left");
        }
    }

    @Test
    void a_malformed_command_is_refused_in_words_and_the_connection_lives_M64() throws Exception {
        try (Line line = connect()) {
            assertProblem(line.command(command("dance")), 400, "malformed-request");
            assertProblem(line.command(command("watch")), 400, "malformed-request");
            assertProblem(
                    line.command(command("watch").put("session", "s").put("curser", "x")), 400, "malformed-request");
            assertProblem(line.command(command("reconnect").put("sessions", "s")), 400, "malformed-request");
            assertProblem(line.command(command("send").put("turn", 1)), 400, "malformed-request");
            assertProblem(line.command(command("probe")), 400, "malformed-request");
            line.done(command("probe").put("nonce", "alive"));
            assertThat(line.next("probe").get("nonce").stringValue()).isEqualTo("alive");
        }
    }

    @Test
    void a_connection_watches_so_many_sessions_and_no_more() throws Exception {
        for (int i = 0; i <= TransportLimits.MAX_WATCHED; i++) {
            wire.holdfast.sessions().create("s" + i);
        }
        try (Line line = connect()) {
            for (int i = 0; i < TransportLimits.MAX_WATCHED; i++) {
                line.done(watching("s" + i, null));
                line.next("attached"); // or nobody takes them
            }
            assertProblem(line.command(watching("s" + TransportLimits.MAX_WATCHED, null)), 413, "limit-exceeded");
            line.done(watching("s0", null));
        }
    }

    @Test
    void a_long_turn_comes_merged_to_a_client_without_a_cursor_and_exactly_to_one_with_a_cursor() throws Exception {
        try (Line line = connect()) {
            line.done(sending("s", "m1"));
            Applied early = line.watch("s");
            for (int i = 0; i < 500; i++) {
                wire.agent.say("word ");
            }
            while (early.text("m1").length() < 2_500) {
                early.frame(line.next());
            }
            assertThat(early.events().stream().filter(event -> event.has("data")))
                    .hasSize(502);
            Applied late = line.watch("s");
            while (late.text("m1").length() < 2_500) {
                late.frame(line.next());
            }
            assertThat(late.events().size()).isLessThan(20);
            wire.agent.say("end");
            wire.agent.end();
            line.follow(late, "turn-ended");
            assertThat(late.text("m1")).isEqualTo("word ".repeat(500) + "end");
        }
    }

    @Test
    void what_an_agent_emits_that_is_no_json_breaks_no_frame() throws Exception {
        try (Line line = connect()) {
            line.done(sending("s", "m1"));
            Applied applied = line.watch("s");
            wire.agent.emit("{\"type\":\n\"data-x\",\n\"data\":1}");
            wire.agent.emit("\uFEFF{\"type\":\"data-y\",\"data\":1}"); // begins with a byte order mark
            wire.agent.say("x");
            while (!applied.text("m1").equals("x")) {
                applied.frame(line.next());
            }
            assertThat(applied.events().toString()).contains("data-x");
        }
    }
}
