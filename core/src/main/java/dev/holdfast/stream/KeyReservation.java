package dev.holdfast.stream;

import dev.holdfast.store.CommitScope;
import dev.holdfast.store.StoreTransaction;

/**
 * Hands out keys in the order of their reservation; a reservation that is rolled back is forgotten. Confined to the committer's thread.
 */
final class KeyReservation implements CommitScope.Staged {

    /** Keys reserved from the store at once. */
    private static final int KEYS_PER_RESERVATION = 256;

    private long next;
    private long end;
    private long committedEnd;
    private boolean staged;

    long next(CommitScope scope) {
        if (next == end) {
            next = scope.writes().reserveKeys(KEYS_PER_RESERVATION);
            end = next + KEYS_PER_RESERVATION;
            if (!staged) {
                staged = true;
                scope.stage(this);
            }
        }
        return next++;
    }

    @Override
    public void apply(StoreTransaction.Receipt receipt) {
        staged = false;
        committedEnd = end;
    }

    @Override
    public void discard() {
        staged = false;
        next = committedEnd;
        end = committedEnd;
    }
}
