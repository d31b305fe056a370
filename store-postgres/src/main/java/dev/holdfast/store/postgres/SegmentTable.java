package dev.holdfast.store.postgres;

import dev.holdfast.store.AppendRecord;
import dev.holdfast.store.LogEntry;
import dev.holdfast.store.LogFrame;
import dev.holdfast.store.Store.RecoverySink;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The log: one row for each stream of each group commit. The rows of one commit share a position and are one log entry.
 *
 * <p>A row goes when its chunks are in a block, or with its stream; so an old row of a quiet stream holds nothing else back, and whoever
 * follows a stream reads this stream's rows alone. What is missing is found out by the numbers of the chunks, which are dense.
 */
final class SegmentTable {

    private static final String VALUES = "?::bigint[], ?::bigint[], ?::bigint[], ?::bytea[]";

    private static final String INSERT = """
            INSERT INTO @segments (shard, position, at, stream, first_seq, next_seq, body, ordinal)
            SELECT ?, ?, ?, stream, first_seq, next_seq, body, ordinal
            FROM unnest(%s) WITH ORDINALITY AS s (stream, first_seq, next_seq, body, ordinal)""".formatted(VALUES);
    /** The same as a transaction by itself, if the lease is still the writer's; nothing is inserted otherwise. */
    private static final String INSERT_FENCED = """
            WITH fence AS (
              SELECT set_config('lock_timeout', ?, true) FROM @shards WHERE shard = ? AND epoch = ? AND writer = ? FOR SHARE)
            INSERT INTO @segments (shard, position, at, stream, first_seq, next_seq, body, ordinal)
            SELECT ?, ?, ?, stream, first_seq, next_seq, body, ordinal
            FROM fence, unnest(%s) WITH ORDINALITY AS s (stream, first_seq, next_seq, body, ordinal)""".formatted(VALUES);

    private static final String DELETE_SEALED =
            "DELETE FROM @segments WHERE shard = ? AND stream = ? AND next_seq <= ?";
    private static final String DELETE_ALL = """
            DELETE FROM @segments WHERE shard = ? AND stream = ? AND position <= (
              SELECT max(position) FROM (
                SELECT position FROM @segments WHERE shard = ? AND stream = ? ORDER BY position LIMIT ?) oldest)""";
    /** Below a trim as well, only what is sealed goes: the chunks that are left must follow on those in blocks without a gap. */
    private static final String DELETE_BELOW = """
            DELETE FROM @segments WHERE shard = ? AND stream = ? AND position <= (
              SELECT max(position) FROM (
                SELECT position FROM @segments WHERE shard = ? AND stream = ? AND next_seq <= least(?::bigint,
                  (SELECT sealed_to FROM @streams WHERE shard = ? AND key = ?))
                ORDER BY position LIMIT ?) oldest)""";

    private static final String SWEEP = """
            WITH visited AS (
              SELECT stream, position FROM @segments WHERE shard = ? AND (stream, position) > (?, ?)
              ORDER BY stream, position LIMIT ?),
            swept AS (
              DELETE FROM @segments s USING visited v
              WHERE s.shard = ? AND s.stream = v.stream AND s.position = v.position AND v.position <= ?
                -- a discarded stream (3) keeps its rows for readers on other nodes, and they go with it
                AND NOT EXISTS (SELECT 1 FROM @streams d WHERE d.shard = s.shard AND d.key = s.stream AND d.state = 3))
            SELECT stream, position, count(*) OVER () FROM visited ORDER BY stream DESC, position DESC LIMIT 1""";

    private static final String OF_STREAM = """
            SELECT position, at, body FROM (
              SELECT position, at, body, sum(octet_length(body)) OVER (ORDER BY position) - octet_length(body) AS before
              FROM @segments WHERE shard = ? AND stream = ? AND next_seq > ? ORDER BY position LIMIT ?) s
            WHERE before < ? ORDER BY position""";
    private static final String EXTENT = """
            SELECT coalesce(max(position), 0), coalesce(max(octet_length(body)), 0) FROM @segments WHERE shard = ?""";
    private static final String ALL = """
            SELECT position, at, body FROM @segments WHERE shard = ? AND position > ? ORDER BY position, ordinal""";

    private final Pipeline pipeline;
    private final int shard;

    SegmentTable(Pipeline pipeline, int shard) {
        this.pipeline = pipeline;
        this.shard = shard;
    }

    /** The highest position, and the size of the largest row. */
    record Extent(long last, long largestBytes) {}

    /** Where the sweep stands. */
    record Swept(long stream, long position) {
        static final Swept START = new Swept(Long.MIN_VALUE, 0);
    }

    /** The appends of one commit by stream, as the columns of the rows to insert. */
    private record Columns(long[] streams, long[] firstSeqs, long[] nextSeqs, byte[][] bodies) {

