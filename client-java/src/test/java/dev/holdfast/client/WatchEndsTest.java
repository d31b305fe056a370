package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.client.ScriptedTransport.Line;
import dev.holdfast.client.message.ClientMessage;
import dev.holdfast.client.message.ServerMessage;
import dev.holdfast.client.message.ServerMessage.Detached.DetachReason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Watches that begin and end while others are under way, and how they end. */
final class WatchEndsTest {

    private final Rig rig = new Rig();
    private final Seen seen = new Seen();

    @Test
    void what_is_watched_while_the_reconnect_is_under_way_is_asked_for_after_it() {
        rig.client.watch("a", "a1", seen);
        rig.client.connect();
        Line line = rig.line();
        line.welcome("one");
        Seen other = new Seen();
        rig.client.watch("b", "b1", other);
        assertThat(line.sent).hasSize(1);
        line.last().answer(200, Rig.ALL_ATTACHED);
        assertThat(line.commands(ClientMessage.Watch.class))
                .singleElement()
                .satisfies(watch -> assertThat(watch.session()).isEqualTo("b"));
    }

    @Test
    void what_is_ended_while_it_is_asked_for_is_ended_at_the_server_afterwards() {
        Line line = rig.connected("one");
        Watch watch = rig.client.watch("a", "a1", seen);
        watch.unwatch();
        assertThat(line.types()).containsExactly("watch");
        line.last().answer(200, Rig.ATTACHED);
        assertThat(line.types()).containsExactly("watch");
        line.attachOk("a", "a1");
        assertThat(line.types()).containsExactly("watch", "unwatch");
        line.event("a", "a1", "a2");
        line.last().answer(200, "{'watched':false}");
        line.say(new ServerMessage.Detached("a", DetachReason.UNWATCHED, null));
        assertThat(seen.calls).isZero();
        assertThat(seen.ends).isEmpty();
        assertThat(line.sent).hasSize(2);
    }

    @Test
    void ended_and_begun_again_in_any_order_of_answers() {
        Line line = rig.at("a", "a1", seen);
        line.event("a", "a1", "a2");
        rig.client.watch("b", null, new Seen());
        Watch first = at0();
        first.unwatch();
        Seen again = new Seen();
        rig.client.watch("z", "z2", again);
        ScriptedTransport.Sent unwatch = line.last();
        assertThat(unwatch.command()).isInstanceOf(ClientMessage.Unwatch.class);
        line.event("z", "z2", "z3"); // of the watch before; it fits, and is passed over all the same
        unwatch.answer(200, "{'watched':false}");
        assertThat(line.last().command())
                .isEqualTo(new ClientMessage.Watch(line.last().command().id(), "z", "z2"));
        line.say(new ServerMessage.Detached("z", DetachReason.UNWATCHED, null)); // late
        line.last().answer(200, Rig.ATTACHED);
        line.attachOk("z", "z2");
        line.event("z", "z2", "z3");
        assertThat(again.events).containsExactly("z3");
        assertThat(again.ends).isEmpty();
    }

    private Watch at0() {
        Line line = rig.line();
        Watch watch = rig.client.watch("z", "z1", new Seen());
        line.last().answer(200, Rig.ATTACHED);
        line.attachOk("z", "z1");
        line.event("z", "z1", "z2");
        return watch;
    }

    @ParameterizedTest
    @CsvSource({"DELETED,DELETED", "NOT_FOUND,NOT_FOUND", "NOT_AUTHORIZED,NOT_AUTHORIZED", "UNKNOWN,REFUSED"})
    void a_detach_is_the_end_of_the_watch(DetachReason reason, WatchEnd.Reason told) {
        Line line = rig.at("a", "a1", seen);
        line.say(new ServerMessage.Detached("a", reason, null));
        assertThat(seen.ends)
                .singleElement()
                .satisfies(end -> assertThat(end.reason()).isEqualTo(told));
        line.lose();
        rig.comeBack().welcome("two");
        assertThat(rig.line().sent).as("it is not asked for again").isEmpty();
    }

    @Test
    void a_detach_by_a_failure_of_the_server_is_asked_for_again() {
        Line line = rig.at("a", "a1", seen);
        line.say(new ServerMessage.Detached(
                "a",
                DetachReason.FAILED,
                new dev.holdfast.client.message.Problem("urn:holdfast:problem:store-failed", "", 500, "", null)));
        assertThat(seen.ends).isEmpty();
        assertThat(line.last().command()).isInstanceOf(ClientMessage.Reconnect.class);
    }

    @Test
    void a_watch_that_is_refused_ends_once_though_it_is_told_twice() {
        Line line = rig.connected("one");
        rig.client.watch("a", null, seen);
        line.say(new ServerMessage.Detached("a", DetachReason.NOT_FOUND, null));
        line.last().refuse(404, "session-not-found");
        assertThat(seen.ends).hasSize(1);
        Seen second = new Seen();
        rig.client.watch("b", null, second);
        line.last().refuse(404, "session-not-found");
        line.say(new ServerMessage.Detached("b", DetachReason.NOT_FOUND, null));
        assertThat(second.ends).singleElement().satisfies(end -> {
            assertThat(end.reason()).isEqualTo(WatchEnd.Reason.NOT_FOUND);
            assertThat(end.why()).isEqualTo("It is session-not-found.");
        });
    }

    @Test
    void one_session_of_a_reconnect_that_is_refused_does_not_fail_the_others() {
        rig.client.watch("a", "a1", seen);
        Seen other = new Seen();
        rig.client.watch("b", "b1", other);
        rig.client.connect();
        Line line = rig.line();
        line.welcome("one");
        line.attachOk("b", "b1");
        line.last()
                .answer(
                        200,
                        "{'sessions':[{'session':'a','attached':false,'problem':{'type':'urn:holdfast:problem:not-authorized','title':'t','status':403,'detail':'No.'}},"
                                + "{'session':'b','attached':true}]}");
        assertThat(rig.isConnected()).isTrue();
        assertThat(seen.ends)
                .singleElement()
                .satisfies(end -> assertThat(end.reason()).isEqualTo(WatchEnd.Reason.NOT_AUTHORIZED));
        line.event("b", "b1", "b2");
        assertThat(other.events).containsExactly("b2");
    }
}
