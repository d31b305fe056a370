package dev.holdfast.turn;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.LimitExceeded;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.Shards;
import dev.holdfast.store.StoreReads;
import dev.holdfast.store.TurnRow;
import dev.holdfast.stream.Names;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The turns of one tenant: runs of agents in sessions, detached from whoever started them. Each ends in exactly one outcome (ONE-OUTCOME),
 * and a process that is lost in between loses nothing that anyone saw: the next open of the store takes the turn up again.
 *
 * <p>Thread-safe. Methods wait for the disk.
 */
public final class Turns {

    private final Shards<TurnRuntime> shards;
    private final String tenant;

    public Turns(TurnRuntime runtime, String tenant) {
        this(Shards.only(runtime), tenant);
    }

    public Turns(Shards<TurnRuntime> shards, String tenant) {
        this.shards = shards;
        this.tenant = tenant;
    }

    private <R> R read(String sessionId, Function<StoreReads, R> work) {
        return shards.on(tenant, sessionId, runtime -> runtime.store().read(work));
    }

    /**
     * Starts a turn, or attaches to the one that was started with the same key (SAME-KEY-ATTACHES). When it returns, the user's message and the
     * turn are durable, and its stream as well, unless it waits: while the session is busy it does as {@link TurnRequest#submit} says.
     *
     * @throws HoldfastException.SessionNotFound if there is no such session
     * @throws HoldfastException.TurnConflict if the key was used with another payload
     * @throws HoldfastException.SessionBusy if it was to be dropped while the session is busy; nothing was written then
     * @throws HoldfastException.MessageNotFound if there is no message to go under, beside, or to be answered again
     * @throws LimitExceeded if too many turns wait, or are nested, in the session
     * @throws InvalidArgument if there is no such agent
     * @throws HoldfastException.Closed while shutting down
     */
    public TurnHandle start(String sessionId, TurnRequest request) {
        Names.check("turn id", request.id());
        if (request.messageId() != null) {
            Names.check("message id", request.messageId());
        }
        checkInput(request.input());
        return shards.on(tenant, sessionId, runtime -> runtime.start(tenant, sessionId, request));
    }

    private static void checkInput(byte[] input) {
        if (input.length > TurnLimits.MAX_INPUT_BYTES) {
            throw new LimitExceeded(
                    "MAX_INPUT_BYTES", TurnLimits.MAX_INPUT_BYTES, input.length, "send a smaller input");
        }
    }

    /**
     * Stops a turn. Once it returns as accepted the stop is durable: the turn ends as {@code STOPPED} with its partial kept, also if the
     * process is lost at once. Repeating it changes nothing.
     *
     * <p>A turn that waits in the queue ends at once. A turn that is not there yet, because its start is still on its way, is stopped as soon as
     * it comes, within {@link TurnLimits#STOP_AHEAD_LIFE}; its message is kept, its agent never runs.
     *
     * @param reason shown to clients, or null
     * @throws HoldfastException.SessionNotFound if there is no such session
     * @throws LimitExceeded if the session keeps {@value TurnLimits#MAX_STOPS_AHEAD} stops of turns that never came
     */
    public StopResult stop(String sessionId, String turnId, @Nullable String reason) {
        return shards.on(tenant, sessionId, runtime -> runtime.stop(tenant, sessionId, turnId, reason));
    }

    /**
     * Goes on with a turn that waits, on a new stream.
     *
     * @param input replaces the turn's payload, or null to leave it
     * @throws HoldfastException.TurnConflict if the turn does not wait
     */
    public TurnHandle resume(String sessionId, String turnId, byte @Nullable [] input) {
        if (input != null) {
            checkInput(input);
        }
        return shards.on(tenant, sessionId, runtime -> runtime.resume(tenant, sessionId, turnId, input));
    }

