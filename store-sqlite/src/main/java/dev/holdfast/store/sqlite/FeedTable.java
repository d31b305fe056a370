package dev.holdfast.store.sqlite;

import dev.holdfast.store.FeedRow;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/** The sessions' feeds, clustered by session. Trimming spares the newest event, from which the numbering goes on. */
final class FeedTable {

    private static final String INSERT =
            "INSERT INTO holdfast_feed (session, seq, kind, at, message, turn, detail) VALUES (?, ?, ?, ?, ?, ?, ?)";
    private static final String FROM = """
            SELECT session, seq, kind, at, message, turn, detail FROM holdfast_feed
            WHERE session = ? AND seq >= ? ORDER BY seq LIMIT ?""";
    private static final String FIRST = "SELECT min(seq) FROM holdfast_feed WHERE session = ?";
    private static final String NEXT = "SELECT max(seq) + 1 FROM holdfast_feed WHERE session = ?";
    private static final String DELETE = "DELETE FROM holdfast_feed WHERE session = ? AND seq < ?";

    private final Statements statements;

    FeedTable(Statements statements) {
        this.statements = statements;
    }

    void append(FeedRow f) throws SQLException {
        statements.update(
                INSERT, f.sessionKey(), f.seq(), f.kind().code(), f.at(), f.messageId(), f.turnId(), f.detail());
    }

    List<FeedRow> from(long sessionKey, long seq, int limit) throws SQLException {
        return statements.list(FeedTable::event, FROM, sessionKey, seq, limit);
    }

    long first(long sessionKey) throws SQLException {
        return statements.number(FIRST, sessionKey);
    }

    long next(long sessionKey) throws SQLException {
        return statements.number(NEXT, sessionKey);
    }

    int trim(long sessionKey, long belowSeq, int limit) throws SQLException {
        long newest = next(sessionKey) - 1;
        long below = Math.min(Math.min(belowSeq, newest), first(sessionKey) + limit);
        return statements.update(DELETE, sessionKey, below);
    }

    /** Deletes the oldest events of a session that goes away, the newest one too. */
    int purge(long sessionKey, int limit) throws SQLException {
        return statements.update(DELETE, sessionKey, first(sessionKey) + limit);
    }

    private static FeedRow event(ResultSet row) throws SQLException {
        return new FeedRow(
                row.getLong(1),
                row.getLong(2),
                FeedRow.Kind.of(row.getInt(3)),
                row.getLong(4),
                row.getString(5),
                row.getString(6),
                row.getString(7));
    }
}
