package dev.holdfast.testkit.sim;

import dev.holdfast.store.FeedRow;
import dev.holdfast.store.FeedRow.Kind;
import dev.holdfast.store.TurnRow.State;
import dev.holdfast.testkit.sim.ModelSession.Message;
import dev.holdfast.testkit.sim.ModelSession.Property;
import dev.holdfast.testkit.sim.ModelTurn.Attempt;
import dev.holdfast.testkit.sim.SessionCall.Event;
import dev.holdfast.testkit.sim.SessionCall.Outcome;
import dev.holdfast.turn.ToolAnswers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The specification of sessions and turns: what each call of a client should answer, leave in the feed and change, on plain lists. What
 * turns do by themselves is in {@link TurnEndings}.
 */
final class SessionModel {

    private final Map<String, ModelSession> byId = new TreeMap<>();

    /** All sessions there were, deleted ones too. */
    final List<ModelSession> all = new ArrayList<>();

    final Map<String, ModelTurn> turnsByMessage = new HashMap<>();

    /** What commits of the application wrote. */
    final Map<String, String> application = new TreeMap<>();

    private final Map<String, Integer> attempts = new HashMap<>();

    Optional<ModelSession> session(String id) {
        return Optional.ofNullable(byId.get(id));
    }

    List<ModelSession> current() {
        return List.copyOf(byId.values());
    }

    /** Whether a turn that wrote this message went with its session. */
    boolean went(String messageId) {
        return all.stream()
                .filter(s -> s.gone)
                .flatMap(s -> s.turns.values().stream())
                .anyMatch(t -> t.messageId.equals(messageId));
    }

    private static Outcome told(String answer, ModelSession session, Event event, Runnable effect) {
        return new Outcome(answer, session, List.of(event), rows -> effect.run());
    }

    Outcome create(String id) {
        ModelSession known = byId.get(id);
        if (known != null) {
            return Outcome.nothing("created", known);
        }
        return new Outcome("created", null, List.of(), rows -> {
            ModelSession session = new ModelSession(id);
            byId.put(id, session);
            all.add(session);
        });
    }

    Outcome deleteSession(String id) {
        ModelSession session = byId.get(id);
        if (session == null) {
            return Outcome.refused("deleted false");
        }
        return new Outcome(
                "deleted true",
                session,
                List.of(),
                rows -> {
                    session.gone = true;
                    byId.remove(id);
                },
                true);
    }

    Outcome put(ModelSession session, String id, String content, SessionOp.Place place, String under, boolean upsert) {
        if (session.gone) {
            return Outcome.refused("SessionNotFound");
        }
        Message known = session.message(id).orElse(null);
        if (known != null) {
            if (!upsert || known.content.equals(content)) {
                return Outcome.nothing("UNCHANGED " + known.seq, session);
            }
            return told(
                    "UPDATED " + known.seq,
                    session,
                    new Event(Kind.MESSAGE_UPDATED, id, null, null),
                    () -> known.content = content);
        }
        Message parent = session.message(under).orElse(null);
        if (place == SessionOp.Place.UNDER && parent == null) {
            return Outcome.refused("MessageNotFound");
        }
        Long parentSeq = place == SessionOp.Place.ROOT
                ? Long.valueOf(0)
                : place == SessionOp.Place.UNDER && parent != null ? Long.valueOf(parent.seq) : null;
        Message leaf = session.leaf();
        return told(
                "INSERTED " + (leaf == null ? 1 : leaf.seq + 1),
                session,
                new Event(Kind.MESSAGE_ADDED, id, null, null),
                () -> session.add(id, "user", content, parentSeq));
    }

    Outcome deleteMessage(ModelSession session, String id) {
        if (session.gone) {
            return Outcome.refused("SessionNotFound");
        }
        Message doomed = session.message(id).orElse(null);
        if (doomed == null) {
            return Outcome.nothing("deleted false", session);
        }
        return told(
                "deleted true", session, new Event(Kind.MESSAGE_DELETED, id, null, null), () -> session.delete(doomed));
    }

    Outcome clear(ModelSession session) {
        if (session.gone) {
            return Outcome.refused("SessionNotFound");
        }
        int count = session.messages.size();
        Event cleared = count == 0 ? null : new Event(Kind.MESSAGES_CLEARED, null, null, null);
        return ModelQueue.clear(
                session, "cleared " + count, "the session was cleared", cleared, session.messages::clear);
    }

    Outcome clearQueue(String sessionId) {
        ModelSession session = byId.get(sessionId);
        if (session == null) {
            return Outcome.refused("SessionNotFound");
        }
        int count = ModelQueue.waiting(session).size();
        return ModelQueue.clear(session, "cleared " + count, "the queue was cleared", null, () -> {});
    }

