package dev.holdfast.error;

/**
 * The one family of errors that Holdfast raises. Every subclass names one situation that a caller can act on; each wire maps each
 * subclass in one table. The message says what was wrong and what to do.
 *
 * <p>Unless a subclass says otherwise, the operation that raised it changed nothing: it was refused, or rolled back as a whole.
 */
public abstract sealed class HoldfastException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    HoldfastException(String message) {
        super(message);
    }

    HoldfastException(String message, Throwable cause) {
        super(message, cause);
    }

    /** An error that was raised elsewhere. Each class whose other constructors make the message has one like it. */
    HoldfastException(Refusal refusal) {
        super(refusal.message());
    }

    /** An argument is malformed: empty or with forbidden characters. */
    public static final class InvalidArgument extends HoldfastException {
        private static final long serialVersionUID = 1L;

        public InvalidArgument(String message) {
            super(message);
        }
    }

    /** A named limit would be exceeded. Units are bytes unless the name of the limit says otherwise. */
    public static final class LimitExceeded extends HoldfastException {
        private static final long serialVersionUID = 1L;
        private final String limit;
        private final long allowed;
        private final long actual;

        public LimitExceeded(String limit, long allowed, long actual, String advice) {
            super("%s is %d, but %d were given: %s".formatted(limit, allowed, actual, advice));
            this.limit = limit;
            this.allowed = allowed;
            this.actual = actual;
        }

        LimitExceeded(Refusal refusal) {
            super(refusal);
            this.limit = refusal.text();
            this.allowed = refusal.number(0);
            this.actual = refusal.number(1);
        }

        /** The name of the limit, as the documentation lists it. */
        public String limit() {
            return limit;
        }

        public long allowed() {
            return allowed;
        }

        public long actual() {
            return actual;
        }
    }

    /** No stream of this name exists, or it was discarded, deleted or expired. */
    public static final class StreamNotFound extends HoldfastException {
        private static final long serialVersionUID = 1L;

        public StreamNotFound(String name) {
            super("There is no stream \"%s\". Open it first, or check whether it ended and was discarded."
                    .formatted(name));
        }

        StreamNotFound(Refusal refusal) {
            super(refusal);
        }
    }

    /** The stream was deleted or expired, but its name is taken until the last stream that was forked from it is gone as well. */
    public static final class StreamGone extends HoldfastException {
        private static final long serialVersionUID = 1L;

        public StreamGone(String name) {
            super("Stream \"%s\" is gone. Its name is free again once every stream that was forked from it is deleted."
                    .formatted(name));
        }

        StreamGone(Refusal refusal) {
            super(refusal);
        }
    }

    /** The stream is settled; nothing can be appended to it any more. */
    public static final class StreamClosed extends HoldfastException {
        private static final long serialVersionUID = 1L;
        private final long tail;

        public StreamClosed(String name, String state, long tail) {
            super("Stream \"%s\" is %s and takes no more chunks. Open a new stream.".formatted(name, state));
            this.tail = tail;
        }

        StreamClosed(Refusal refusal) {
            super(refusal);
            this.tail = refusal.number(0);
        }

        /** The number of chunks the stream ended with: the sequence number after its last chunk. */
        public long tail() {
            return tail;
        }
    }

    /** The stream exists with another tag, content type or life time than the one asked for. */
    public static final class StreamConflict extends HoldfastException {
        private static final long serialVersionUID = 1L;

        public StreamConflict(String message) {
            super(message);
        }
    }

    /** The writer's epoch is not the stream's (or session's) any more: another writer took over. */
    public static final class StaleEpoch extends HoldfastException {
        private static final long serialVersionUID = 1L;
        private final long current;

        public StaleEpoch(String name, long given, long current) {
            super("\"%s\" was taken over: this writer has epoch %d, the current one is %d. Stop writing."
                    .formatted(name, given, current));
            this.current = current;
        }

        private StaleEpoch(String message) {
            super(message);
            this.current = 0;
        }

        /** A node of a cluster missed its beats for so long that it is none any more; nothing has an epoch then. */
        public static StaleEpoch ofNode(long node) {
            return new StaleEpoch(
                    "Node %d missed its beats and was given up: its leases are gone. Join anew.".formatted(node));
        }

        StaleEpoch(Refusal refusal) {
            super(refusal);
            this.current = refusal.number(0);
        }

        public long current() {
            return current;
        }
    }

    /** A producer skipped a sequence number: an earlier append is missing. */
    public static final class ProducerGap extends HoldfastException {
        private static final long serialVersionUID = 1L;
        private final long expected;
        private final long received;
        private final boolean startsEpoch;

        public ProducerGap(String producer, long expected, long received) {
            this(
                    "Producer \"%s\" sent sequence %d, but %d comes next. Send the missing append first."
                            .formatted(producer, received, expected),
                    expected,
                    received,
                    false);
        }

        ProducerGap(Refusal refusal) {
            super(refusal);
            this.expected = refusal.number(0);
            this.received = refusal.number(1);
            this.startsEpoch = refusal.number(2) != 0;
        }

        private ProducerGap(String message, long expected, long received, boolean startsEpoch) {
            super(message);
            this.expected = expected;
            this.received = received;
            this.startsEpoch = startsEpoch;
        }

        /** A producer began a higher epoch with another sequence than 0. */
        public static ProducerGap atStartOfEpoch(String producer, long epoch, long received) {
            return new ProducerGap(
                    "Producer \"%s\" began epoch %d with sequence %d. Each epoch begins with sequence 0."
                            .formatted(producer, epoch, received),
                    0,
                    received,
                    true);
        }

        /** Whether the producer began a higher epoch than the one known of it; false for one that is unknown altogether. */
        public boolean startsEpoch() {
            return startsEpoch;
        }

        public long expected() {
            return expected;
        }

        public long received() {
            return received;
        }
    }

    /** A producer used an epoch below the one the stream knows of it: a newer incarnation of that producer is at work. */
    public static final class StaleProducer extends HoldfastException {
        private static final long serialVersionUID = 1L;
        private final long currentEpoch;

        public StaleProducer(String producer, long given, long currentEpoch) {
            super("Producer \"%s\" sent epoch %d, but epoch %d is in use. Stop, or start again with a higher epoch."
                    .formatted(producer, given, currentEpoch));
            this.currentEpoch = currentEpoch;
        }

        StaleProducer(Refusal refusal) {
            super(refusal);
            this.currentEpoch = refusal.number(0);
        }

        public long currentEpoch() {
            return currentEpoch;
        }
    }

    /** The append's order is not greater than the order of an append before it. */
    public static final class OrderConflict extends HoldfastException {
        private static final long serialVersionUID = 1L;
        private final String current;

        public OrderConflict(String name, String given, String current) {
            super(
                    "\"%s\" has an append of order \"%s\" already, and \"%s\" is not greater. Compare the bytes of their UTF-8 form."
                            .formatted(name, current, given));
            this.current = current;
        }

        OrderConflict(Refusal refusal) {
            super(refusal);
            this.current = refusal.text();
        }

        /** The order of the newest append that had one. */
        public String current() {
            return current;
        }
    }

    /** A condition on the stream's position or on a version did not hold. */
    public static final class PreconditionFailed extends HoldfastException {
        private static final long serialVersionUID = 1L;

        public PreconditionFailed(String message) {
            super(message);
        }
    }

    /** The chunks at this position were trimmed away. Start again at {@link #first()}, or from a snapshot. */
    public static final class CursorTooOld extends HoldfastException {
        private static final long serialVersionUID = 1L;
        private final long first;

        public CursorTooOld(String name, long asked, long first) {
            super("\"%s\" no longer has position %d; its first is %d. Start again from there or from a snapshot."
                    .formatted(name, asked, first));
            this.first = first;
        }

        CursorTooOld(Refusal refusal) {
            super(refusal);
            this.first = refusal.number(0);
        }

        /** The first position that can still be read. */
        public long first() {
            return first;
        }
    }

    /** The position lies beyond the tail: the cursor was not given by this stream. */
    public static final class CursorAhead extends HoldfastException {
        private static final long serialVersionUID = 1L;
        private final long tail;

        public CursorAhead(String name, long asked, long tail) {
            super("\"%s\" ends at position %d, but the cursor asks for %d. Start again from the beginning."
                    .formatted(name, tail, asked));
            this.tail = tail;
        }

        CursorAhead(Refusal refusal) {
            super(refusal);
            this.tail = refusal.number(0);
        }

        public long tail() {
            return tail;
        }
    }

    /** The cursor is no cursor, or belongs to another stream, session or tenant. */
    public static final class WrongCursor extends HoldfastException {
        private static final long serialVersionUID = 1L;

        public WrongCursor(String message) {
            super(message);
        }
    }

    /** No session of this id exists. */
    public static final class SessionNotFound extends HoldfastException {
        private static final long serialVersionUID = 1L;

        public SessionNotFound(String id) {
            super("There is no session \"%s\". Create it first.".formatted(id));
        }

        SessionNotFound(Refusal refusal) {
            super(refusal);
        }
    }

    /** No message of this id exists in the session. */
    public static final class MessageNotFound extends HoldfastException {
        private static final long serialVersionUID = 1L;

        public MessageNotFound(String session, String id) {
            super("Session \"%s\" has no message \"%s\".".formatted(session, id));
        }

        MessageNotFound(Refusal refusal) {
            super(refusal);
        }
    }

    /** No turn of this id exists in the session. */
    public static final class TurnNotFound extends HoldfastException {
        private static final long serialVersionUID = 1L;

        public TurnNotFound(String session, String id) {
            super("Session \"%s\" has no turn \"%s\".".formatted(session, id));
        }

        TurnNotFound(Refusal refusal) {
            super(refusal);
        }
    }

    /** The same key was used before with another payload, or the turn is not in the state that this needs. */
    public static final class TurnConflict extends HoldfastException {
        private static final long serialVersionUID = 1L;

        public TurnConflict(String message) {
            super(message);
        }
    }

    /** The turn was to be dropped if the session is busy, and it is. Nothing was written, not even its message. */
    public static final class SessionBusy extends HoldfastException {
        private static final long serialVersionUID = 1L;

        public SessionBusy(String session, String turn) {
            super("Session \"%s\" is busy with turn \"%s\". Send it again after that, or with a policy that waits."
                    .formatted(session, turn));
        }

        SessionBusy(Refusal refusal) {
            super(refusal);
        }
    }

    /** No attachment of this id exists in the session: it was never uploaded, or no message named it in time. */
    public static final class AttachmentNotFound extends HoldfastException {
        private static final long serialVersionUID = 1L;

        public AttachmentNotFound(String session, String id) {
            super("Session \"%s\" has no attachment %s. Upload it, and send the address that the answer gives."
                    .formatted(session, id));
        }

        AttachmentNotFound(Refusal refusal) {
            super(refusal);
        }
    }

    /** The store finds no messages by their words. Use another store, or a search engine of your own. */
    public static final class SearchNotSupported extends HoldfastException {
        private static final long serialVersionUID = 1L;

        public SearchNotSupported() {
            super("This store cannot search messages. Use another store, or search in an index of your own.");
        }

        SearchNotSupported(Refusal refusal) {
            super(refusal);
        }
    }

    /** The tool call was answered otherwise before, or takes no such answer. */
    public static final class AnswerConflict extends HoldfastException {
        private static final long serialVersionUID = 1L;

        public AnswerConflict(String toolCall, String why) {
            super("The tool call \"%s\" %s. Load the message to see how it stands.".formatted(toolCall, why));
        }

        AnswerConflict(Refusal refusal) {
            super(refusal);
        }
    }

    /** The turn's message has no tool call of this id. */
    public static final class ToolCallNotFound extends HoldfastException {
        private static final long serialVersionUID = 1L;

        public ToolCallNotFound(String turn, String toolCall) {
            super("Turn \"%s\" has no tool call \"%s\".".formatted(turn, toolCall));
        }

        ToolCallNotFound(Refusal refusal) {
            super(refusal);
        }
    }

    /** The authorization port said no. */
    public static final class NotAuthorized extends HoldfastException {
        private static final long serialVersionUID = 1L;

        public NotAuthorized(String message) {
            super(message);
        }
    }

    /** Too much is queued already. Nothing was written; try again after a moment. */
    public static final class Overloaded extends HoldfastException {
        private static final long serialVersionUID = 1L;

        public Overloaded(String message) {
            super(message);
        }
    }

    /** The application's commit callback threw: everything of its transaction was rolled back. */
    public static final class CallbackFailed extends HoldfastException {
        private static final long serialVersionUID = 1L;

        public CallbackFailed(String message, Throwable cause) {
            super(message, cause);
        }

        CallbackFailed(Refusal refusal) {
            super(refusal);
        }
    }

    /** The disk (or the store's configured size) is full. Rolled back; works again by itself once there is room. */
    public static final class StoreFull extends HoldfastException {
        private static final long serialVersionUID = 1L;

        public StoreFull(String message, Throwable cause) {
            super(message, cause);
        }

        StoreFull(Refusal refusal) {
            super(refusal);
        }
    }

    /** Another connection held the store's lock for too long. Rolled back; try again. */
    public static final class StoreBusy extends HoldfastException {
        private static final long serialVersionUID = 1L;

        public StoreBusy(String message, Throwable cause) {
            super(message, cause);
        }

        StoreBusy(Refusal refusal) {
            super(refusal);
        }
    }

    /** The store refused a write for another reason of known fate (a constraint, a corrupt page). Rolled back. */
    public static final class StoreFailed extends HoldfastException {
        private static final long serialVersionUID = 1L;

        public StoreFailed(String message, Throwable cause) {
            super(message, cause);
        }

        StoreFailed(Refusal refusal) {
            super(refusal);
        }
    }

    /**
     * FAIL-STOP: an earlier write failed in a way that leaves unknown what is on disk (a failed fsync). This instance writes no more.
     * Close it and open the store anew; what was acknowledged is there.
     */
    public static final class StorePoisoned extends HoldfastException {
        private static final long serialVersionUID = 1L;

        private final boolean leaseLost;

        public StorePoisoned(String message, Throwable cause) {
            this(message, cause, false);
        }

        private StorePoisoned(String message, Throwable cause, boolean leaseLost) {
            super(message, cause);
            this.leaseLost = leaseLost;
        }

        StorePoisoned(Refusal refusal) {
            super(refusal);
            this.leaseLost = refusal.number(0) != 0;
        }

        /** Another node took the shard's lease over, as in a cluster is to be expected: nothing was changed by what is refused so. */
        public static StorePoisoned ofLostLease(String message, Throwable cause) {
            return new StorePoisoned(message, cause, true);
        }

        /** The same for another caller, with the first as its cause. */
        public static StorePoisoned again(StorePoisoned first) {
            return new StorePoisoned(String.valueOf(first.getMessage()), first, first.leaseLost);
        }

        /** Whether another node writes the shard now: then nothing was changed, and the next try finds that node. */
        public boolean isLeaseLost() {
            return leaseLost;
        }
    }

    /** The stored bytes are damaged: a bad checksum, a hole in the journal, a bad WAL frame. Nothing was opened or changed. */
    public static final class StoreDamaged extends HoldfastException {
        private static final long serialVersionUID = 1L;

        public StoreDamaged(String message) {
            super(message);
        }

        public StoreDamaged(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** The node that was to make a change was lost, or is late, and whether it made the change is not known. */
    public static final class OutcomeUnknown extends HoldfastException {
        private static final long serialVersionUID = 1L;

        public OutcomeUnknown(String message) {
            super(message);
        }
    }

    /** Another process has the store open. */
    public static final class StoreLocked extends HoldfastException {
        private static final long serialVersionUID = 1L;

        public StoreLocked(String message) {
            super(message);
        }
    }

    /** The store was written by a newer version of Holdfast. */
    public static final class StoreTooNew extends HoldfastException {
        private static final long serialVersionUID = 1L;

        public StoreTooNew(String message) {
            super(message);
        }
    }

    /** Holdfast was closed (or is draining) and takes no more work. */
    public static final class Closed extends HoldfastException {
        private static final long serialVersionUID = 1L;

        public Closed(String message) {
            super(message);
        }
    }
}
