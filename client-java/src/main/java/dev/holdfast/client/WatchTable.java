package dev.holdfast.client;

import dev.holdfast.client.Calls.End;
import dev.holdfast.client.WatchSlot.Verdict;
import dev.holdfast.client.message.ClientMessage;
import dev.holdfast.client.message.ClientMessage.Position;
import dev.holdfast.client.message.Problem;
import dev.holdfast.client.message.ServerMessage;
import dev.holdfast.client.message.ServerMessage.Attached;
import dev.holdfast.client.message.ServerMessage.Detached;
import dev.holdfast.client.message.ServerMessage.Events;
import dev.holdfast.client.message.ServerMessage.Reply;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The sessions that are watched. What a session shall be (its slot) and what the server was asked are kept apart, and one follows the other: whenever a
 * command is answered, the next is made of what is wanted then. Guarded by the client's monitor; what takes messages is called without it, by the thread
 * of the connection.
 */
final class WatchTable {

    /** Sessions that one connection can watch. */
    static final int MAX_WATCHED = 256;

    private final Monitor monitor;
    private final Timers timers;
    private final RandomGenerator random;
    private final Pauses pauses;
    private final Calls calls;
    private final Ids ids;
    private final Deliveries deliveries;
    private final Map<String, WatchSlot> slots = new LinkedHashMap<>();
    private @Nullable Connector connector;

    WatchTable(Monitor monitor, ClientSettings settings, Calls calls, Ids ids) {
        this.monitor = monitor;
        this.timers = settings.timers();
        this.random = settings.random();
        this.pauses = new Pauses(settings.shortestPause(), settings.longestPause());
        this.calls = calls;
        this.ids = ids;
        this.deliveries = new Deliveries(monitor, settings.executor(), this);
    }

    void belongTo(Connector owner) {
        connector = owner;
    }

    private Connector connector() {
        return Objects.requireNonNull(connector);
    }

    /** Whether a link is the present one. */
    boolean isCurrent(Link link) {
        return connector().isCurrent(link);
    }

    boolean isClosed() {
        return connector().state() instanceof ClientState.Closed;
    }

    /** Something was taken. */
    void progress() {
        connector().progress();
    }

    Watch watch(String session, @Nullable String cursor, SessionListener listener) {
        return monitor.decide(() -> {
            if (isClosed()) {
                throw new ClientException.Closed();
            }
            WatchSlot slot = slots.get(session);
            if (slot != null && slot.wanted != null) {
                throw new IllegalStateException(
                        "The session \"%s\" is watched already; end that watch first.".formatted(session));
            }
            if (slot == null) {
                if (slots.size() >= MAX_WATCHED) {
                    throw new ClientException.Full(
                            "%d sessions are watched, the most there may be.".formatted(MAX_WATCHED));
                }
                slot = new WatchSlot(session, new Alarm(monitor, timers));
                slots.put(session, slot);
            }
            SessionWatch watch = new SessionWatch(this, session, cursor, listener);
            slot.wanted = watch;
            slot.restarts = 0;
            slot.refusals = 0;
            ask(slot);
            return watch;
        });
    }

    void unwatch(SessionWatch watch) {
        monitor.change(() -> {
            watch.active = false;
            WatchSlot slot = slots.get(watch.session());
            if (slot != null && slot.wanted == watch) {
                release(slot);
            }
        });
    }

    /** Nobody wants it any more. */
    private void release(WatchSlot slot) {
        slot.wanted = null;
        slot.attached = false;
        slot.pause.stop();
        if (slot.isBusy() || connector().connectedLink() != null) {
            ask(slot);
        } else {
            slots.remove(slot.session);
        }
    }

    /** Asks the server for what is wanted, now or when the open question is answered; without a connection the next reconnect does. */
    private void ask(WatchSlot slot) {
        Link link = connector().connectedLink();
        if (slot.isBusy()) {
            slot.dirty = true;
        } else if (link != null) {
            slot.pause.stop();
            SessionWatch wanted = slot.wanted;
            calls.start(link, command(slot, wanted), end -> answered(link, slot, wanted, end));
        }
    }

