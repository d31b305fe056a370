package dev.holdfast.testkit.sim;

import dev.holdfast.store.TurnRow.State;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
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

    final ModelSession session;
    final String id;
    final String fingerprint;
    final SessionOp.Policy policy;
    final @Nullable ModelTurn parent;
    final @Nullable String answers;
    final String messageId;
    final String streamName;
    final List<Attempt> attempts = new ArrayList<>();

    State state = State.STREAMING;
    final Set<State> rested = EnumSet.noneOf(State.class);
    boolean stopRequested;

    /** Its stream stays for its parent to read. */
    boolean streamKept;

    /** Attempts since it last made progress, and when that was. */
    int tries = 1;

    long progressAt;

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

    boolean live() {
        return !state.isOutcome();
    }

    Attempt attempt() {
        return attempts.getLast();
    }

    boolean progressed() {
        return attempt().chunks().list.size() > attempt().prefix();
    }

    @Override
    public String toString() {
        return session.id + "/" + id;
    }
}
