package dev.holdfast.store.postgres;

import dev.holdfast.error.HoldfastException.StorePoisoned;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Learns what became of a commit whose answer was lost. Until it knows, nobody is told anything and nothing else is written.
 *
 * <p>The commit may have happened, may be happening, or may still be on its way: a server notices the loss of its client late, and what was sent
 * may wait in a buffer in between. So before it asks, it changes the writer in the shard's row. That waits for the transaction that holds the
 * row, and what arrives later finds another writer and changes nothing. Then the answer is final.
 *
 * <p>If the server crashed meanwhile, or a standby took its place, a transaction that did not happen may have left no trace, and its number may be
 * another's. Then only "not committed" is an answer: a committed transaction keeps its number.
 *
 * <p>Belongs to the committer's thread.
 */
final class Fates {

    private static final String BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE";
    private static final String LIMITS =
            "SELECT set_config('lock_timeout', ?, true), set_config('statement_timeout', ?, true)";

    private final WriteSide side;
    private final Duration limit;

    Fates(WriteSide side, Duration limit) {
        this.side = side;
        this.limit = limit;
    }

    private enum Fate {
        COMMITTED,
        ABORTED,
        /** Whoever has the lease now may have removed the trace. */
        UNTRACEABLE,
        /** The server crashed, and the number by which it was asked may be another's. */
        AMBIGUOUS
    }

    /**
     * How things stand when it is over.
     *
     * @param ours whether the lease is still this store's, so that nobody else can have changed anything since
     * @param sameServer whether the server that is asked is the one that the commit was sent to, and did not crash since
     */
    private record Standing(ShardTable shards, boolean ours, boolean sameServer) {}

    /** Asked when it is over. */
    private interface Question {
        Fate of(Standing now) throws SQLException;
    }

    /**
     * Whether a transaction was committed.
     *
     * @param xid its number on the server
     * @throws StorePoisoned if the server cannot be asked in time, crashed and does not know for sure, or it was not and the lease was lost
     */
    boolean ofTransaction(String xid, SQLException cause) {
        return ask(
                cause, now -> now.sameServer() ? onSameServer(now.shards(), xid) : onAnotherServer(now.shards(), xid));
    }

    private static Fate onSameServer(ShardTable shards, String xid) throws SQLException {
        String fate = shards.fate(xid).orElse("unknown");
        return switch (fate) {
            case "committed" -> Fate.COMMITTED;
            case "aborted" -> Fate.ABORTED;
            default -> throw new SQLException("the server says of transaction " + xid + ": " + fate);
        };
    }

    /** What is in progress there, or is to come, is another one that got the number. */
    private static Fate onAnotherServer(ShardTable shards, String xid) throws SQLException {
        if (shards.isToCome(xid)) {
            return Fate.ABORTED;
        }
        String fate = shards.fate(xid).orElse("unknown");
        return switch (fate) {
            case "committed" -> Fate.AMBIGUOUS;
            case "aborted", "in progress" -> Fate.ABORTED;
            default -> throw new SQLException("the server says of transaction " + xid + ": " + fate);
        };
    }

    /**
     * Whether a statement that was a transaction by itself was committed.
     *
     * @param stream one of those it appended to
     * @throws StorePoisoned if the server cannot be asked in time, or shows no trace of it and the lease was lost
     */
    boolean ofAppend(long stream, long position, SQLException cause) {
        return ask(cause, now -> {
            if (now.shards().hasSegment(stream, position)) {
                return Fate.COMMITTED;
            }
            return now.ours() ? Fate.ABORTED : Fate.UNTRACEABLE;
        });
    }

    /** An interrupt is kept for later: whoever waits for the answer still does. */
    private boolean ask(SQLException cause, Question question) {
        boolean interrupted = false;
        try {
            Lease next = side.renewed();
            long start = side.time().monotonicNanos();
            long pause = PostgresLimits.MIN_RETRY_MILLIS;
            while (true) {
                interrupted |= Thread.interrupted();
                try {
                    return askOnce(next, question, cause);
                } catch (SQLException e) {
                    if (side.time().monotonicNanos() - start >= limit.toNanos()) {
                        cause.addSuppressed(e);
                        throw side.failStop().poison(unresolved(cause));
                    }
                }
                interrupted |= sleep(pause);
                pause = Math.min(2 * pause, PostgresLimits.MAX_RETRY_MILLIS);
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private StorePoisoned unresolved(SQLException cause) {
        return new StorePoisoned(
                "The answer to a commit was lost, and the database could not be asked within %d ms what became of it. Open the store anew when the database can be reached; what was acknowledged is there."
                        .formatted(limit.toMillis()),
                cause);
    }

    private static StorePoisoned untraceable(SQLException cause) {
        return new StorePoisoned(
                "The answer to a commit was lost, and the lease was taken over before it could be asked what became of it. Acquire the lease again and open the store anew; what was acknowledged is there.",
                cause);
    }

    private static StorePoisoned ambiguous(SQLException cause) {
        return new StorePoisoned(
                "The answer to a commit was lost in a crash or a failover of the database, which cannot say for sure what became of it. Open the store anew; what was acknowledged is there.",
                cause);
    }

    private boolean askOnce(Lease next, Question question, SQLException cause) throws SQLException {
        Connection connection = side.pool().take();
        boolean tidy = false;
        try {
            Pipeline pipeline = side.pipeline(connection);
            ShardTable shards = new ShardTable(pipeline, side.shard());
            pipeline.later(BEGIN);
            pipeline.laterQuery(
                    rows -> true,
                    LIMITS,
                    side.timeouts().lock(),
                    side.timeouts().statement());
            boolean ours = shards.changeWriter(side.lease(), next);
            long server = new IncarnationTable(pipeline).mark(side.time().randomLong());
            Fate fate = question.of(new Standing(shards, ours, server == side.incarnation()));
            int unused = pipeline.update("COMMIT");
            tidy = true;
            return settle(fate, ours ? next : null, server, cause);
        } finally {
            if (tidy) {
                side.pool().giveBack(connection);
            } else {
                side.pool().discard(connection);
            }
        }
    }

    /**
     * Says whether it was committed, now that this is certain.
     *
     * @param next the lease, or null if it is another's; if the commit happened all the same, the next write is told so
     */
    private boolean settle(Fate fate, @Nullable Lease next, long server, SQLException cause) {
        if (fate == Fate.AMBIGUOUS) {
            throw side.failStop().poison(ambiguous(cause));
        }
        if (next != null) {
            side.lease(next);
            side.incarnation(server);
        } else if (fate == Fate.ABORTED) {
            throw side.lost();
        } else if (fate == Fate.UNTRACEABLE) {
            throw side.failStop().poison(untraceable(cause));
        }
        return fate == Fate.COMMITTED;
    }

    /** Returns whether it was interrupted, after the whole time. */
    private static boolean sleep(long millis) {
        boolean interrupted = false;
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        for (long left = millis; left > 0; left = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime())) {
            try {
                TimeUnit.MILLISECONDS.sleep(left);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        return interrupted;
    }
}
