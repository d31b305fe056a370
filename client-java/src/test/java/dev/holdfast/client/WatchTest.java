package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.client.ScriptedTransport.Line;
import dev.holdfast.client.message.ClientMessage;
import dev.holdfast.client.message.ClientMessage.Position;
import dev.holdfast.client.message.Seat;
import dev.holdfast.client.message.ServerMessage;
import dev.holdfast.client.message.SessionEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a watched session is told, and what the server is asked. */
final class WatchTest {

    private final Rig rig = new Rig();
    private final Seen seen = new Seen();

    @Test
    void events_are_taken_and_the_cursor_moves_while_the_reconnect_is_under_way_M22() {
        Watch watch = rig.client.watch("a", "a1", seen);
        rig.client.connect();
        Line line = rig.line();
        line.welcome("one");
        line.attachOk("a", "a1");
        line.event("a", "a1", "a2");
        assertThat(seen.events).containsExactly("a2");
        assertThat(watch.cursor()).isEqualTo("a2");
        line.last().answer(200, Rig.ALL_ATTACHED);
        line.event("a", "a2", "a3");
        assertThat(seen.events).containsExactly("a2", "a3");
        assertThat(line.sent).hasSize(1);
    }

    @Test
    void what_came_before_a_reconnect_failed_stays_and_the_next_goes_on_there_M23() {
        rig.client.watch("a", "a1", seen);
        rig.client.connect();
        Line first = rig.line();
        first.welcome("one");
        first.attachOk("a", "a1");
        first.event("a", "a1", "a2");
        first.last().refuse(500, "internal-error");
        first.event("a", "a2", "a3"); // of an older connection by now
        Line second = rig.comeBack();
        second.welcome("two");
        second.last().answer(200, Rig.ALL_ATTACHED);
        second.attachOk("a", "a2");
        second.event("a", "a2", "a3");
        assertThat(seen.events).containsExactly("a2", "a3");
    }

    @Test
    void a_repetition_never_moves_the_cursor_back_M31() {
        Line line = rig.at("a", "a1", seen);
        line.event("a", "a1", "a2");
        line.event("a", "a2", "a3");
        line.event("a", "a1", "a2");
        line.event("a", "a2", "a3");
        assertThat(seen.events).containsExactly("a2", "a3");
        assertThat(line.sent).as("and asks for nothing").hasSize(1);
        line.event("a", "a3", "a4");
        assertThat(seen.events).containsExactly("a2", "a3", "a4");
    }

    @Test
    void a_gap_is_never_taken_and_asks_for_the_session_from_where_it_stands() {
        Line line = rig.at("a", "a1", seen);
        line.event("a", "a2", "a3");
        assertThat(seen.events).isEmpty();
        assertThat(line.last().command())
                .isInstanceOfSatisfying(
                        ClientMessage.Reconnect.class,
                        reconnect -> assertThat(reconnect.sessions()).containsExactly(new Position("a", "a1")));
        line.event("a", "a3", "a4"); // on its way before
        line.last().answer(200, Rig.ALL_ATTACHED);
        line.attachOk("a", "a1");
        line.event("a", "a1", "a4");
        assertThat(seen.events).containsExactly("a4");
        assertThat(line.sent).hasSize(2);
    }

    @Test
    void gaps_again_and_again_are_asked_for_after_pauses() {
        Line line = rig.at("a", "a1", seen);
        for (int i = 0; i < 10; i++) {
            line.event("a", "x" + i, "y" + i);
            rig.pass(Duration.ofSeconds(10));
            line.say(new ServerMessage.Heartbeat());
            line.last().answer(200, Rig.ALL_ATTACHED);
            line.attachOk("a", "a1");
        }
        assertThat(line.sent).hasSize(11);
        line.event("a", "x", "y");
        assertThat(line.sent).as("not at once").hasSize(11);
        assertThat(seen.events).isEmpty();
    }

    @Test
    void a_frame_that_the_listener_refuses_comes_again_and_the_cursor_waits() {
        Line line = rig.at("a", "a1", seen);
        seen.refuses = 2;
        line.event("a", "a1", "a2");
        assertThat(line.commands(ClientMessage.Reconnect.class)).hasSize(1);
        line.last().answer(200, Rig.ALL_ATTACHED);
        line.attachOk("a", "a1"); // refused as well
        rig.pass(Duration.ofSeconds(1));
        assertThat(line.commands(ClientMessage.Reconnect.class).getLast().sessions())
                .containsExactly(new Position("a", "a1"));
        line.last().answer(200, Rig.ALL_ATTACHED);
        line.attachOk("a", "a1");
        line.event("a", "a1", "a2");
        assertThat(seen.events).containsExactly("a2");
        assertThat(seen.ends).isEmpty();
    }

    @Test
    void a_listener_that_always_refuses_ends_its_watch_and_is_told_why() {
        Line line = rig.connected("one");
        Watch watch = rig.client.watch("a", "a1", seen);
        seen.refuses = 1000;
        for (int i = 0; i < SessionClient.MAX_REFUSALS; i++) {
            line.last().answer(200, i == 0 ? Rig.ATTACHED : Rig.ALL_ATTACHED);
            line.attachOk("a", "a1");
            rig.pass(Duration.ofSeconds(10));
            line.say(new ServerMessage.Heartbeat());
        }
        assertThat(watch.isActive()).isFalse();
        assertThat(watch.cursor()).isEqualTo("a1");
        assertThat(seen.calls).isEqualTo(SessionClient.MAX_REFUSALS);
        assertThat(seen.ends).singleElement().satisfies(end -> {
            assertThat(end.reason()).isEqualTo(WatchEnd.Reason.LISTENER_FAILED);
            assertThat(end.failure()).hasMessage("not now");
        });
        assertThat(line.last().command()).isInstanceOf(ClientMessage.Unwatch.class);
    }

