package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.client.ScriptedTransport.Line;
import dev.holdfast.client.message.ClientMessage;
import dev.holdfast.client.message.ServerMessage;
import dev.holdfast.client.transport.Loss;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When a client is connected, what it does first, and how it comes back. */
final class ConnectionTest {

    private final Rig rig = new Rig();
    private final Seen seen = new Seen();

    @Test
    void not_connected_until_welcome_M1() {
        assertThat(rig.client.state()).isEqualTo(new ClientState.Idle());
        rig.client.connect();
        assertThat(rig.line().opened).isTrue();
        assertThat(rig.client.state()).isEqualTo(new ClientState.Opening());
        rig.line().say(new ServerMessage.Heartbeat());
        assertThat(rig.isConnected()).isFalse();
    }

    @Test
    void the_welcome_names_the_connection_M2() {
        rig.connected("conn-7");
        assertThat(rig.client.state()).isEqualTo(new ClientState.Connected("conn-7"));
    }

    @Test
    void a_loss_is_told_and_the_client_comes_back_M6() {
        Line first = rig.connected("one");
        first.lose();
        assertThat(rig.client.state()).isInstanceOf(ClientState.Waiting.class);
        assertThat(first.closed).isTrue();
        rig.comeBack().welcome("two");
        assertThat(rig.states.stream().map(Object::getClass).toList())
                .isEqualTo(List.of(
                        ClientState.Opening.class,
                        ClientState.Connected.class,
                        ClientState.Waiting.class,
                        ClientState.Opening.class,
                        ClientState.Connected.class));
    }

    @Test
    void what_was_never_connected_is_never_told_as_connected_M24() {
        rig.client.connect();
        for (int i = 0; i < 3; i++) {
            rig.line().lose();
            rig.comeBack();
        }
        assertThat(rig.states).noneMatch(ClientState.Connected.class::isInstance);
    }

    @Test
    void a_probe_that_is_answered_keeps_the_connection_M25() {
        Line line = rig.connected("one");
        var alive = rig.client.probe();
        assertThat(rig.client.probe()).isSameAs(alive);
        String nonce = line.commands(ClientMessage.Probe.class).getFirst().nonce();
        line.say(new ServerMessage.Probe("an older one"));
        assertThat(alive).isNotDone();
        line.say(new ServerMessage.Probe(nonce));
        assertThat(alive).isCompletedWithValue(true);
        rig.pass(Duration.ofSeconds(2));
        assertThat(rig.isConnected()).isTrue();
        assertThat(rig.transport.lines).hasSize(1);
    }

    @Test
    void a_probe_without_an_answer_replaces_the_connection_at_once() {
        Line line = rig.connected("one");
        var alive = rig.client.probe();
        rig.pass(Duration.ofMillis(999));
        assertThat(alive).isNotDone();
        rig.pass(Duration.ofMillis(1));
        assertThat(alive).isCompletedWithValue(false);
        assertThat(line.closed).isTrue();
        assertThat(rig.line().opened).isTrue();
        assertThat(rig.client.state()).isEqualTo(new ClientState.Opening());
    }

    @Test
    void a_probe_ends_a_pause() {
        rig.connected("one").lose();
        assertThat(rig.client.probe()).isCompletedWithValue(false);
        assertThat(rig.client.state()).isEqualTo(new ClientState.Opening());
        rig.pass(Duration.ofSeconds(11));
        assertThat(rig.transport.lines)
                .as("and the pause that was ended opens no other")
                .hasSize(2);
    }

    @Test
    void after_many_failures_a_success_M27() {
        rig.client.watch("a", "a1", seen);
        rig.client.connect();
        for (int i = 0; i < 20; i++) {
            rig.line().welcome("conn-" + i);
            rig.line().last().refuse(503, "overloaded");
            rig.comeBack();
        }
        rig.line().welcome("last");
        rig.line().last().answer(200, Rig.ALL_ATTACHED);
        assertThat(rig.client.state()).isEqualTo(new ClientState.Connected("last"));
        assertThat(rig.line().sent).hasSize(1);
    }

    @Test
    void pauses_double_from_half_a_second_to_ten_with_jitter_and_begin_anew_after_progress() {
        rig.client.connect();
        List<long[]> bounds = List.of(
                new long[] {500, 1000},
                new long[] {1000, 2000},
                new long[] {2000, 4000},
                new long[] {4000, 8000},
                new long[] {5000, 10_000},
                new long[] {5000, 10_000},
                new long[] {5000, 10_000});
        for (long[] each : bounds) {
            rig.line().lose();
            assertThat(pause().toMillis()).isBetween(each[0], each[1]);
            rig.comeBack();
        }
        rig.line().welcome("one");
        rig.line().say(new ServerMessage.Heartbeat());
        rig.line().lose();
        assertThat(pause().toMillis()).isBetween(500L, 1000L);
    }

    private Duration pause() {
        return ((ClientState.Waiting) rig.client.state()).pause();
    }

    @Test
    void a_late_end_of_an_old_connection_is_ignored_M36() {
        Line first = rig.connected("one");
        rig.client.reopen();
        Line second = rig.line();
        second.welcome("two");
        first.lose();
        first.refuse(401, null);
        first.say(new ServerMessage.Goodbye(ServerMessage.Goodbye.GoodbyeReason.LEFT));
        assertThat(rig.client.state()).isEqualTo(new ClientState.Connected("two"));
        assertThat(second.closed).isFalse();
    }

    @Test
    void silence_of_two_heartbeats_is_a_loss() {
        Line line = rig.connected("one");
        rig.pass(Duration.ofSeconds(29));
        line.say(new ServerMessage.Heartbeat());
        rig.pass(Duration.ofSeconds(29));
        assertThat(rig.isConnected()).isTrue();
        rig.pass(Duration.ofSeconds(1));
        assertThat(rig.client.state()).isInstanceOf(ClientState.Waiting.class);
        assertThat(line.closed).isTrue();
    }

