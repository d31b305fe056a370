package dev.holdfast.testkit.sim;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.StorePoisoned;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.session.PropertyWrite;
import dev.holdfast.session.PutResult;
import dev.holdfast.session.Session;
import dev.holdfast.store.TurnRow.State;
import dev.holdfast.testkit.sim.SessionModel.Starting;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.StopResult;
import dev.holdfast.turn.TurnHandle;
import dev.holdfast.turn.TurnRequest;
import dev.holdfast.turn.TurnStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Turns the operations of a history into calls of the API, and beside each what the model says of it. */
final class SessionClients {

    private static final String REASON = "enough";

    private final SessionSimulation simulation;
    private int made;

    SessionClients(SessionSimulation simulation) {
        this.simulation = simulation;
    }

    static String sessionName(int number) {
        return "c" + number;
    }

    static String turnName(int number) {
        return "t" + number;
    }

    private SessionModel model() {
        return simulation.model;
    }

    private SessionProcess process() {
        return simulation.process;
    }

    void create(SessionOp.Create op) {
        String id = sessionName(op.session());
        simulation.submit(
                new SessionCall(
                        op.toString(), () -> model().create(id), () -> simulation.ledger.unknownSessionThere(id)),
                call -> call.run(() -> {
                    Session unused = process().sessions.create(id);
                    return "created";
                }));
    }

    /** Never together with the creation: what happened in a session that came and went within one commit nobody could tell. */
    void delete(SessionOp.DeleteSession op) {
        String id = sessionName(op.session());
        if (model().session(id).isEmpty() || simulation.ledger.mayEnd(id)) {
            return;
        }
        SessionCall deletion = new SessionCall(
                op.toString(),
                () -> model().deleteSession(id),
                () -> model().session(id).filter(simulation.ledger::deleted).isPresent());
        deletion.ends = id;
        simulation.submit(
                deletion, call -> call.run(() -> "deleted " + process().sessions.delete(id)));
    }

    /** A call of a session that is there now. */
    private void inSession(
            SessionOp op,
            int number,
            Function<ModelSession, SessionCall.Outcome> outcome,
            Function<Session, String> body) {
        String id = sessionName(number);
        ModelSession session = model().session(id).orElse(null);
        if (session != null) {
            simulation.submit(
                    new SessionCall(op.toString(), () -> outcome.apply(session)),
                    call -> call.run(() -> body.apply(process().sessions.get(id))));
        }
    }

    void put(SessionOp.Put op) {
        String id = "m" + op.message();
        String under = "m" + op.under();
        String content = "content " + op.content();
        MessageDraft leaf = MessageDraft.of(id, "user", content);
        MessageDraft draft = switch (op.place()) {
            case LEAF -> leaf;
            case ROOT -> leaf.asRoot();
            case UNDER -> leaf.under(under);
        };
        inSession(
                op,
                op.session(),
                session -> model().put(session, id, content, op.place(), under, op.upsert()),
                session -> {
                    PutResult result = op.upsert() ? session.upsert(draft) : session.append(draft);
                    return result.change() + " " + result.seq();
                });
    }

    void deleteMessage(SessionOp.DeleteMessage op) {
        String id = op.message() % 2 == 0 ? "m" + op.message() / 2 : "q-" + turnName(op.message() / 2);
        inSession(
                op,
                op.session(),
                session -> model().deleteMessage(session, id),
                session -> "deleted " + session.delete(id));
    }

    void clear(SessionOp.Clear op) {
        inSession(op, op.session(), session -> model().clear(session), session -> "cleared " + session.clear());
    }

    void setProperty(SessionOp.SetProperty op) {
        String name = "p" + op.name();
        String value = "value " + ++made;
        ModelSession there = model().session(sessionName(op.session())).orElse(null);
        ModelSession.Property known = there == null ? null : there.properties.get(name);
        long version = known == null ? 0 : known.version();
        long wanted = op.condition() == SessionOp.Condition.WRONG_VERSION ? version + 1 : version;
        PropertyWrite plain = PropertyWrite.of(name, value).inFeed();
        PropertyWrite write = switch (op.condition()) {
            case ALWAYS -> plain;
            case ABSENT -> plain.ifAbsent();
            case RIGHT_VERSION, WRONG_VERSION -> plain.ifVersion(wanted);
        };
        inSession(
                op,
                op.session(),
                session -> model().setProperty(session, name, value, op.condition(), wanted),
                session -> "version " + session.properties().put(write));
    }