    Outcome setProperty(
            ModelSession session, String name, String value, SessionOp.Condition condition, long wantedVersion) {
        if (session.gone) {
            return Outcome.refused("SessionNotFound");
        }
        Property known = session.properties.get(name);
        boolean holds = switch (condition) {
            case ALWAYS -> true;
            case ABSENT -> known == null;
            case RIGHT_VERSION, WRONG_VERSION -> known != null && known.version() == wantedVersion;
        };
        if (!holds) {
            return Outcome.refused("PreconditionFailed");
        }
        long version = known == null ? 1 : known.version() + 1;
        return told(
                "version " + version,
                session,
                new Event(Kind.PROPERTY_CHANGED, null, null, name),
                () -> session.properties.put(name, new Property(version, value)));
    }

    Outcome deleteProperty(ModelSession session, String name) {
        if (session.gone) {
            return Outcome.refused(SessionCall.ANY); // by then its properties may be deleted or not
        }
        return session.properties.containsKey(name)
                ? told(
                        "deleted true",
                        session,
                        new Event(Kind.PROPERTY_CHANGED, null, null, name),
                        () -> session.properties.remove(name))
                : Outcome.nothing("deleted false", session);
    }

    /** A start as the model sees it. */
    record Starting(
            String session,
            String turn,
            String fingerprint,
            SessionOp.Policy policy,
            @Nullable String question,
            @Nullable String messageId,
            @Nullable String row,
            @Nullable Job nestedIn,
            SessionOp.Submit submit) {}

    Outcome start(Starting start, int life, long now) {
        ModelSession session = byId.get(start.session());
        if (session == null) {
            return Outcome.refused("SessionNotFound");
        }
        ModelTurn known = session.turns.get(start.turn());
        if (known != null) {
            return known.fingerprint.equals(start.fingerprint())
                    ? Outcome.nothing("attached " + known.state, session)
                    : Outcome.refused("TurnConflict");
        }
        if (start.messageId() != null && session.message(start.messageId()).isPresent()) {
            return Outcome.refused("TurnConflict");
        }
        Long stopHolds = session.stopsAhead.get(start.turn());
        if (stopHolds != null && stopHolds > now) {
            return acceptStopped(start, session);
        }
        ModelTurn parent = null;
        if (start.nestedIn() != null) {
            parent = turnsByMessage.get(start.nestedIn().messageId());
            if (parent == null
                    || parent.session.gone
                    || !parent.live()
                    || !start.nestedIn().isOf(parent.attempt())) {
                return Outcome.refused("TurnConflict");
            }
        } else if (start.submit() == SessionOp.Submit.DROP && session.busyWith().isPresent()) {
            return Outcome.refused("SessionBusy");
        }
        List<ModelTurn> replaced = parent != null ? List.of() : ModelQueue.replaced(session, start.submit());
        return parent == null && ModelQueue.mustWait(session, start.submit(), replaced)
                ? ModelQueue.enqueue(start, session, replaced, life, this::add)
                : accept(start, session, replaced, parent, life, now);
    }

    /** Its stop came first: it ends before it begins, and whatever is before it in line stays. */
    private Outcome acceptStopped(Starting start, ModelSession session) {
        Job nestedIn = start.nestedIn();
        ModelTurn parent = nestedIn == null ? null : turnsByMessage.get(nestedIn.messageId());
        List<Event> events = new ArrayList<>();
        ModelMessages.asked(start, session).ifPresent(events::add);
        events.add(new Event(Kind.TURN_STARTED, SessionCall.ANY, start.turn(), null));
        events.add(new Event(Kind.TURN_ENDED, null, start.turn(), "stopped:ahead of " + start.turn()));
        return new Outcome("started STOPPED", session, events, rows -> {
            String answers = ModelMessages.ask(start, session, null);
            ModelTurn turn = new ModelTurn(
                    session,
                    start.turn(),
                    start.fingerprint(),
                    start.policy(),
                    parent,
                    parent != null ? parent.answers : answers,
                    String.valueOf(rows.get(rows.size() - 2).messageId()),
                    "");
            turn.tries = 0;
            add(turn);
            ModelQueue.end(List.of(turn));
            session.stopsAhead.remove(start.turn());
        });
    }

    private void add(ModelTurn turn) {
        turn.session.turns.put(turn.id, turn);
        turnsByMessage.put(turn.messageId, turn);
    }

