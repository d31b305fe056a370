package dev.holdfast.store.sqlite;

import dev.holdfast.error.HoldfastException.StorePoisoned;
import dev.holdfast.store.FailStop;
import java.security.SecureRandom;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices that another process opened the store although this one has it open, which {@link FolderLock} prevents unless someone removes its
 * file. Each open writes a number of its own into the store, in the transaction that reads the log; each later transaction looks whether it
 * is still there, inside the transaction, where nobody else can write. From the first one that finds another number on, this store is poisoned:
 * what it has in memory is no longer what is stored.
 *
 * <p>If the number cannot be written because the disk is full, the store is open without this check, since only an open store can be
 * emptied.
 *
 * <p>Belongs to the committer's thread.
 */
final class Ownership {

    private static final Logger LOG = LoggerFactory.getLogger(Ownership.class);

    private static final SecureRandom RANDOM = new SecureRandom();

    private final MetaTable meta;
    private final FailStop failStop;
    /** 0 while it is not claimed. */
    private long own;

    Ownership(MetaTable meta, FailStop failStop) {
        this.meta = meta;
        this.failStop = failStop;
    }

    /** Writes a new number, in the transaction that is open. It counts once {@link #claimed} was called. */
    long claim() throws SQLException {
        long number = RANDOM.nextLong(1, Long.MAX_VALUE);
        meta.set(MetaTable.OWNER, number);
        return number;
    }

    /** The claim was committed. */
    void claimed(long number) {
        own = number;
    }

    void notClaimed(Exception why) {
        LOG.warn(
                "The store is open without a guard against a second process, which the full disk left no room for",
                why);
    }

    /** This store's number, or 0. */
    long number() {
        return own;
    }

    /** In the transaction that is open: refuses if another process has the store. */
    void check() throws SQLException {
        if (own != 0 && meta.get(MetaTable.OWNER) != own) {
            throw lost();
        }
    }

    /** Poisons the store. */
    StorePoisoned lost() {
        return failStop.poison(new StorePoisoned(
                "Another process opened the store while this one had it open: its file holdfast.lock was removed. This process takes no more writes; stop it, and leave the store to the other one.",
                new IllegalStateException("holdfast_meta has another owner")));
    }
}
