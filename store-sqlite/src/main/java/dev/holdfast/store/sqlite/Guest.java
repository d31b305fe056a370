package dev.holdfast.store.sqlite;

import dev.holdfast.error.HoldfastException.StoreFailed;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The callback's part of a transaction: it is lent the connection, inside a savepoint whose release fails if the transaction that it was given is gone.
 * Belongs to the committer's thread.
 */
final class Guest {

    private static final String ENTER = "SAVEPOINT holdfast_callback";
    private static final String LEAVE = "RELEASE holdfast_callback";

    private final Statements statements;
    private @Nullable GuardedConnection lent;

    Guest(Statements statements) {
        this.statements = statements;
    }

    /** Lends the connection, until {@link #leave} or {@link #end}. */
    Connection connection() throws SQLException {
        GuardedConnection guarded = lent;
        if (guarded == null) {
            statements.run(ENTER);
            guarded = new GuardedConnection(statements.connection());
            lent = guarded;
        }
        return guarded.guarded();
    }

    /**
     * Takes the connection back, if it was lent, and makes sure that after the callback's statements this is still the transaction it was given.
     *
     * @throws StoreFailed if it is not
     */
    void leave() throws SQLException {
        if (lent == null) {
            return;
        }
        end();
        try {
            statements.run(LEAVE);
        } catch (SQLException e) {
            throw new StoreFailed(
                    "The transaction ended inside the commit callback: it committed or rolled back, or a statement of it failed and took the "
                            + "transaction with it (a full disk does).",
                    e);
        }
    }

    /** Takes the connection back, whatever became of the transaction. */
    void end() throws SQLException {
        GuardedConnection leaving = lent;
        lent = null;
        if (leaving != null) {
            leaving.end();
        }
    }
}