    void deleteProperty(SessionOp.DeleteProperty op) {
        String name = "p" + op.name();
        inSession(
                op,
                op.session(),
                session -> model().deleteProperty(session, name),
                session -> "deleted "
                        + session.properties()
                                .delete(name, PropertyWrite.Condition.ALWAYS, PropertyWrite.Notice.IN_FEED));
    }

    void start(SessionOp.Start op) {
        String session = sessionName(op.session());
        String turn = turnName(op.turn());
        String question = op.asks() ? "question " + op.payload() : null;
        String row = op.commit() == SessionOp.Commit.NONE ? null : "row " + ++made;
        String fixed = op.asks() ? "a-" + session + "-" + turn : null;
        Starting starting = new Starting(
                session,
                turn,
                op.payload() + " " + op.policy() + " " + op.asks(),
                op.policy(),
                question,
                fixed,
                row,
                null,
                op.submit());
        TurnRequest request = Requests.request(turn, op.policy(), question)
                .when(Requests.submit(op.submit()))
                .withInput(Requests.bytes("input " + op.payload()));
        if (fixed != null) {
            request = request.writing(fixed);
        }
        if (row != null) {
            request = request.committing(
                    Requests.callback(row, turn, op.commit() == SessionOp.Commit.THROWS_TWICE ? 2 : 0));
        }
        if (!simulation.early.stopIsUnderWay(session, turn)) { // else nobody could tell which of them came first
            TurnRequest asked = request;
            SessionCall start = new SessionCall(op.toString(), () -> started(starting, asked));
            start.starts = session + "/" + turn;
            simulation.submit(start, call -> begin(call, () -> process().turns.start(session, asked)));
        }
    }

    /** Of two starts whose answers nobody got, the one that was too early leaves what the other one does; the turn's row tells them apart. */
    private SessionCall.Outcome started(Starting start, TurnRequest asked) {
        SessionCall.Outcome outcome = model().start(start, simulation.life, simulation.time.wallMillis());
        boolean another = !outcome.events().isEmpty()
                && simulation.ledger.startedByAnother(start.session(), start.turn(), asked.agent(), asked.input());
        return another ? SessionCall.Outcome.refused("SessionBusy") : outcome;
    }

    void clearQueue(SessionOp.ClearQueue op) {
        String id = sessionName(op.session());
        simulation.submit(
                new SessionCall(op.toString(), () -> model().clearQueue(id)),
                call -> call.run(() -> "cleared " + process().turns.clearQueue(id, null)));
    }

    /** Something that gives a handle. */
    private interface Beginning {
        TurnHandle begin();
    }

    /** Starts or resumes, and then waits for the turn's rest, as a client does. */
    private void begin(SessionCall call, Beginning beginning) {
        TurnHandle[] handle = new TurnHandle[1];
        call.run(() -> {
            handle[0] = beginning.begin();
            return (handle[0].started() ? "started " : "attached ")
                    + handle[0].status().state();
        });
        if (handle[0] != null) {
            awaitRest(handle[0]);
        }
    }

    private void awaitRest(TurnHandle handle) {
        String messageId = handle.status().messageId();
        SessionProcess mine = process();
        simulation.waiting(mine, messageId, 1);
        try {
            TurnStatus end = handle.await();
            simulation.find(() -> {
                ModelTurn turn = model().turnsByMessage.get(messageId);
                Violation.unless(
                        turn == null
                                || model().went(messageId)
                                || turn.rested.contains(
                                        State.valueOf(end.state().name())),
                        "ONE-OUTCOME: who waited for %s was told that it is %s",
                        turn,
                        end.state());
            });
        } catch (HoldfastException.Closed e) {
            boolean down = simulation.down() || mine != process();
            simulation.find(() -> {
                ModelTurn turn = model().turnsByMessage.get(messageId);
                boolean wentWhileItWaited = turn != null && turn.session.gone && turn.queued;
                Violation.unless(down || wentWhileItWaited, "a waiter was told of a close that was none");
            });
        } catch (InterruptedException e) {
            throw new Violation("a client was interrupted", e);
        } finally {
            simulation.waiting(mine, messageId, -1);
        }
    }

