package dev.holdfast.store.postgres;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.StoreBusy;
import dev.holdfast.error.HoldfastException.StoreDamaged;
import dev.holdfast.error.HoldfastException.StoreFailed;
import dev.holdfast.error.HoldfastException.StoreFull;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * What each of PostgreSQL's errors means for the store.
 *
 * <p>The question behind every line is: <em>may the transaction have been committed although an error was reported?</em> Before the COMMIT was
 * sent the answer is no: a server that loses its client rolls back. After that the answer is no only for errors that the server raises
 * instead of committing: constraints (23), serialization (40), resources (53) and what is wrong with a statement (22, 25, 42, 55).
 * Everything else is of unknown fate and has to be asked: a lost connection (08), a server that shuts down (57P01 to 57P03, which may come
 * after the commit and before its answer), a cancel (57014, which may hit the wait for a standby, after the local commit), an internal error
 * (XX), and whatever the driver raises by itself.
 */
final class SqlFailures {

    private static final String DISK_FULL = "53100";
    private static final String OUT_OF_MEMORY = "53200";
    private static final String LOCK_NOT_AVAILABLE = "55P03";
    private static final String READ_ONLY = "25006";
    private static final String IDLE_IN_TRANSACTION = "25P03";
    private static final String TRANSACTION_TIMEOUT = "25P04";
    private static final String COMPLETION_UNKNOWN = "40003";
    private static final String DATA_CORRUPTED = "XX001";
    private static final String INDEX_CORRUPTED = "XX002";

    /** How {@link Pipeline#mustChange} fails. */
    private static final String NOTHING_CHANGED = "22012";

    private static final Set<String> KNOWN_IN_COMMIT = Set.of("22", "23", "25", "40", "42", "53", "55");

    private final String description;

    /**
     * @param description how messages call the database; clients read them, so it names no host
     */
    SqlFailures(String description) {
        this.description = description;
    }

    /** The error of a statement that is neither a commit nor a transaction by itself. */
    HoldfastException ofStatement(SQLException e) {
        String state = state(e);
        return switch (state) {
            case DISK_FULL, OUT_OF_MEMORY -> full(e);
            case LOCK_NOT_AVAILABLE, IDLE_IN_TRANSACTION, TRANSACTION_TIMEOUT -> busy(e);
            case READ_ONLY -> readOnly(e);
            case DATA_CORRUPTED, INDEX_CORRUPTED -> damaged(e);
            case NOTHING_CHANGED ->
                new StoreFailed(
                        "A row that was to be changed is not in %s.".formatted(description.toLowerCase(Locale.ROOT)),
                        e);
            default ->
                switch (classOf(state)) {
                    case "08", "40", "53", "57" -> busy(e);
                    default -> failed(e);
                };
        };
    }

    /** The error of a commit, or of a statement that is a transaction by itself; empty if its fate has to be asked. */
    Optional<HoldfastException> ofCommit(SQLException e) {
        String state = state(e);
        boolean known = KNOWN_IN_COMMIT.contains(classOf(state))
                && !state.equals(COMPLETION_UNKNOWN)
                && !isEndOfConnection(state);
        return known ? Optional.of(ofStatement(e)) : Optional.empty();
    }

    /** Whether the connection is of no use any more. */
    static boolean breaks(SQLException e) {
        String state = state(e);
        return state.isEmpty()
                || isEndOfConnection(state)
                || classOf(state).equals("08")
                || classOf(state).equals("XX")
                || state.startsWith("57P");
    }

    private static boolean isEndOfConnection(String state) {
        return state.equals(IDLE_IN_TRANSACTION) || state.equals(TRANSACTION_TIMEOUT);
    }

    private static String state(SQLException e) {
        String state = e.getSQLState();
        return state == null ? "" : state;
    }

    private static String classOf(String state) {
        return state.length() < 2 ? state : state.substring(0, 2);
    }

    /** A commit whose answer was lost, and which is known not to have happened. */
    StoreBusy rolledBack(SQLException e) {
        return new StoreBusy(
                "The connection to %s was lost in a commit, and the commit did not happen. Try again."
                        .formatted(description),
                e);
    }

    /** What the server said. What the driver says of a connection names hosts, which is not for those who read messages. */
    private static String detail(SQLException e) {
        if (e instanceof PSQLException driver) {
            ServerErrorMessage told = driver.getServerErrorMessage();
            return told == null ? "the connection failed" : String.valueOf(told.getMessage());
        }
        return e instanceof SQLTransientException ? "no connection was free in time" : String.valueOf(e.getMessage());
    }

    private StoreFull full(SQLException e) {
        return new StoreFull(
                "%s has no room: %s. Free space on its disk or give it memory; writing goes on by itself then."
                        .formatted(description, detail(e)),
                e);
    }

    private StoreBusy busy(SQLException e) {
        return new StoreBusy(
                "%s could not be reached, or another transaction was in the way: %s. Everything was rolled back; try again."
                        .formatted(description, detail(e)),
                e);
    }

    private StoreBusy readOnly(SQLException e) {
        return new StoreBusy(
                "%s takes no writes at present; is it a standby? Point the store at the primary, or wait for the failover to end."
                        .formatted(description),
                e);
    }

    private StoreDamaged damaged(SQLException e) {
        return new StoreDamaged("%s is damaged: %s. Restore it from a backup.".formatted(description, detail(e)), e);
    }

    private StoreFailed failed(SQLException e) {
        return new StoreFailed("%s refused a statement: %s".formatted(description, detail(e)), e);
    }
}
