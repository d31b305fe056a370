package dev.holdfast.stream;

import dev.holdfast.store.CommitScope;
import dev.holdfast.store.StreamRow;

/** What a batch can change in a stream's row while the stream lives on. Committer's thread. */
final class RowChanges {

    private RowChanges() {}

    /** Takes the right to write away from everyone who has it now. */
    static void takeOver(CommitScope scope, StreamLog log) {
        Staging s = log.staging(scope);
        StreamRow r = s.row;
        s.row = Rows.edit(r)
                .epoch(r.epoch() + 1)
                .tail(s.tail)
                .updatedAt(scope.now())
                .row();
        scope.writes().updateStream(s.row);
    }

    /**
     * Notes that all below {@code seq} is in blocks of this transaction. Only committed chunks are ever sealed, so a failed seal changes
     * nothing.
     *
     * @param bytes payload of what is sealed now
     */
    static void seal(CommitScope scope, StreamLog log, long seq, long bytes) {
        Staging s = log.staging(scope);
        if (seq <= s.sealedTo || seq > log.open().to()) {
            throw new AssertionError("seal of %s to %d, open block is %d..%d"
                    .formatted(log.name(), seq, s.sealedTo, log.open().to()));
        }
        s.sealedTo = seq;
        StreamRow.Retained r = s.row.retained();
        s.row = Rows.edit(s.row)
                .sealedTo(seq)
                .tail(s.tail)
                .lastAppendAt(s.chunks().isEmpty() ? log.lastAppendAt() : scope.now())
                .marks(s.marks().encode())
                .retained(new StreamRow.Retained(r.maxAgeMillis(), r.maxBytes(), r.sealedBytes() + bytes, r.trimAt()))
                .row();
        scope.writes().updateStream(s.row);
    }

    /** Makes everything below {@code seq} unreadable. */
    static long trim(CommitScope scope, StreamLog log, long seq) {
        Staging s = log.staging(scope);
        long first = Math.min(seq, s.tail);
        if (first > s.row.firstSeq()) {
            s.row = Rows.edit(s.row)
                    .firstSeq(first)
                    .tail(s.tail)
                    .updatedAt(scope.now())
                    .row();
            scope.writes().updateStream(s.row);
        }
        return s.row.firstSeq();
    }

    /** Moves the persisted deadline of a sliding life. */
    static void extendLife(CommitScope scope, StreamLog log, long deadline) {
        Staging s = log.staging(scope);
        s.row = Rows.edit(s.row)
                .expiresAt(deadline)
                .tail(s.tail)
                .updatedAt(s.row.updatedAt())
                .row();
        scope.writes().updateStream(s.row);
    }

    /** Counts the streams that were forked from this one. */
    static void forks(CommitScope scope, StreamLog log, long count) {
        Staging s = log.staging(scope);
        s.row = Rows.edit(s.row).forks(count).tail(s.tail).row();
        scope.writes().updateStream(s.row);
    }

    /** Makes everything below {@code first} unreadable, and notes when the oldest block that is left is too old; 0 for never. */
    static void retain(CommitScope scope, StreamLog log, long first, long trimAt) {
        Staging s = log.staging(scope);
        StreamRow.Retained r = s.row.retained();
        if (first != s.row.firstSeq() || trimAt != r.trimAt()) {
            s.row = Rows.edit(s.row)
                    .firstSeq(first)
                    .retained(new StreamRow.Retained(r.maxAgeMillis(), r.maxBytes(), r.sealedBytes(), trimAt))
                    .tail(s.tail)
                    .row();
            scope.writes().updateStream(s.row);
        }
    }
}