    private Outcome accept(
            Starting start,
            ModelSession session,
            List<ModelTurn> replaced,
            @Nullable ModelTurn parent,
            int life,
            long now) {
        List<Event> events = new ArrayList<>();
        ModelMessages.asked(start, session).ifPresent(events::add);
        events.addAll(ModelQueue.endings(start, replaced));
        String messageId = start.messageId();
        events.add(new Event(
                Kind.TURN_STARTED, messageId == null ? SessionCall.ANY : messageId, start.turn(), SessionCall.ANY));
        return new Outcome("started STREAMING", session, events, rows -> {
            ModelQueue.end(replaced);
            String answers = ModelMessages.ask(start, session, null);
            FeedRow started = rows.isEmpty() ? null : rows.getLast();
            ModelTurn turn = new ModelTurn(
                    session,
                    start.turn(),
                    start.fingerprint(),
                    start.policy(),
                    parent,
                    parent != null ? parent.answers : answers,
                    started == null ? String.valueOf(messageId) : String.valueOf(started.messageId()),
                    started == null ? "" : String.valueOf(started.detail()));
            turn.progressAt = now;
            if (parent != null) {
                parent.nests = true;
            }
            add(turn);
            begin(turn, life, new ModelTurn.Chunks(), start.row(), now);
        });
    }

    /** The turn's next attempt. */
    void begin(ModelTurn turn, int life, ModelTurn.Chunks chunks, @Nullable String row, long now) {
        turn.quietSince = now;
        turn.mayBeStalled = false;
        int number = attempts.merge(life + turn.messageId, 1, Integer::sum) - 1;
        turn.attempts.add(new Attempt(life, number, chunks, chunks.list.size(), row));
    }

    /** Time passed: an agent that was quiet for so long may have been given up. */
    void notice(long now, long stallMillis) {
        for (ModelTurn turn : turnsByMessage.values()) {
            turn.mayBeStalled |=
                    stallMillis > 0 && turn.state == State.STREAMING && now - turn.quietSince >= stallMillis;
        }
    }

    Outcome stop(String sessionId, String turnId, String reason) {
        ModelSession session = byId.get(sessionId);
        if (session == null) {
            return Outcome.refused("SessionNotFound");
        }
        ModelTurn turn = session.turns.get(turnId);
        if (turn == null) {
            return Outcome.refused("TurnNotFound");
        }
        if (!turn.live()) {
            return Outcome.nothing("too late, " + turn.state, session);
        }
        if (turn.stopRequested) {
            return Outcome.nothing("stops " + turn.state, session);
        }
        if (turn.waits()) {
            return told("stops STOPPED", session, ModelQueue.ended(turn, reason), () -> ModelQueue.end(List.of(turn)));
        }
        return told(
                "stops " + turn.state,
                session,
                new Event(Kind.TURN_STOPPING, null, turnId, reason),
                () -> turn.stopRequested = true);
    }

    /** What an answer to a tool call should be told now. */
    Outcome answer(ModelTurn turn, String call, String output) {
        if (turn.session.gone) {
            return Outcome.refused(SessionCall.ANY);
        }
        ToolAnswers.Applied applied = turn.session
                .message(turn.messageId)
                .map(message -> ToolCalls.apply(message.content, call, output))
                .orElseGet(ToolAnswers.Applied.Unknown::new);
        boolean isNew = applied instanceof ToolAnswers.Applied.Changed;
        if (applied instanceof ToolAnswers.Applied.Same) {
            return Outcome.refused("REPEATED");
        } else if (applied instanceof ToolAnswers.Applied.Contradicts) {
            return Outcome.refused("AnswerConflict");
        } else if (isNew && turn.state == State.AWAITING) {
            return Outcome.refused(turn.stopRequested ? "TurnConflict" : "APPLIED");
        } else if (turn.state != State.STREAMING) {
            return Outcome.refused(isNew ? "TurnConflict" : "ToolCallNotFound");
        }
        ModelTurn.Kept kept = turn.kept.get(call);
        return Outcome.refused(kept == null ? "KEPT" : kept.output().equals(output) ? "REPEATED" : "AnswerConflict");
    }

    Outcome resume(ModelSession session, String turnId, int life, long now) {
        ModelTurn turn = session.turns.get(turnId);
        if (session.gone || turn == null) {
            return Outcome.refused("TurnNotFound");
        }
        if (turn.state != State.AWAITING) {
            return Outcome.refused("TurnConflict");
        }
        if (turn.stopRequested) {
            return Outcome.nothing("attached AWAITING", session);
        }
        return told(
                "started STREAMING",
                session,
                new Event(Kind.STREAM_OPENED, turn.messageId, turnId, turn.streamName),
                () -> goOn(turn, life, now));
    }

    /** A turn that waited goes on. */
    void goOn(ModelTurn turn, int life, long now) {
        turn.state = State.STREAMING;
        turn.streamKept = false;
        turn.tries = 1;
        turn.progressAt = now;
        begin(turn, life, new ModelTurn.Chunks(), null, now);
    }
}