    /**
     * Answers a tool call that a turn waits for: with the tool's output or error, or by approving or denying it. The answer is in the turn's
     * message when this returns; once nothing in the message waits any more, the turn goes on in the same commit. The same answer again changes
     * nothing.
     *
     * <p>While the turn still streams, its calls are not in the message yet: the answer is kept, durable, for at most
     * {@link TurnLimits#KEPT_ANSWER_LIFE}, and applied as soon as the turn waits. Such an answer is at most
     * {@value dev.holdfast.session.SessionLimits#MAX_PROPERTY_BYTES} bytes.
     *
     * @throws HoldfastException.AnswerConflict if the call was answered otherwise, or takes no such answer
     * @throws HoldfastException.ToolCallNotFound if the turn has no such call
     * @throws HoldfastException.TurnConflict if the turn was stopped
     * @throws HoldfastException.TurnNotFound if there is no such turn
     * @throws InvalidArgument if the answer is malformed, or {@link TurnSettings} names nothing that applies answers
     */
    public AnswerResult answer(String sessionId, String turnId, ToolAnswer answer) {
        return shards.on(tenant, sessionId, runtime -> runtime.answers().answer(tenant, sessionId, turnId, answer));
    }

    /** A turn as it stands. */
    public Optional<TurnStatus> status(String sessionId, String turnId) {
        return read(
                sessionId,
                reads -> reads.session(tenant, sessionId)
                        .flatMap(session -> reads.turn(session.key(), turnId))
                        .map(row -> TurnRows.status(sessionId, row)));
    }

    /** The session's turns that wait in its queue, the next one first. */
    public List<TurnStatus> queue(String sessionId) {
        return live(sessionId).stream()
                .filter(turn -> turn.state() == TurnState.ACCEPTED)
                .toList();
    }

    /**
     * Ends all turns that wait in the session's queue as {@code STOPPED}, in one commit. The turn that runs goes on; what is queued from then on
     * is not touched. Their messages stay; {@link dev.holdfast.session.Session#clear} removes those as well.
     *
     * @param reason shown to clients, or null
     * @return how many there were
     * @throws HoldfastException.SessionNotFound if there is no such session
     */
    public int clearQueue(String sessionId, @Nullable String reason) {
        return shards.on(tenant, sessionId, runtime -> runtime.clearQueue(tenant, sessionId, reason));
    }

    /** The session's turns that are being recovered, or were given up lately; at most {@value RecoverySettings#MAX_INCIDENTS_LISTED}. */
    public List<Incident> incidents(String sessionId) {
        long now = shards.of(tenant, sessionId).streams().time().wallMillis();
        return read(
                sessionId,
                reads -> reads.session(tenant, sessionId)
                        .map(session -> Incidents.list(reads, session, now))
                        .orElse(List.of()));
    }

    /** The session's turns without an outcome, oldest first. */
    public List<TurnStatus> live(String sessionId) {
        return read(
                sessionId,
                reads -> reads.session(tenant, sessionId)
                        .map(session -> statuses(session, reads.liveTurns(session.key())))
                        .orElse(List.of()));
    }

    /** The session's newest turns, newest first, at most {@code limit}. */
    public List<TurnStatus> latest(String sessionId, int limit) {
        return read(
                sessionId,
                reads -> reads.session(tenant, sessionId)
                        .map(session -> statuses(session, reads.turns(session.key(), Long.MAX_VALUE, "", limit)))
                        .orElse(List.of()));
    }

    private static List<TurnStatus> statuses(SessionRow session, List<TurnRow> rows) {
        return rows.stream().map(row -> TurnRows.status(session.id(), row)).toList();
    }

    /** How many turns have a thread in this process, whoever their tenant is; one that waits has none. */
    public int running() {
        return shards.all().stream().mapToInt(TurnRuntime::running).sum();
    }

    int held() {
        return shards.all().stream().mapToInt(TurnRuntime::held).sum();
    }

    /**
     * Prepares for the end of the process: starts no more turns, lets the running ones finish for at most {@code grace}, and leaves the rest
     * to be taken up by the next open of the store.
     */
    public void drain(Duration grace) {
        TurnRuntime.drain(shards.all(), grace);
    }
}
