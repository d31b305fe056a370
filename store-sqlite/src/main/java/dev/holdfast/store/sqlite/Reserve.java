package dev.holdfast.store.sqlite;

import dev.holdfast.error.HoldfastException.StoreFull;
import dev.holdfast.store.Time;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Room that is kept back for what frees space, so that a full store can be emptied.
 *
 * <p>On the disk it is a file of noise beside the database (zeros would take no room where the file system compresses), which is deleted when it is needed; within the configured size, some pages. Once
 * it is spent, ordinary transactions are refused until it is there again: what a deletion freed must first become the next deletion's
 * reserve, or appends would eat it and nothing could be deleted any more.
 *
 * <p>Whether it can be there again is tried with ordinary transactions, at most once a second. A store on a disk that is full when it is opened begins with
 * a spent reserve. Belongs to the committer's thread.
 */
final class Reserve {

    static final String FILE_NAME = "holdfast.reserve";

    private static final Logger LOG = LoggerFactory.getLogger(Reserve.class);

    private static final String SET_LIMIT = "PRAGMA max_page_count = ";

    private final Path file;
    private final Statements writer;
    private final Checkpointer checkpointer;
    private final long maxPages;
    private final long keptPages;
    private final Time time;

    private boolean spent;
    private long triedAtNanos;

    /** Why it could not be there the last time. */
    private String told = "";

    /** Whether the database has grown into the pages that are kept back, so that its free pages count. */
    private boolean grownInto;

    Reserve(Path file, Statements writer, Checkpointer checkpointer, long maxPages, Time time) throws SQLException {
        this.checkpointer = checkpointer;
        this.file = file;
        this.writer = writer;
        this.maxPages = maxPages;
        this.keptPages = Math.min(
                SqliteLimits.RESERVE_BYTES / SqliteLimits.PAGE_BYTES, maxPages / SqliteLimits.RESERVE_FRACTION);
        this.time = time;
        this.triedAtNanos = time.monotonicNanos();
        this.spent = !restore();
        if (spent) {
            delete(); // it is given up as a whole
            LOG.warn("There is no room for {}: the store takes nothing but what frees space", file);
        }
    }

    boolean isSpent() {
        return spent;
    }

    /** Gives up the reserve for the transaction that comes next. */
    void spend() throws SQLException {
        if (!spent) {
            spent = true;
            triedAtNanos = time.monotonicNanos();
            LOG.warn(
                    "The store is full; from now on it takes nothing but what frees space, until {} can be there again",
                    file);
            writer.number(SET_LIMIT + maxPages);
            checkpointer.shrink(); // before the reserve is given up, or the copy would take it for the database
            delete();
        }
    }

    /** Before an ordinary transaction: looks whether there is room again. */
    void beforeOrdinary() throws SQLException {
        if (spent && time.monotonicNanos() - triedAtNanos >= SqliteLimits.RESERVE_RETRY_NANOS) {
            triedAtNanos = time.monotonicNanos();
            spent = !restore();
            if (!spent) {
                told = "";
                LOG.info("There is room again; the store takes everything");
            }
        }
    }

    /**
     * Before an ordinary transaction is committed.
     *
     * @throws StoreFull if the room is kept for others
     */
    void checkOrdinary() throws SQLException {
        if (spent || (grownInto && !pagesAreThere())) {
            throw new StoreFull(
                    "The store is full: what room is left is kept for deleting. Free space on its disk, delete something, or raise its configured size; writing goes on by itself then.",
                    new IOException("the reserve is spent"));
        }
    }

    private boolean restore() throws SQLException {
        if (!pagesAreThere() || !create()) {
            return false;
        }
        long limit = writer.number(SET_LIMIT + (maxPages - keptPages)); // never below what the database has
        grownInto = limit > maxPages - keptPages;
        return true;
    }

    private boolean pagesAreThere() throws SQLException {
        long growth = maxPages - writer.number("PRAGMA page_count");
        return growth + writer.number("PRAGMA freelist_count") >= keptPages;
    }

    private boolean create() {
        try {
            if (Files.exists(file) && Files.size(file) == SqliteLimits.RESERVE_BYTES) {
                return true;
            }
            try (FileChannel channel = FileChannel.open(
                    file, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
                byte[] noise = new byte[SqliteLimits.RESERVE_BYTES];
                ThreadLocalRandom.current().nextBytes(noise);
                ByteBuffer left = ByteBuffer.wrap(noise);
                while (left.hasRemaining()) {
                    channel.write(left);
                }
                channel.force(true); // some file systems say only now that there is no room
            }
            return true;
        } catch (IOException e) {
            tellOnce(e);
            delete();
            return false;
        }
    }

    /** A disk without room is what this is for; anything else that keeps the file away must be seen, but not each second. */
    private void tellOnce(IOException e) {
        if (!e.toString().equals(told)) {
            told = e.toString();
            LOG.warn("{} cannot be there: {}", file, told);
        }
    }

    private void delete() {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.warn("{} cannot be deleted", file, e);
        }
    }
}