    @Test
    void a_listener_that_takes_long_is_no_silence() {
        Line line = rig.connected("one");
        rig.client.watch("a", null, new SessionListener() {
            @Override
            public void attached(ServerMessage.Attached attached) {
                rig.pass(Duration.ofMinutes(5));
            }

            @Override
            public void events(List<dev.holdfast.client.message.SessionEvent> events, String cursor) {}
        });
        line.last().answer(200, "{'attached':true}");
        line.attachSnapshot("a", "a1");
        assertThat(rig.isConnected()).isTrue();
    }

    @Test
    void a_server_without_heartbeats_may_be_silent() {
        rig.client.connect();
        rig.line().say(new ServerMessage.Welcome(1, "one", 0, 2000, 0));
        rig.pass(Duration.ofHours(1));
        assertThat(rig.isConnected()).isTrue();
        assertThat(rig.timers.size()).as("and nothing is due").isZero();
    }

    @Test
    void an_opening_without_a_welcome_is_given_up() {
        rig.client.connect();
        rig.pass(Connector.OPEN_LIMIT);
        assertThat(rig.line().closed).isTrue();
        assertThat(rig.client.state()).isInstanceOf(ClientState.Waiting.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ROTATION", "DRAINING"})
    void a_rotation_is_followed_after_the_pause_that_the_server_asks_for(String reason) {
        Line line = rig.connected("one");
        line.say(new ServerMessage.Rotate(ServerMessage.Rotate.RotateReason.valueOf(reason), 3000));
        assertThat(line.closed).isTrue();
        assertThat(pause().toMillis()).isBetween(3000L, 4500L);
        rig.comeBack().welcome("two");
        assertThat(rig.client.state()).isEqualTo(new ClientState.Connected("two"));
    }

    @Test
    void a_server_that_only_rotates_is_not_asked_without_pause() {
        rig.connected("one").say(new ServerMessage.Rotate(ServerMessage.Rotate.RotateReason.ROTATION, 0));
        assertThat(pause()).isZero();
        rig.pass(Duration.ZERO);
        rig.line().welcome("two");
        rig.line().say(new ServerMessage.Rotate(ServerMessage.Rotate.RotateReason.ROTATION, 0));
        assertThat(pause().toMillis()).isGreaterThanOrEqualTo(500);
    }

    @Test
    void a_goodbye_is_the_end_until_someone_asks() {
        Line line = rig.connected("one");
        line.say(new ServerMessage.Goodbye(ServerMessage.Goodbye.GoodbyeReason.LEFT));
        assertThat(rig.client.state())
                .isEqualTo(new ClientState.Ended(ClientState.Reason.LEFT, "The server said goodbye."));
        line.lose();
        rig.pass(Duration.ofHours(1));
        assertThat(rig.transport.lines).hasSize(1);
        rig.client.connect();
        rig.line().welcome("two");
        assertThat(rig.isConnected()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 401, 403, 404, 405, 302})
    void a_refusal_to_open_is_the_end(int status) {
        rig.client.connect();
        rig.line().refuse(status, null);
        assertThat(rig.client.state()).isInstanceOfSatisfying(ClientState.Ended.class, ended -> {
            assertThat(ended.reason())
                    .isEqualTo(
                            status == 401 || status == 403
                                    ? ClientState.Reason.UNAUTHORIZED
                                    : ClientState.Reason.REFUSED);
            assertThat(ended.why()).contains("" + status);
        });
        rig.pass(Duration.ofHours(1));
        assertThat(rig.transport.lines).hasSize(1);
    }

    @Test
    void what_is_no_server_is_the_end() {
        rig.client.connect();
        rig.line().lose(new Loss.NoSuchServer("That is a printer."));
        assertThat(rig.client.state())
                .isEqualTo(new ClientState.Ended(ClientState.Reason.NO_SERVER, "That is a printer."));
    }

    @Test
    void another_protocol_is_the_end() {
        rig.client.connect();
        rig.line().say(new ServerMessage.Welcome(2, "one", 0, 0, 0));
        assertThat(rig.client.state())
                .isEqualTo(new ClientState.Ended(
                        ClientState.Reason.NO_SERVER,
                        "The server speaks protocol 2, this client 1; update the older one."));
    }

    @ParameterizedTest
    @ValueSource(ints = {500, 502, 503, 429, 408})
    void a_refusal_that_passes_is_tried_again_when_the_server_says(int status) {
        rig.client.connect();
        rig.line().refuse(status, Duration.ofSeconds(30));
        assertThat(pause().toMillis()).isBetween(30_000L, 31_000L);
        rig.comeBack();
        rig.line().refuse(status, Duration.ofDays(7));
        assertThat(pause()).as("within reason").isLessThan(Duration.ofMinutes(6));
    }

    @Test
    void after_a_close_nothing_can_be_asked() {
        rig.connected("one");
        rig.client.close();
        rig.client.close();
        assertThatThrownBy(rig.client::connect).isInstanceOf(ClientException.Closed.class);
        assertThatThrownBy(rig.client::reopen).isInstanceOf(ClientException.Closed.class);
        assertThatThrownBy(() -> rig.client.send("a", "hello")).isInstanceOf(ClientException.Closed.class);
        assertThatThrownBy(() -> rig.client.stop("a", null, null)).isInstanceOf(ClientException.Closed.class);
        assertThatThrownBy(() -> rig.client.watch("a", null, seen)).isInstanceOf(ClientException.Closed.class);
        assertThat(rig.client.probe()).isCompletedWithValue(false);
    }
}
