package dev.holdfast.store.sqlite;

import dev.holdfast.error.HoldfastException.StoreDamaged;
import dev.holdfast.store.LogEntry;
import dev.holdfast.store.LogFrame;
import dev.holdfast.store.Store.RecoverySink;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/**
 * The log: one row for each group commit, holding the framed appends of all streams in it.
 *
 * <p>Positions are dense. What was released from the front is noted in the same transaction, and so is a position up to which the log was
 * complete; therefore a row missing at the front, in the middle, or (as far as anything still knows of it) at the end is damage that
 * {@link #recover} finds. A row whose bytes changed fails the frame's own checksum.
 */
final class JournalTable {

    /**
     * The leading comment keeps the driver from asking for generated keys after it, which would be a fifth of the CPU time of an append. It
     * could be switched off for the connection; but commit callbacks of the application may want theirs.
     */
    private static final String INSERT = "/* log */ INSERT INTO holdfast_journal (id, data) VALUES (?, ?)";

    /** The same, if the store has this owner still. */
    private static final String INSERT_IF_OWNER = """
            /* log */ INSERT INTO holdfast_journal (id, data)
              SELECT ?, ? WHERE ? = (SELECT value FROM holdfast_meta WHERE name = 'owner')""";

    private static final String LAST = "SELECT max(id) FROM holdfast_journal";
    private static final String ALL = "SELECT id, data FROM holdfast_journal ORDER BY id";
    private static final String SIZES =
            "SELECT id, length(data) FROM holdfast_journal WHERE id > ? AND id <= ? ORDER BY id LIMIT ?";
    private static final String DELETE = "DELETE FROM holdfast_journal WHERE id > ? AND id <= ?";

    private final Statements statements;
    private final MetaTable meta;

    JournalTable(Statements statements, MetaTable meta) {
        this.statements = statements;
        this.meta = meta;
    }

    private record Size(long position, long bytes) {}

    void insert(long position, byte[] frame) throws SQLException {
        statements.update(INSERT, position, frame);
    }

    /** Inserts as a transaction by itself. Returns false if the store has another owner; then nothing was inserted. */
    boolean insertIf(long owner, long position, byte[] frame) throws SQLException {
        return statements.update(INSERT_IF_OWNER, position, frame, owner) == 1;
    }

    /** The position of the newest entry there ever was. */
    long last() throws SQLException {
        return Math.max(
                statements.number(LAST), Math.max(meta.get(MetaTable.LOG_RELEASED), meta.get(MetaTable.LOG_KNOWN)));
    }

    /** Hands the whole log to the sink, oldest entry first. The sink runs on the calling thread. */
    void recover(RecoverySink sink) throws SQLException {
        try (JournalReader reader = new JournalReader(this::readAll)) {
            for (List<LogEntry> step = reader.next(); !step.isEmpty(); step = reader.next()) {
                step.forEach(sink::entry);
            }
        }
    }

    private void readAll(JournalReader.Taker taker) throws SQLException {
        long expected = meta.get(MetaTable.LOG_RELEASED) + 1;
        long known = meta.get(MetaTable.LOG_KNOWN);
        long next = statements.fold(expected, ALL, (row, position) -> {
            if (row.getLong(1) != position) {
                throw hole(position, row.getLong(1));
            }
            taker.take(LogFrame.decode(position, Statements.blob(row, 2)));
            return position + 1;
        });
        if (next <= known) {
            throw new StoreDamaged(("The log ends before entry %d, but it once held entry %d. "
                            + "Restore the store from a backup; nothing was changed.")
                    .formatted(next, known));
        }
    }

    /**
     * Deletes entries from the front up to {@code position}, as many as one call may.
     *
     * @param last the position of the newest committed entry
     * @return the highest position released so far
     */
    long release(long position, long last) throws SQLException {
        long released = meta.get(MetaTable.LOG_RELEASED);
        long target = Math.min(position, last);
        if (target <= released) {
            return released;
        }
        long upTo = released;
        long bytes = 0;
        for (Size size :
                statements.list(JournalTable::size, SIZES, released, target, SqliteLimits.MAX_RELEASE_ENTRIES)) {
            bytes += size.bytes();
            if (bytes > SqliteLimits.MAX_RELEASE_BYTES && upTo > released) {
                break;
            }
            upTo = size.position();
        }
        if (upTo == released) {
            return released;
        }
        statements.update(DELETE, released, upTo);
        meta.set(MetaTable.LOG_RELEASED, upTo);
        meta.set(MetaTable.LOG_KNOWN, last);
        return upTo;
    }

    private static Size size(ResultSet row) throws SQLException {
        return new Size(row.getLong(1), row.getLong(2));
    }

    private static StoreDamaged hole(long expected, long found) {
        return new StoreDamaged(
                ("The log has a hole: entry %d should come next, but entry %d does. Restore the store from a backup; "
                                + "nothing was changed.")
                        .formatted(expected, found));
    }
}