    void stop(SessionOp.Stop op) {
        String session = sessionName(op.session());
        String turn = turnName(op.turn());
        ModelSession there = model().session(session)
                .filter(s -> !simulation.ledger.mayEnd(session))
                .orElse(null);
        if (there == null) {
            return;
        }
        if (!there.turns.containsKey(turn)) {
            if (op.ahead() && !simulation.ledger.startIsUnderWay(session, turn)) {
                simulation.early.stop(op.toString(), there, turn);
            }
            return;
        }
        SessionCall stopping = new SessionCall(op.toString(), () -> model().stop(session, turn, REASON));
        stopping.lags = true;
        simulation.submit(
                stopping,
                call -> call.run(() -> {
                    StopResult result = process().turns.stop(session, turn, REASON);
                    return (result.accepted() ? "stops " : "too late, ") + result.state();
                }));
    }

    void resume(SessionOp.Resume op) {
        String id = sessionName(op.session());
        ModelSession session = model().session(id).orElse(null);
        if (session != null) {
            String turn = turnName(op.turn());
            simulation.submit(
                    new SessionCall(
                            op.toString(),
                            () -> model().resume(session, turn, simulation.life, simulation.time.wallMillis())),
                    call -> begin(call, () -> process().turns.resume(id, turn, null)));
        }
    }

    void emit(SessionOp.Emit op) {
        Job job = simulation.jobs.pick(op.agent());
        if (job == null) {
            return;
        }
        List<String> chunks = new ArrayList<>();
        for (int size : op.sizes()) {
            chunks.add(++made + ".".repeat(size) + ";");
        }
        long position = op.positioned() ? ++made : -1;
        job.tell(running -> {
            try {
                running.emit(chunks, position);
                running.pending = null;
                simulation.reports.acknowledged(running, chunks, position);
            } catch (HoldfastException e) {
                if (!(e instanceof StorePoisoned)) {
                    running.pending = null;
                }
                simulation.reports.refused(running, e);
                throw e;
            }
            return null;
        });
        simulation.pump();
    }

    void finish(SessionOp.Return op) {
        Job job = simulation.jobs.pick(op.agent());
        if (job != null) {
            job.tell(running -> switch (op.end()) {
                case COMPLETES -> AgentResult.completed();
                case AWAITS -> AgentResult.awaiting("a person");
                case THROWS -> throw new Job.AgentFailed("told by the history");
            });
            simulation.pump();
        }
    }

    void nest(SessionOp.Nest op) {
        Job job = simulation.jobs.pick(op.agent());
        if (job == null) {
            return;
        }
        String turn = turnName(op.turn());
        job.tell(running -> {
            String session = running.context.sessionId();
            if (simulation.early.stopIsUnderWay(session, turn)) {
                return null;
            }
            Starting starting = new Starting(
                    session,
                    turn,
                    "nested " + op.policy(),
                    op.policy(),
                    null,
                    null,
                    null,
                    running,
                    SessionOp.Submit.DROP);
            SessionCall call = new SessionCall(
                    op.toString(), () -> model().start(starting, simulation.life, simulation.time.wallMillis()));
            call.starts = session + "/" + turn;
            simulation.ledger.submitted(call);
            call.run(() -> {
                TurnHandle handle = process()
                        .turns
                        .start(
                                session,
                                Requests.request(turn, op.policy(), null).nestedIn(running.context));
                return (handle.started() ? "started " : "attached ")
                        + handle.status().state();
            });
            return null;
        });
        simulation.pump();
    }
}
