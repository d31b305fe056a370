package dev.holdfast.store.sqlite;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.StoreBusy;
import dev.holdfast.error.HoldfastException.StoreDamaged;
import dev.holdfast.error.HoldfastException.StoreFailed;
import dev.holdfast.error.HoldfastException.StoreFull;
import dev.holdfast.store.FailStop;
import java.sql.SQLException;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/**
 * What each of SQLite's errors means for the store.
 *
 * <p>The question behind every line is: <em>may the transaction be on disk although an error was reported?</em> In a statement before the
 * commit the answer is no: pages that spilled into the write-ahead log count for nothing without a commit frame behind them. The one
 * exception is a failed fsync, after which the kernel may drop what it could not write: it poisons wherever it shows.
 *
 * <p>In a commit the answer is no only for the codes that SQLite raises before the commit frame is whole: FULL (the file could not grow),
 * BUSY and LOCKED (nothing was begun), MISUSE (nothing was run), CONSTRAINT, TOOBIG, READONLY and CORRUPT (raised while pages were changed in
 * memory). Everything else poisons. That includes {@code IOERR_WRITE} and {@code IOERR_FSYNC}, after which the commit frame may or may not survive; and
 * {@code IOERR_SHMSIZE}, {@code IOERR_SHMMAP} and {@code NOMEM}, which SQLite may raise when it enters an already synced commit frame into
 * its shared-memory index.
 *
 * <p>A disk quota shows as {@code IOERR_WRITE}, not as FULL: SQLite knows only ENOSPC as full.
 */
final class SqlFailures {

    private static final int PRIMARY_CODE_MASK = 0xFF;

    private final String description;
    private final FailStop failStop;

    SqlFailures(String description, FailStop failStop) {
        this.description = description;
        this.failStop = failStop;
    }

    /** The error of a statement that is not a commit. */
    HoldfastException ofStatement(SQLException e) {
        SQLiteErrorCode code = code(e);
        return switch (primary(code)) {
            case SQLITE_FULL -> full(e);
            case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL -> busy(e);
            case SQLITE_CORRUPT, SQLITE_NOTADB -> damaged(e);
            case SQLITE_IOERR -> isFailedSync(code) ? failStop.poison(e) : failed(e);
            default -> failed(e);
        };
    }

    /** The error of a commit, or of a statement that is a transaction by itself. */
    HoldfastException ofCommit(SQLException e) {
        return switch (primary(code(e))) {
            case SQLITE_FULL -> full(e);
            case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL -> busy(e);
            case SQLITE_CORRUPT, SQLITE_NOTADB -> damaged(e);
            case SQLITE_CONSTRAINT, SQLITE_TOOBIG, SQLITE_READONLY, SQLITE_MISUSE -> failed(e);
            default -> failStop.poison(e);
        };
    }

    /** Whether the error says that a transaction which was to be rolled back is over already. */
    static boolean isNoTransaction(SQLException e) {
        return primary(code(e)) == SQLiteErrorCode.SQLITE_ERROR;
    }

    static boolean isBusy(SQLException e) {
        return primary(code(e)) == SQLiteErrorCode.SQLITE_BUSY;
    }

    static boolean isFull(SQLException e) {
        return primary(code(e)) == SQLiteErrorCode.SQLITE_FULL;
    }

    private static boolean isFailedSync(SQLiteErrorCode code) {
        return code == SQLiteErrorCode.SQLITE_IOERR_FSYNC || code == SQLiteErrorCode.SQLITE_IOERR_DIR_FSYNC;
    }

    private static SQLiteErrorCode code(SQLException e) {
        return e instanceof SQLiteException sqlite ? sqlite.getResultCode() : SQLiteErrorCode.UNKNOWN_ERROR;
    }

    private static SQLiteErrorCode primary(SQLiteErrorCode code) {
        return code == SQLiteErrorCode.UNKNOWN_ERROR
                ? code
                : SQLiteErrorCode.getErrorCode(code.code & PRIMARY_CODE_MASK);
    }

    private StoreFull full(SQLException e) {
        return new StoreFull(
                "%s is full. Free space on its disk or raise its configured size; writing goes on by itself then."
                        .formatted(description),
                e);
    }

    private StoreBusy busy(SQLException e) {
        return new StoreBusy(
                "Another connection holds the lock of %s for too long. Keep its transactions short; try again."
                        .formatted(description),
                e);
    }

    private StoreDamaged damaged(SQLException e) {
        return new StoreDamaged(
                "%s is damaged: %s. Restore it from a backup.".formatted(description, e.getMessage()), e);
    }

    private StoreFailed failed(SQLException e) {
        return new StoreFailed("%s refused a statement: %s".formatted(description, e.getMessage()), e);
    }
}
