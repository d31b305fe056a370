package dev.holdfast.stream;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a stream is settled: with which outcome, whether it is kept, and what else is committed in the same transaction.
 *
 * @param outcome {@code COMPLETED} or {@code ERRORED}
 * @param error the reason of an errored stream, or null
 * @param fate whether the stream stays readable
 * @param lastChunks chunks appended in the same commit
 * @param commit the application's writes in the same transaction, or null
 */
public record Settlement(
        StreamState outcome,
        @Nullable String error,
        Fate fate,
        List<byte[]> lastChunks,
        @Nullable CommitCallback commit) {

    /** Whether a settled stream stays readable. */
    public enum Fate {
        KEEP,
        DISCARD
    }

    public static Settlement completed() {
        return new Settlement(StreamState.COMPLETED, null, Fate.KEEP, List.of(), null);
    }

    public static Settlement errored(String reason) {
        return new Settlement(StreamState.ERRORED, reason, Fate.KEEP, List.of(), null);
    }

    /** Nobody new can open the stream once it is settled; readers attached at that instant still receive every chunk. */
    public Settlement discard() {
        return new Settlement(outcome, error, Fate.DISCARD, lastChunks, commit);
    }

    public Settlement append(List<byte[]> chunks) {
        return new Settlement(outcome, error, fate, chunks, commit);
    }

    /** Runs in the same transaction; a throw rolls everything back and leaves the stream live. */
    public Settlement commit(CommitCallback callback) {
        return new Settlement(outcome, error, fate, lastChunks, callback);
    }
}
