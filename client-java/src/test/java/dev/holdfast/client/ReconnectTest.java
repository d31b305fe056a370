package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.client.ScriptedTransport.Line;
import dev.holdfast.client.message.ClientMessage;
import dev.holdfast.client.message.ClientMessage.Position;
import dev.holdfast.client.message.ServerMessage;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a client asks for on each welcome, and what becomes of the answer. */
final class ReconnectTest {

    private final Rig rig = new Rig();
    private final Seen seen = new Seen();

    @Test
    void a_welcome_is_answered_by_a_reconnect_with_exactly_what_is_watched_M7() {
        rig.connected("one");
        rig.client.watch("a", "a1", seen);
        rig.line().last().answer(200, "{'attached':true}");
        rig.client.watch("b", null, new Seen());
        rig.line().last().answer(200, "{'attached':true}");
        rig.line().lose();
        Line second = rig.comeBack();
        second.welcome("two");
        assertThat(second.commands(ClientMessage.Reconnect.class).getFirst().sessions())
                .containsExactly(new Position("a", "a1"), new Position("b", null));
        assertThat(second.sent).hasSize(1);
    }

    @Test
    void the_first_welcome_too_reconnects_what_is_watched_by_then_M8() {
        rig.client.watch("a", null, seen);
        rig.client.connect();
        assertThat(rig.line().sent).isEmpty();
        rig.line().welcome("one");
        assertThat(rig.line().commands(ClientMessage.Reconnect.class).getFirst().sessions())
                .containsExactly(new Position("a", null));
    }

    @Test
    void with_nothing_watched_there_is_nothing_to_send_M9() {
        rig.client.connect();
        rig.line().welcome("one");
        assertThat(rig.line().sent).isEmpty();
        assertThat(rig.isConnected()).isTrue();
    }

    @Test
    void not_connected_while_the_reconnect_is_under_way_M10() {
        rig.client.watch("a", null, seen);
        rig.client.connect();
        rig.line().welcome("one");
        assertThat(rig.client.state()).isEqualTo(new ClientState.Syncing("one"));
        rig.line().last().answer(200, Rig.ALL_ATTACHED);
        assertThat(rig.isConnected()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 401, 403, 404, 413, 429, 500, 503})
    void a_reconnect_that_is_no_success_is_a_failure_M12(int status) {
        rig.client.watch("a", "a1", seen);
        rig.client.connect();
        rig.line().welcome("one");
        rig.line().last().refuse(status, "whatever");
        assertThat(rig.client.state()).isInstanceOf(ClientState.Waiting.class);
        assertThat(rig.states).noneMatch(ClientState.Connected.class::isInstance);
        assertThat(rig.line().closed).isTrue();
    }

    @Test
    void a_reconnect_without_an_answer_is_a_failure_M13() {
        rig.client.watch("a", "a1", seen);
        rig.client.connect();
        rig.line().welcome("one");
        rig.line().last().fail();
        assertThat(rig.client.state()).isInstanceOf(ClientState.Waiting.class);
        Line second = rig.comeBack();
        second.welcome("two");
        second.say(new ServerMessage.Heartbeat());
        rig.pass(Duration.ofSeconds(14));
        assertThat(rig.client.state()).isEqualTo(new ClientState.Syncing("two"));
        rig.pass(Duration.ofSeconds(1));
        assertThat(rig.client.state()).isInstanceOf(ClientState.Waiting.class);
    }

    @Test
    void the_next_welcome_recovers_M14() {
        rig.client.watch("a", "a1", seen);
        rig.client.connect();
        rig.line().welcome("one");
        rig.line().last().refuse(500, "internal-error");
        Line second = rig.comeBack();
        second.welcome("two");
        assertThat(second.commands(ClientMessage.Reconnect.class)).hasSize(1);
        second.last().answer(200, Rig.ALL_ATTACHED);
        assertThat(rig.isConnected()).isTrue();
    }

