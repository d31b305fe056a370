package dev.holdfast.testkit;

import dev.holdfast.error.HoldfastException.StoreDamaged;
import dev.holdfast.error.HoldfastException.StorePoisoned;
import dev.holdfast.store.LogFrame;
import dev.holdfast.store.Store;
import dev.holdfast.store.StoreReads;
import dev.holdfast.store.StoreTransaction;
import dev.holdfast.store.Time;
import dev.holdfast.testkit.ScriptedDisk.Kind;
import dev.holdfast.testkit.Table.LogRow;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A store in memory, on a {@link ScriptedDisk}: what a store in a single file with a write-ahead log would do, without the file.
 *
 * <p>A commit writes the transaction's bytes to the log and syncs. At opening the log is replayed, a torn last transaction dropped, damage
 * refused. The tables are immutable maps, so that a read has its snapshot and a rollback costs nothing. Every verb is a step of the disk's
 * script.
 *
 * <p>It is the reference for {@link StoreContract}: each verb is written the plainest way, and it insists on what a schema would (unique
 * names, rows that exist), so that a caller's mistake fails loudly.
 */
public final class SimStore implements Store {

    private final ScriptedDisk disk;
    private final Time time;
    private final int process;
    private final int shard;
    private volatile Tables committed;
    private volatile @Nullable StorePoisoned poison;
    private volatile boolean closed;
    private @Nullable SimTransaction open;

    /** A row that the application wrote in a commit callback. */
    public record ApplicationRow(String name, String value) {}

    /** This store's own handle for commit callbacks. */
    public interface Application {
        void put(String name, String value);
    }

    /**
     * Opens what is on the disk. The store that had it before can do nothing from now on.
     *
     * @throws StoreDamaged if a transaction is damaged that is not the last one
     */
    public SimStore(ScriptedDisk disk, Time time) {
        this(disk, time, 0);
    }

    /** As {@link #SimStore(ScriptedDisk, Time)}, for one shard of many. */
    public SimStore(ScriptedDisk disk, Time time, int shard) {
        this.shard = shard;
        this.disk = disk;
        this.time = time;
        this.process = disk.process();
        this.committed = CommitLog.replay(disk);
    }

    int shard() {
        return shard;
    }

    Time time() {
        return time;
    }

    void step(Kind kind, String verb) {
        try {
            disk.step(process, kind, verb);
        } catch (IOException e) {
            throw new AssertionError("a sync failed that was none", e);
        }
    }

    @Override
    public void recover(RecoverySink sink) {
        step(Kind.READ, "recover");
        Tables tables = committed;
        long expected = SimTransaction.released(tables) + 1;
        for (LogRow entry : tables.rows(Table.LOG).ascending(Key.of(0))) {
            if (entry.position() != expected) {
                throw new StoreDamaged("The log has entry %d where %d comes next. Restore the store from a backup."
                        .formatted(entry.position(), expected));
            }
            expected++;
            sink.entry(LogFrame.decode(entry.position(), entry.frame()));
        }
    }

    @Override
    public StoreTransaction begin() {
        step(Kind.BEGIN, "begin");
        checkUsable();
        SimTransaction before = open;
        if (before != null && !before.isOver()) {
            throw new IllegalStateException("a transaction is open already");
        }
        SimTransaction begun = new SimTransaction(this, committed);
        open = begun;
        return begun;
    }

    private void checkUsable() {
        StorePoisoned poisoned = poison;
        if (poisoned != null) {
            throw poisoned;
        }
        if (closed) {
            throw new IllegalStateException("the store is closed");
        }
    }

    void commit(byte[] frame, Tables tables) {
        checkUsable();
        disk.write(frame);
        disk.waitForSync();
        try {
            disk.step(process, Kind.SYNC, "sync");
        } catch (IOException e) {
            StorePoisoned poisoned =
                    new StorePoisoned("The sync of " + description() + " failed. Close it and open it anew.", e);
            poison = poisoned;
            throw poisoned;
        }
        disk.sync();
        step(Kind.READ, "end of commit");
        committed = tables;
    }

    @Override
    public <T> T read(Function<StoreReads, T> work) {
        if (closed) {
            throw new IllegalStateException("the store is closed");
        }
        Tables snapshot = committed;
        return work.apply(new TableReads() {
            @Override
            Tables look(String verb) {
                step(Kind.READ, verb);
                return snapshot;
            }
        });
    }

    /** Looks at what is committed without a step of the disk's script: for those who check, not for those who are checked. */
    public <T> T observe(Function<StoreReads, T> work) {
        Tables snapshot = committed;
        return work.apply(new TableReads() {
            @Override
            Tables look(String verb) {
                return snapshot;
            }
        });
    }

    /** What a commit callback wrote under this name. */
    public Optional<String> application(String name) {
        return committed.get(Table.APPLICATION, Key.of("", name)).map(ApplicationRow::value);
    }

    @Override
    public String description() {
        return "the simulated store";
    }

    @Override
    public void close() {
        closed = true;
    }
}