    @Test
    void a_snapshot_takes_the_place_of_everything() {
        Line line = rig.at("a", "a1", seen);
        line.event("a", "a1", "a2");
        line.lose();
        Line second = rig.comeBack();
        second.welcome("two");
        second.attachSnapshot("a", "a9");
        second.event("a", "a9", "a10");
        assertThat(seen.events).containsExactly("a10");
        assertThat(seen.attaches).hasSize(2);
    }

    @Test
    void a_snapshot_that_nobody_asked_for_is_taken_since_it_says_all() {
        Line line = rig.at("a", "a1", seen);
        line.attachSnapshot("a", "a7");
        line.event("a", "a7", "a8");
        assertThat(seen.events).containsExactly("a8");
        assertThat(line.sent).hasSize(1);
    }

    @Test
    void two_sessions_do_not_mix() {
        Line line = rig.at("a", "a1", seen);
        Seen other = new Seen();
        rig.client.watch("b", "b1", other);
        line.last().answer(200, Rig.ATTACHED);
        line.attachOk("b", "b1");
        line.event("b", "b1", "b2");
        line.event("a", "a1", "a2");
        line.event("c", "c1", "c2");
        assertThat(seen.events).containsExactly("a2");
        assertThat(other.events).containsExactly("b2");
    }

    @Test
    void an_attach_that_does_not_come_is_a_loss() {
        Line line = rig.connected("one");
        rig.client.watch("a", "a1", seen);
        line.last().answer(200, Rig.ATTACHED);
        rig.pass(Duration.ofSeconds(10));
        line.say(new ServerMessage.Heartbeat());
        rig.pass(Duration.ofSeconds(5));
        assertThat(line.closed).isTrue();
        assertThat(rig.client.state()).isInstanceOf(ClientState.Waiting.class);
    }

    @Test
    void the_last_events_of_an_old_connection_that_end_late_are_not_taken_twice() {
        Line first = rig.at("a", "a1", seen);
        SessionListener slow = new SessionListener() {
            @Override
            public void attached(ServerMessage.Attached attached) {}

            @Override
            public void events(List<SessionEvent> events, String cursor) {
                if (rig.transport.lines.size() == 1) { // the connection is replaced while this call runs
                    rig.client.reopen();
                    rig.line().welcome("two");
                }
                events.forEach(event -> seen.events.add(Frames.name(event)));
            }
        };
        Watch watch = rig.client.watch("s", "s1", slow);
        first.last().answer(200, Rig.ATTACHED);
        first.attachOk("s", "s1");
        first.event("s", "s1", "s2");
        assertThat(watch.cursor()).isEqualTo("s2");
        Line second = rig.line();
        assertThat(second.commands(ClientMessage.Reconnect.class).getFirst().sessions())
                .contains(new Position("s", "s1"));
        second.last().answer(200, Rig.ALL_ATTACHED);
        second.attachOk("a", "a1");
        second.attachOk("s", "s1"); // from where it stood when it was asked for
        assertThat(second.commands(ClientMessage.Reconnect.class).getLast().sessions())
                .containsExactly(new Position("s", "s2"));
        second.event("s", "s1", "s2");
        second.last().answer(200, Rig.ALL_ATTACHED);
        second.attachOk("s", "s2");
        second.event("s", "s2", "s3");
        assertThat(seen.events).containsExactly("s2", "s3");
    }

    @Test
    void a_watch_that_is_ended_by_its_own_listener_has_moved_its_cursor_and_hears_no_more() {
        Line line = rig.at("a", "a1", seen);
        List<Watch> itself = new ArrayList<>();
        List<String> cursors = new ArrayList<>();
        SessionListener once = new SessionListener() {
            @Override
            public void attached(ServerMessage.Attached attached) {}

            @Override
            public void events(List<SessionEvent> events, String cursor) {
                cursors.add(cursor);
                itself.getFirst().unwatch();
            }
        };
        itself.add(rig.client.watch("s", "s1", once));
        line.last().answer(200, Rig.ATTACHED);
        line.attachOk("s", "s1");
        line.event("s", "s1", "s2");
        line.event("s", "s2", "s3");
        assertThat(cursors).containsExactly("s2");
        assertThat(itself.getFirst().cursor()).isEqualTo("s2");
    }

    @Test
    void who_drives_is_told() {
        Line line = rig.at("a", "a1", seen);
        ServerMessage.Driver driver = new ServerMessage.Driver("a", Seat.OTHER, true);
        line.say(driver);
        assertThat(seen.drivers).containsExactly(driver);
    }

    @Test
    void a_session_is_watched_once_and_there_is_a_most() {
        Line line = rig.at("a", "a1", seen);
        assertThatThrownBy(() -> rig.client.watch("a", null, new Seen()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("watched already");
        for (int i = 1; i < WatchTable.MAX_WATCHED; i++) {
            rig.client.watch("s" + i, null, new Seen());
        }
        assertThatThrownBy(() -> rig.client.watch("one more", null, new Seen()))
                .isInstanceOf(ClientException.Full.class)
                .hasMessageContaining("256");
        assertThat(line.sent).hasSize(256);
    }

    @Test
    void messages_of_a_newer_server_are_passed_over() {
        Line line = rig.at("a", "a1", seen);
        line.say(new ServerMessage.Unknown("confetti", dev.holdfast.client.message.MessageJson.tree("{}")));
        line.event("a", "a1", "a2");
        assertThat(seen.events).containsExactly("a2");
    }
}