    @Test
    void a_retry_names_the_cursors_of_then_M16() {
        rig.client.watch("a", "a1", seen);
        rig.client.connect();
        Line first = rig.line();
        first.welcome("one");
        first.attachOk("a", "a1");
        first.event("a", "a1", "a2");
        first.last().refuse(500, "internal-error");
        Line second = rig.comeBack();
        second.welcome("two");
        assertThat(second.commands(ClientMessage.Reconnect.class).getFirst().sessions())
                .containsExactly(new Position("a", "a2"));
    }

    @Test
    void a_retry_leaves_out_what_is_watched_no_more_M17() {
        Watch gone = rig.client.watch("a", "a1", seen);
        rig.client.watch("b", "b1", new Seen());
        rig.client.connect();
        rig.line().welcome("one");
        gone.unwatch();
        rig.line().last().refuse(500, "internal-error");
        Line second = rig.comeBack();
        second.welcome("two");
        assertThat(second.commands(ClientMessage.Reconnect.class).getFirst().sessions())
                .containsExactly(new Position("b", "b1"));
    }

    @Test
    void a_retry_with_nothing_left_sends_nothing_M18() {
        Watch gone = rig.client.watch("a", "a1", seen);
        rig.client.connect();
        rig.line().welcome("one");
        gone.unwatch();
        rig.line().last().refuse(500, "internal-error");
        Line second = rig.comeBack();
        second.welcome("two");
        assertThat(second.sent).isEmpty();
        assertThat(rig.isConnected()).isTrue();
    }

    @Test
    void after_a_close_with_the_reconnect_under_way_nothing_fires_M19() {
        rig.client.watch("a", "a1", seen);
        rig.client.connect();
        Line line = rig.line();
        line.welcome("one");
        int told = rig.states.size();
        rig.client.close();
        line.last().answer(200, Rig.ALL_ATTACHED);
        line.attachOk("a", "a1");
        line.event("a", "a1", "a2");
        line.lose();
        line.welcome("again");
        rig.pass(Duration.ofMinutes(10));
        assertThat(seen.calls).isZero();
        assertThat(seen.ends).isEmpty();
        assertThat(rig.states).hasSize(told);
        assertThat(line.sent).hasSize(1);
        assertThat(rig.transport.lines).hasSize(1);
        assertThat(rig.transport.closed).isTrue();
        assertThat(rig.timers.size()).isZero();
        assertThat(rig.client.state()).isEqualTo(new ClientState.Closed());
    }

    @Test
    void of_two_welcomes_the_answer_to_the_first_reconnect_is_ignored_M20() {
        rig.client.watch("a", "a1", seen);
        rig.client.connect();
        Line line = rig.line();
        line.welcome("one");
        line.welcome("two");
        line.sent.get(0).answer(200, Rig.ALL_ATTACHED);
        assertThat(rig.client.state()).isEqualTo(new ClientState.Syncing("two"));
        line.sent.get(1).answer(200, Rig.ALL_ATTACHED);
        assertThat(rig.client.state()).isEqualTo(new ClientState.Connected("two"));
        assertThat(line.sent).hasSize(2);
    }

    @Test
    void a_failure_of_the_first_of_two_welcomes_is_ignored_too_M20() {
        rig.client.watch("a", "a1", seen);
        rig.client.connect();
        Line line = rig.line();
        line.welcome("one");
        line.welcome("two");
        line.sent.get(0).fail();
        assertThat(rig.client.state()).isEqualTo(new ClientState.Syncing("two"));
        assertThat(line.closed).isFalse();
    }

    @Test
    void a_reopening_makes_the_reconnect_under_way_inert_M21() {
        rig.client.watch("a", "a1", seen);
        rig.client.connect();
        Line first = rig.line();
        first.welcome("one");
        rig.client.reopen();
        assertThat(first.closed).isTrue();
        first.last().answer(200, Rig.ALL_ATTACHED);
        first.attachOk("a", "a1");
        assertThat(rig.client.state()).isEqualTo(new ClientState.Opening());
        assertThat(seen.calls).isZero();
        Line second = rig.line();
        second.welcome("two");
        second.last().answer(200, Rig.ALL_ATTACHED);
        assertThat(rig.client.state()).isEqualTo(new ClientState.Connected("two"));
    }
}
