package dev.holdfast.store.postgres;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.StoreFailed;
import dev.holdfast.store.AppendRecord;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A write transaction as the server sees it: the connection that it has while it lasts, the lease that it locks, the callback that it lends the
 * connection to, and its end.
 *
 * <p>It begins with the first thing that is read or sent. Before the first write it locks the lease, and learns the server's number of the
 * transaction with the answer; a COMMIT is sent only when that number is known, so that its fate can always be asked.
 *
 * <p>Belongs to the committer's thread.
 */
final class ServerTransaction {

    private static final String BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE";
    private static final String COMMIT = "COMMIT";
    /** Marks the callback's part: releasing it fails if a statement of the callback failed and took the transaction with it. */
    private static final String ENTER_CALLBACK = "SAVEPOINT holdfast_callback";

    private static final String LEAVE_CALLBACK = "RELEASE SAVEPOINT holdfast_callback";

    /** The connection while it has one, and the tables through it. */
    private record Begun(Pipeline pipeline, Tables tables) {}

    private final WriteSide side;
    private @Nullable Begun begun;
    private boolean fenced;
    /** The server's number of this transaction, once it has answered that the lease holds. */
    private @Nullable String xid;
    /** Whether the server answered the commit; then there is nothing to roll back. */
    private boolean committed;

    private boolean broken;
    private @Nullable GuardedConnection guest;

    ServerTransaction(WriteSide side) {
        this.side = side;
    }

    /** For reading. */
    Tables tables() throws SQLException {
        Begun open = begin();
        sendGuestAway(open);
        return open.tables();
    }

    /** For writing. */
    Tables writable() throws SQLException {
        Tables tables = tables();
        fence(tables);
        return tables;
    }

    /** Whether it has to be committed: something may have been written. */
    boolean isWritable() {
        return fenced;
    }

    private Begun begin() throws SQLException {
        Begun open = begun;
        if (open == null) {
            Pipeline pipeline = side.pipeline(side.pool().take());
            open = new Begun(pipeline, new Tables(pipeline, side.shard()));
            begun = open;
            pipeline.later(BEGIN);
        }
        return open;
    }

    private void fence(Tables tables) throws SQLException {
        if (!fenced) {
            fenced = true;
            tables.shards.fence(side.lease(), side.timeouts(), number -> xid = number);
        }
    }

    /** What the error of one of its statements means. */
    HoldfastException failed(SQLException e) {
        broken |= SqlFailures.breaks(e);
        return side.failures().ofStatement(e);
    }

    /** The connection for the application's own statements, until the transaction is used again. */
    Connection lend() throws SQLException {
        Begun open = begin();
        fence(open.tables());
        if (guest == null) {
            open.pipeline().later(ENTER_CALLBACK);
            open.pipeline().flush();
            guest = new GuardedConnection(open.pipeline().connection());
        }
        return guest.guarded();
    }

    /** Makes sure that after the callback's statements this is still the transaction it was given. */
    private void sendGuestAway(Begun open) throws SQLException {
        if (guest == null) {
            return;
        }
        endGuest();
        try {
            open.pipeline().later(LEAVE_CALLBACK);
            open.pipeline().flush();
        } catch (SQLException e) {
            broken |= SqlFailures.breaks(e);
            throw new StoreFailed(
                    "The transaction ended inside the commit callback: a statement of it failed and took the transaction with it, or its connection was lost. Put a savepoint before a statement that may fail.",
                    e);
        }
    }

    private void endGuest() throws SQLException {
        GuardedConnection leaving = guest;
        guest = null;
        if (leaving != null) {
            leaving.end();
        }
    }

    /**
     * Commits what was written.
     *
     * @throws SQLException if it was certainly not committed, because the commit was not sent
     * @throws HoldfastException as the commit's own failure, or its fate, demands
     */
    void commit() throws SQLException {
        Begun open = begin();
        Tables unused = writable();
        if (xid == null) {
            open.pipeline().flush();
        }
        if (xid == null) {
            throw new AssertionError("the lease was not asked for");
        }
        try {
            open.pipeline().later(COMMIT);
            open.pipeline().flush();
            committed = true;
        } catch (SQLException e) {
            learnFate(open, xid, e);
        }
    }

    private void learnFate(Begun open, String number, SQLException e) {
        Optional<HoldfastException> known = side.failures().ofCommit(e);
        if (known.isPresent()) {
            throw known.get();
        }
        letGo(open, true);
        if (!side.fates().ofTransaction(number, e)) {
            throw side.failures().rolledBack(e);
        }
    }

    /** Inserts appends as a transaction by itself, without one of this kind. Fails as {@link #commit} does. */
    static void append(WriteSide side, List<AppendRecord> appends, long position, long now) throws SQLException {
        Connection connection = side.pool().take();
        boolean whole = false;
        try {
            SegmentTable segments = new Tables(side.pipeline(connection), side.shard()).segments;
            boolean ours = segments.insertFenced(
                    appends, position, now, side.lease(), side.timeouts().lock());
            whole = true;
            if (!ours) {
                throw side.lost();
            }
        } catch (SQLException e) {
            Optional<HoldfastException> known = side.failures().ofCommit(e);
            whole = known.isPresent();
            if (known.isPresent()) {
                throw known.get();
            }
            if (!side.fates().ofAppend(appends.getFirst().streamKey(), position, e)) {
                throw side.failures().rolledBack(e);
            }
        } finally {
            if (whole) {
                side.pool().giveBack(connection);
            } else {
                side.pool().discard(connection);
            }
        }
    }

    /** Gives the connection back. What was not committed is rolled back, with the connection if need be. */
    void end() {
        Begun open = begun;
        if (open == null) {
            return;
        }
        try {
            endGuest();
            if (!committed && !broken) {
                open.pipeline().rollback();
            }
            letGo(open, broken);
        } catch (SQLException e) { // the server rolls back when it loses the connection
            letGo(open, true);
        }
    }

    private void letGo(Begun open, boolean forGood) {
        begun = null;
        if (forGood) {
            side.pool().discard(open.pipeline().connection());
        } else {
            side.pool().giveBack(open.pipeline().connection());
        }
    }
}