    private ClientMessage command(WatchSlot slot, @Nullable SessionWatch wanted) {
        if (wanted == null) {
            slot.requestNothing();
            return new ClientMessage.Unwatch(ids.next(), slot.session);
        }
        String cursor = slot.request(wanted);
        return slot.restarts == 0
                ? new ClientMessage.Watch(ids.next(), slot.session, cursor)
                : new ClientMessage.Reconnect(ids.next(), List.of(new Position(slot.session, cursor)));
    }

    private void answered(Link link, WatchSlot slot, @Nullable SessionWatch asked, End end) {
        if (slots.get(slot.session) != slot) {
            return; // its end came first
        }
        switch (end) {
            case End.Unanswered none -> connector().lose(link, none.why());
            case End.Answered(Reply reply) when reply.succeeded() -> replied(link, slot, reply);
            case End.Answered(Reply reply)
            when Replies.passes(reply.problemOrStatus()) ->
                connector().lose(link, reply.problemOrStatus().detail());
            case End.Answered(Reply reply) -> {
                slot.unanswered = false;
                refused(slot, asked, reply.problemOrStatus());
                next(slot);
            }
        }
    }

    private void replied(Link link, WatchSlot slot, Reply reply) {
        SessionWatch asked = slot.asked;
        slot.unanswered = false;
        Replies.refusal(reply, slot.session).ifPresent(problem -> refused(slot, asked, problem));
        if (slot.unattached) {
            expectAttach(link, slot);
        }
        next(slot);
    }

    /** An attach that does not come is a loss; but what is being taken at the moment holds it up. */
    private void expectAttach(Link link, WatchSlot slot) {
        slot.pause.set(Calls.LIMIT, () -> {
            if (link.busy > 0) {
                expectAttach(link, slot);
            } else {
                connector().lose(link, "The session \"%s\" was not attached in time.".formatted(slot.session));
            }
        });
    }

    /** Asks the next question, if this one has all its answers and there is another. */
    private void next(WatchSlot slot) {
        if (slot.isBusy()) {
            return;
        }
        if (slot.dirty) {
            slot.dirty = false;
            ask(slot);
        } else if (slot.wanted == null) {
            slots.remove(slot.session, slot);
        }
    }

    /** The server does not watch it for us. */
    private void refused(WatchSlot slot, @Nullable SessionWatch asked, Problem problem) {
        slot.unattached = false;
        if (asked == null || slot.wanted != asked) {
            return; // what is wanted now is asked for next
        }
        if (Replies.passes(problem)) {
            restart(slot);
        } else {
            finish(slot, asked, Replies.end(problem));
        }
    }

    /** Ends a watch that its listener did not end, and tells it. */
    private void finish(WatchSlot slot, SessionWatch watch, WatchEnd end) {
        watch.active = false;
        slot.wanted = null;
        slot.attached = false;
        slot.pause.stop();
        deliveries.end(slot, watch, end);
    }

    /** Attaches a session anew from its cursor, the first time at once, then after pauses. */
    void restart(WatchSlot slot) {
        monitor.assertHeld();
        slot.attached = false;
        Link link = connector().connectedLink();
        if (link == null || slot.pause.isSet() || slot.wanted == null) {
            return;
        }
        int n = slot.restarts++;
        if (n == 0 || slot.isBusy()) {
            ask(slot);
        } else {
            slot.pause.set(pauses.jittered(n - 1, random), () -> ask(slot));
        }
    }

    /** The listener threw too often. */
    void giveUp(WatchSlot slot, SessionWatch watch, Throwable failure) {
        watch.active = false;
        deliveries.end(
                slot,
                watch,
                new WatchEnd(
                        WatchEnd.Reason.LISTENER_FAILED,
                        "The listener of the session \"%s\" failed too often: %s".formatted(slot.session, failure),
                        null,
                        failure));
        release(slot);
    }

