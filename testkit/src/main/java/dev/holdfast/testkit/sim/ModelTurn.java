package dev.holdfast.testkit.sim;

import dev.holdfast.store.TurnRow.State;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What one turn should be. */
final class ModelTurn {

    /** One incarnation of a turn's stream: the chunks that were acknowledged, in order. */
    static final class Chunks {
        final List<String> list = new ArrayList<>();
        long streamKey;
        long incarnation;

        /** The agent's own position, stored with its chunks; -1 for none. */
        long position = -1;
    }

    /**
     * One run of its agent.
     *
     * @param life which process ran it
     * @param number counts the attempts that write this message in that process
     * @param prefix how many chunks its stream had when it began
     * @param row what the application writes in the transaction that ends it, or null
     */
    record Attempt(
            int life,
            int number,
            Chunks chunks,
            long prefix,
            @Nullable String row) {}

    /**
     * An answer that came before the turn waited for it.
     *
     * @param awaits how often the turn had waited by then
     */
    record Kept(String output, int awaits) {}

    final ModelSession session;
    final String id;
    final String fingerprint;
    final SessionOp.Policy policy;
    final @Nullable ModelTurn parent;
    final @Nullable String answers;
    final String messageId;
    String streamName;

    /** Of a turn that waits: not before when it may begin, what the application commits with it, and which process knows that. */
    long startsAt;

    boolean queued;

    @Nullable
    String waitingRow;

    int acceptedIn;

    final List<Attempt> attempts = new ArrayList<>();

    State state = State.STREAMING;
    final Set<State> rested = EnumSet.noneOf(State.class);
    boolean stopRequested;

    /** The number below the message of the turn behind it, which is left free for its answer; 0 for none. */
    long slot;

    /** How often it began to wait for someone, and the answers that are kept until it does, by their calls. */
    int awaits;

    final Map<String, Kept> kept = new TreeMap<>();

    /** Its stream stays for its parent to read. */
    boolean streamKept;

    /** Attempts since it last made progress, and when that was. */
    int tries = 1;

    long progressAt;

    /** Losses since it last got further than ever, as its incident counts them; 0 without an incident. */
    int losses;

    /** The most chunks its stream ever had, and when it last got further; while there is an incident. */
    long furthest;

    long furtherAt;

    /** It nested turns: their progress is its own, and the model does not follow it. */
    boolean nests;

    /** Since when its present attempt, with all it nests, has emitted nothing; and whether it may have been given up for that. */
    long quietSince;

    boolean mayBeStalled;

    /** What its message had before a later commit changed or deleted it; the message may have been assembled then. */
    @Nullable
    String written;

    ModelTurn(
            ModelSession session,
            String id,
            String fingerprint,
            SessionOp.Policy policy,
            @Nullable ModelTurn parent,
            @Nullable String answers,
            String messageId,
            String streamName) {
        this.session = session;
        this.id = id;
        this.fingerprint = fingerprint;
        this.policy = policy;
        this.parent = parent;
        this.answers = answers;
        this.messageId = messageId;
        this.streamName = streamName;
    }

    boolean waits() {
        return state == State.ACCEPTED;
    }

    boolean live() {
        return !state.isOutcome();
    }

    Attempt attempt() {
        return attempts.getLast();
    }

    boolean progressed() {
        return attempt().chunks().list.size() > attempt().prefix();
    }

    /** Whether the attempt that is lost now got further than every one before it. */
    boolean gotFurther() {
        return losses == 0 ? progressed() : attempt().chunks().list.size() > furthest;
    }

    int nextLosses() {
        return gotFurther() ? 1 : losses + 1;
    }

    /** The attempt is lost, and the turn goes on. */
    void lost(long now) {
        boolean further = gotFurther();
        long before = losses == 0 ? progressAt : furtherAt;
        losses = nextLosses();
        furtherAt = further ? now : before;
        furthest = Math.max(furthest, attempt().chunks().list.size());
    }

    /** It waits or is over, and has no incident any more. */
    void recovered() {
        losses = 0;
        furthest = 0;
    }

    @Override
    public String toString() {
        return session.id + "/" + id;
    }
}
