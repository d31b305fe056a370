package dev.holdfast.http.session;

import static dev.holdfast.http.session.Wire.command;
import static dev.holdfast.http.session.Wire.sending;
import static dev.holdfast.http.session.Wire.watching;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What a client asks for: turns, once each, their stops and answers, and words for what is malformed; over both transports. */
@ParameterizedClass
@EnumSource
final class SendingTest extends BothTransports {

    SendingTest(Way way) {
        super(way);
    }

    @Test
    void names_that_no_path_could_name_are_refused_M61() throws Exception {
        try (Line line = connect()) {
            for (String name : List.of("../up", "a/b", "..", "a%2fb", "a;b")) {
                assertProblem(line.command(sending(name, "m1")), 400, "malformed-request");
                assertProblem(line.command(sending("s", name)), 400, "malformed-request");
            }
            assertThat(wire.there.sessions()).isZero();
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
            wire.there.end();
            wire.there.awaitOutcome("s", "m1");
            JsonNode after = line.done(sending("s", "m1"));
            assertThat(after.get("state").stringValue()).isEqualTo("completed");
            assertThat(wire.there.turns("s")).isEqualTo(1);
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
            wire.there.end();
            one.follow(applied, "turn-ended");
            wire.there.end();
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
            assertThat(wire.there.awaitOutcome("s", "m1")).isEqualTo("STOPPED");
            line.done(interrupt);
            wire.there.end();
            assertThat(wire.there.awaitOutcome("s", "m2")).isEqualTo("COMPLETED");
        }
    }

    @Test
    void an_interrupt_of_a_session_that_nobody_knows_changes_nothing_M55() throws Exception {
        try (Line line = connect()) {
            ObjectNode interrupt = sending("nowhere", "m1").put("type", "interrupt");
            interrupt.remove("create");
            assertProblem(line.command(interrupt), 404, "session-not-found");
            assertThat(wire.there.watchedSessions()).isZero();
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
            wire.there.create("s");
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
            // in its chunks, or in its message if the turn was over before they were read
            assertThat(applied.events().toString()).contains("done");
        }
    }

    @Test
    void the_mode_is_kept_and_told() throws Exception {
        wire.there.create("s");
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
}