    /** The positions of all that is watched, which are asked for with the welcome. */
    List<Position> beginReconnect() {
        List<Position> positions = new ArrayList<>();
        for (WatchSlot slot : slots.values()) {
            SessionWatch wanted = slot.wanted;
            if (wanted != null) {
                positions.add(new Position(slot.session, slot.request(wanted)));
            }
        }
        return positions;
    }

    /** The reconnect succeeded. */
    void reconnected(Link link, Reply reply) {
        for (WatchSlot slot : List.copyOf(slots.values())) {
            if (slot.unanswered) {
                replied(link, slot, reply);
            }
        }
    }

    /** What was wanted or given up meanwhile follows. */
    void connected(Link link) {
        for (WatchSlot slot : List.copyOf(slots.values())) {
            if (!slot.isBusy() && (slot.dirty || !slot.attached)) {
                slot.dirty = false;
                ask(slot);
            }
        }
    }

    void lost() {
        slots.values().removeIf(slot -> slot.wanted == null);
        slots.values().forEach(WatchSlot::lost);
    }

    void close() {
        for (WatchSlot slot : slots.values()) {
            SessionWatch wanted = slot.wanted;
            if (wanted != null) {
                wanted.active = false;
            }
        }
        slots.clear();
    }

    private Optional<WatchSlot> slot(Link link, String session) {
        return monitor.decide(() -> isCurrent(link) ? Optional.ofNullable(slots.get(session)) : Optional.empty());
    }

    void attached(Link link, Attached message) {
        slot(link, message.session())
                .ifPresent(slot -> deliveries.deliver(
                        link,
                        slot,
                        () -> attached(slot, message),
                        watch -> watch.listener.attached(message),
                        watch -> slot.taken(message, watch)));
    }

    private Verdict attached(WatchSlot slot, Attached message) {
        SessionWatch wanted = slot.wanted;
        if (slot.unattached) {
            slot.pause.stop(); // it is not overdue any more
        }
        Verdict verdict = Verdict.PASS_OVER;
        if (wanted == null) {
            slot.unattached = false;
        } else {
            verdict = slot.verdict(message, wanted);
        }
        next(slot);
        return verdict;
    }

    void events(Link link, Events message) {
        slot(link, message.session())
                .ifPresent(slot -> deliveries.deliver(
                        link,
                        slot,
                        () -> slot.wanted == null ? Verdict.PASS_OVER : slot.verdict(message, slot.wanted),
                        watch -> watch.listener.events(message.events(), message.cursor()),
                        watch -> slot.taken(message, watch)));
    }

    void driver(Link link, ServerMessage.Driver message) {
        slot(link, message.session()).ifPresent(slot -> deliveries.driver(link, slot, message));
    }

    void detached(Link link, Detached message) {
        slot(link, message.session())
                .ifPresent(slot -> monitor.change(() -> {
                    if (isPresent(link, slot)) {
                        detached(slot, message);
                    }
                }));
    }

    private void detached(WatchSlot slot, Detached message) {
        SessionWatch wanted = slot.wanted;
        Problem problem = message.problem();
        boolean byWish = message.reason() == Detached.DetachReason.UNWATCHED;
        if (byWish && slot.isBusy()) {
            return; // the end of the one before
        }
        slot.unattached = false;
        slot.attached = false;
        if (wanted == null) {
            next(slot);
        } else if (byWish
                || message.reason() == Detached.DetachReason.FAILED
                || (problem != null && Replies.passes(problem))) {
            restart(slot); // nobody here wished so, or it may go well the next time
        } else {
            finish(slot, wanted, Replies.end(message));
            slots.remove(slot.session, slot);
        }
    }

    /** Whether a slot is still that of its session, and a link the present one. */
    boolean isPresent(Link link, WatchSlot slot) {
        return isCurrent(link) && slots.get(slot.session) == slot;
    }
}