        static Columns of(List<AppendRecord> appends, long position, long at) {
            Map<Long, List<AppendRecord>> byStream = new LinkedHashMap<>();
            for (AppendRecord append : appends) {
                byStream.computeIfAbsent(append.streamKey(), key -> new ArrayList<>(1))
                        .add(append);
            }
            int count = byStream.size();
            Columns columns = new Columns(new long[count], new long[count], new long[count], new byte[count][]);
            int i = 0;
            for (Map.Entry<Long, List<AppendRecord>> stream : byStream.entrySet()) {
                List<AppendRecord> records = stream.getValue();
                columns.streams[i] = stream.getKey();
                columns.firstSeqs[i] = records.getFirst().firstSeq();
                columns.nextSeqs[i] = records.getLast().nextSeq();
                columns.bodies[i] = LogFrame.encodePart(records, position, at);
                i++;
            }
            return columns;
        }
    }

    void insert(List<AppendRecord> appends, long position, long at) throws SQLException {
        Columns c = Columns.of(appends, position, at);
        pipeline.later(INSERT, shard, position, at, c.streams, c.firstSeqs, c.nextSeqs, c.bodies);
    }

    /** Inserts as a transaction by itself. Returns false if the lease is not this writer's any more; then nothing was inserted. */
    boolean insertFenced(List<AppendRecord> appends, long position, long at, Lease lease, String lockTimeout)
            throws SQLException {
        Columns c = Columns.of(appends, position, at);
        return pipeline.update(
                        INSERT_FENCED,
                        lockTimeout,
                        shard,
                        lease.epoch(),
                        lease.writer(),
                        shard,
                        position,
                        at,
                        c.streams,
                        c.firstSeqs,
                        c.nextSeqs,
                        c.bodies)
                == c.streams.length;
    }

    /** What is wholly in a block that ends at this number. */
    void deleteSealed(long streamKey, long toSeq) throws SQLException {
        pipeline.later(DELETE_SEALED, shard, streamKey, toSeq);
    }

    /** Deletes what is left of a stream, oldest first. */
    int delete(long streamKey, long belowSeq, int limit) throws SQLException {
        return belowSeq == Long.MAX_VALUE
                ? pipeline.update(DELETE_ALL, shard, streamKey, shard, streamKey, limit)
                : pipeline.update(DELETE_BELOW, shard, streamKey, shard, streamKey, belowSeq, shard, streamKey, limit);
    }

    /**
     * Goes on through the log from where the last sweep ended, over a bounded number of rows, and deletes those at or below a position that
     * nobody needs. That is how rows go which hold no chunk that is ever sealed.
     */
    Swept sweep(Swept from, long released) throws SQLException {
        record Last(Swept at, long visited) {}
        return pipeline.first(
                        row -> new Last(new Swept(row.getLong(1), row.getLong(2)), row.getLong(3)),
                        SWEEP,
                        shard,
                        from.stream(),
                        from.position(),
                        PostgresLimits.MAX_SWEPT_SEGMENTS,
                        shard,
                        released)
                .filter(last -> last.visited() == PostgresLimits.MAX_SWEPT_SEGMENTS)
                .map(Last::at)
                .orElse(Swept.START);
    }

    List<LogEntry> ofStream(long streamKey, long fromSeq, int maxBytes) throws SQLException {
        return pipeline.list(
                row -> LogFrame.join(List.of(Pipeline.blob(row, 3)), row.getLong(1), row.getLong(2)),
                OF_STREAM,
                shard,
                streamKey,
                fromSeq,
                PostgresLimits.MAX_FOLLOWED_SEGMENTS,
                Math.max(1, maxBytes));
    }

    Extent extent() throws SQLException {
        return pipeline.first(row -> new Extent(row.getLong(1), row.getLong(2)), EXTENT, shard)
                .orElseThrow();
    }

    /** Hands out every entry above a position. Holds only some rows at a time, which needs a transaction that is open. */
    void readAll(long above, Extent extent, Entries entries) throws SQLException {
        long fetched = PostgresLimits.MAX_FETCHED_BYTES / Math.max(1, extent.largestBytes());
        int rows = (int) Math.max(1, Math.min(PostgresLimits.MAX_FETCHED_SEGMENTS, fetched));
        pipeline.scan(rows, entries::row, ALL, shard, above);
        entries.finish();
    }

    /** Puts rows together to entries. */
    static final class Entries {
        private final RecoverySink sink;
        private final List<byte[]> parts = new ArrayList<>();
        private long position;
        private long at;

        Entries(RecoverySink sink) {
            this.sink = sink;
        }

        void row(ResultSet row) throws SQLException {
            if (row.getLong(1) != position) {
                finish();
                position = row.getLong(1);
                at = row.getLong(2);
            }
            parts.add(Pipeline.blob(row, 3));
        }

        void finish() {
            if (!parts.isEmpty()) {
                sink.entry(LogFrame.join(parts, position, at));
                parts.clear();
            }
        }
    }
}
