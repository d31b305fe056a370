package dev.holdfast.store.sqlite;

import dev.holdfast.error.HoldfastException.Closed;
import dev.holdfast.error.HoldfastException.StoreBusy;
import dev.holdfast.error.HoldfastException.StoreFailed;
import dev.holdfast.store.FailStop;
import dev.holdfast.store.Store;
import dev.holdfast.store.StoreReads;
import dev.holdfast.store.StoreSettings;
import dev.holdfast.store.StoreTransaction;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The embedded store: everything in one SQLite file, {@code holdfast.db}, in a folder of its own.
 *
 * <p><b>What it guarantees.</b> A commit that returned is on disk: the write-ahead log is synced once per transaction
 * ({@code synchronous = FULL}). After a crash all of it is there and nothing of a transaction that did not return, or all of it. Damage
 * is found rather than read past: frames of the journal and blocks carry checksums, the journal has no holes, and before SQLite sees the
 * write-ahead log, which it would cut in silence at the first bad frame, {@link WalScan} has read it.
 *
 * <p><b>How it is built.</b> One connection writes, on the committer's thread. The appends of one group commit are one row of the journal,
 * whatever number of streams they belong to; this is the cheapest way to put them on disk with SQLite (docs/adr/0001-storage-layout.md).
 * A few platform threads read, each on its own connection and snapshot ({@link ReadPool}). Between two transactions the committer copies the
 * write-ahead log into the file when it has grown ({@link Checkpointer}). A lock file keeps other processes out ({@link FolderLock}); SQLite's own locking stays as it is, so
 * that the application may use the same file through a connection of its own.
 *
 * <p><b>Opening.</b> What SQLite recovers from its write-ahead log may never have been synced: a process can be killed between writing a
 * commit and syncing it, and after a failed sync the kernel may hold pages that will never reach the disk. Opening therefore copies all
 * of it into the database file, synced, before anything is shown to anyone (VISIBLE-IS-DURABLE).
 *
 * <p><b>Threads.</b> As {@link Store} says. {@link #close} is called when no transaction is open; it may be another thread than the
 * committer's, after that one has ended.
 */
public final class SqliteStore implements Store {

    static final String FILE_NAME = "holdfast.db";

    private static final Logger LOG = LoggerFactory.getLogger(SqliteStore.class);

    private final Path file;
    private final FolderLock lock;
    private final FailStop failStop;
    private final WriteSide writeSide;
    private final Checkpointer checkpointer;
    private final ReadPool readPool;
    private volatile boolean closed;
    /** The committer's alone. */
    private @Nullable SqliteTransaction transaction;

    private SqliteStore(
            Path file,
            FolderLock lock,
            FailStop failStop,
            WriteSide writeSide,
            Checkpointer checkpointer,
            ReadPool readPool) {
        this.file = file;
        this.lock = lock;
        this.failStop = failStop;
        this.writeSide = writeSide;
        this.checkpointer = checkpointer;
        this.readPool = readPool;
    }

    /**
     * Opens the store in this folder, and creates both if they are missing.
     *
     * @throws dev.holdfast.error.HoldfastException.StoreLocked if it is open already, here or in another process
     * @throws dev.holdfast.error.HoldfastException.StoreDamaged if its files are damaged; nothing was changed then
     * @throws dev.holdfast.error.HoldfastException.StoreTooNew if a newer version wrote it
     * @throws StoreBusy if a connection of the application held the file for the whole busy timeout
     * @throws StoreFailed if the folder or the files cannot be read or written
     */
    public static SqliteStore open(Path folder, StoreSettings settings) {
        return open(folder, settings, Options.defaults());
    }

    /**
     * What only tests choose.
     *
     * @param schema the steps that lead to today's schema
     * @param walBounds when the write-ahead log is copied, waited for and refused
     */
    record Options(List<List<String>> schema, Checkpointer.Bounds walBounds) {
        static Options defaults() {
            return new Options(Schema.STEPS, Checkpointer.Bounds.defaults());
        }
    }

    static SqliteStore open(Path folder, StoreSettings settings, Options options) {
        try {
            createDurably(folder);
            Path real = folder.toRealPath();
            FolderLock lock = FolderLock.take(real);
            List<AutoCloseable> opened = new ArrayList<>(List.of(lock));
            try {
                NativeLibrary.load(real);
                return open(real.resolve(FILE_NAME), settings, options, lock, opened);
            } catch (IOException | RuntimeException | Error e) {
                closeAll(opened, e);
                throw e;
            }
        } catch (IOException e) {
            throw new StoreFailed("The store in %s cannot be opened: %s".formatted(folder, e.getMessage()), e);
        }
    }

    private static SqliteStore open(
            Path file, StoreSettings settings, Options options, FolderLock lock, List<AutoCloseable> opened)
            throws IOException {
        FailStop failStop = new FailStop();
        SqlFailures opening = new SqlFailures(file.toString(), failStop);
        SqlFailures failures = new SqlFailures("The store", failStop); // clients read these: they name no path
        WalScan.check(file);
        Connections connections = new Connections(file, settings);
        try {
            Statements writer = track(opened, ForeignFile.openWriter(file, connections));
            Schema.migrate(writer, options.schema());
            if (!Checkpointer.copyAll(writer)) {
                throw new StoreBusy(
                        "Another connection uses %s. End its transactions before opening the store.".formatted(file),
                        new SQLException("wal_checkpoint(TRUNCATE) was kept from completing"));
            }
            sync(file.toAbsolutePath().getParent());
            Checkpointer checkpointer = new Checkpointer(writer, failures, options.walBounds(), settings.busyTimeout());
            Reserve reserve = new Reserve(
                    file.resolveSibling(Reserve.FILE_NAME),
                    writer,
                    checkpointer,
                    connections.maxPages(),
                    settings.time());
            WriteSide writeSide = new WriteSide(writer, failures, failStop, settings.time(), reserve);
            List<Statements> readers = new ArrayList<>();
            for (int i = 0; i < Math.max(1, settings.readThreads()); i++) {
                readers.add(track(opened, connections.reader()));
            }
            return new SqliteStore(file, lock, failStop, writeSide, checkpointer, new ReadPool(readers, failures));
        } catch (SQLException e) {
            throw opening.ofStatement(e);
        }
    }

    private static <T extends AutoCloseable> T track(List<AutoCloseable> opened, T resource) {
        opened.add(resource);
        return resource;
    }

    private static void closeAll(List<AutoCloseable> opened, Throwable cause) {
        for (AutoCloseable resource : opened.reversed()) {
            try {
                resource.close();
            } catch (Exception e) {
                cause.addSuppressed(e);
            }
        }
    }

    /** Creates the folder so that it survives a loss of power: a new entry is durable once its own folder is synced. */
    private static void createDurably(Path folder) throws IOException {
        if (Files.isDirectory(folder)) {
            return;
        }
        Path absolute = folder.toAbsolutePath();
        Path existing = absolute.getParent();
        while (existing != null && !Files.isDirectory(existing)) {
            existing = existing.getParent();
        }
        Files.createDirectories(absolute);
        for (Path parent = absolute.getParent(); parent != null && existing != null; parent = parent.getParent()) {
            sync(parent);
            if (parent.equals(existing)) {
                return;
            }
        }
    }

    private static void sync(@Nullable Path folder) throws IOException {
        if (folder != null) {
            try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    }

    @Override
    public void recover(RecoverySink sink) {
        try {
            writeSide.recover(sink);
        } catch (SQLException e) {
            throw writeSide.failures().ofStatement(e);
        }
    }

    @Override
    public StoreTransaction begin() {
        return begin(false);
    }

    @Override
    public StoreTransaction beginFreeing() {
        return begin(true);
    }

    private StoreTransaction begin(boolean frees) {
        checkOpen();
        if (transaction != null && !transaction.isOver()) {
            throw new IllegalStateException("A transaction is open already; commit it or roll it back first.");
        }
        failStop.check();
        if (!frees && !writeSide.reserve().isSpent()) { // the copy would take the room that is left
            checkpointer.beforeTransaction();
        }
        failStop.check(); // a failed checkpoint may have poisoned the store
        prepareRoom(frees);
        SqliteTransaction begun = new SqliteTransaction(writeSide, frees);
        transaction = begun;
        return begun;
    }

    private void prepareRoom(boolean frees) {
        try {
            if (frees) {
                writeSide.reserve().spend();
            } else {
                writeSide.reserve().beforeOrdinary();
            }
        } catch (SQLException e) {
            throw writeSide.failures().ofStatement(e);
        }
    }

    @Override
    public <T> T read(Function<StoreReads, T> work) {
        return readPool.run(work);
    }

    @Override
    public String description() {
        return file.toString();
    }

    private void checkOpen() {
        if (closed) {
            throw new Closed("The store is closed.");
        }
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        SqliteTransaction left = transaction;
        if (left != null) {
            left.rollback();
        }
        readPool.close();
        try {
            leaveTidy();
        } finally {
            closeQuietly(writeSide.statements());
            closeQuietly(lock);
        }
    }

    /** Notes how far the log goes, so that the next open can tell that none of it is missing, and empties the write-ahead log. */
    private void leaveTidy() {
        if (failStop.isPoisoned()) {
            return;
        }
        try {
            MetaTable meta = writeSide.tables().meta;
            if (meta.get(MetaTable.LOG_KNOWN) != writeSide.lastPosition()) {
                meta.set(MetaTable.LOG_KNOWN, writeSide.lastPosition());
            }
            if (!Checkpointer.copyAll(writeSide.statements())) {
                LOG.info("Another connection uses {}; its write-ahead log stays", file);
            }
        } catch (SQLException e) { // nothing is lost: the next open does the rest
            LOG.warn("{} was closed without emptying its write-ahead log", file, e);
        }
    }

    private void closeQuietly(AutoCloseable resource) {
        try {
            resource.close();
        } catch (Exception e) {
            LOG.warn("A part of {} could not be closed", file, e);
        }
    }
}
