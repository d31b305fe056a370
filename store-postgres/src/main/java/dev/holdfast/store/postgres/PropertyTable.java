package dev.holdfast.store.postgres;

import dev.holdfast.store.PropertyRow;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Properties. Names sort by their UTF-8 bytes (collation {@code C} in a database of encoding UTF8). */
final class PropertyTable {

    private static final String SELECT = "SELECT owner, name, version, value, expires_at FROM @properties ";

    private static final String UPSERT = """
            INSERT INTO @properties (shard, owner, name, version, value, expires_at) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (shard, owner, name)
            DO UPDATE SET version = excluded.version, value = excluded.value, expires_at = excluded.expires_at""";
    private static final String DELETE = "DELETE FROM @properties WHERE shard = ? AND owner = ? AND name = ?";
    private static final String PURGE = """
            DELETE FROM @properties WHERE shard = ? AND owner = ? AND name <= (
              SELECT max(name) FROM (
                SELECT name FROM @properties WHERE shard = ? AND owner = ? ORDER BY name LIMIT ?) least)""";

    private static final String BY_NAME = SELECT + "WHERE shard = ? AND owner = ? AND name = ?";
    private static final String LIST =
            SELECT + "WHERE shard = ? AND owner = ? AND name >= ? AND name > ? AND name < ? ORDER BY name LIMIT ?";
    /** For a prefix behind which no text can end the range. */
    private static final String LIST_TO_END =
            SELECT + "WHERE shard = ? AND owner = ? AND name >= ? AND name > ? ORDER BY name LIMIT ?";

    private static final String EXPIRED =
            SELECT + "WHERE shard = ? AND expires_at > 0 AND expires_at <= ? ORDER BY expires_at LIMIT ?";
    private static final String NEXT_EXPIRY =
            "SELECT expires_at FROM @properties WHERE shard = ? AND expires_at > 0 ORDER BY expires_at LIMIT 1";

    private final Pipeline pipeline;
    private final int shard;

    PropertyTable(Pipeline pipeline, int shard) {
        this.pipeline = pipeline;
        this.shard = shard;
    }

    void put(PropertyRow p) throws SQLException {
        pipeline.later(UPSERT, shard, p.owner(), p.name(), p.version(), p.value(), p.expiresAt());
    }

    void delete(String owner, String name) throws SQLException {
        pipeline.later(DELETE, shard, owner, name);
    }

    int purge(String owner, int limit) throws SQLException {
        return pipeline.update(PURGE, shard, owner, shard, owner, limit);
    }

    Optional<PropertyRow> byName(String owner, String name) throws SQLException {
        return pipeline.first(PropertyTable::property, BY_NAME, shard, owner, name);
    }

    List<PropertyRow> list(String owner, String prefix, String afterName, int limit) throws SQLException {
        String end = endOf(prefix);
        return end == null
                ? pipeline.list(PropertyTable::property, LIST_TO_END, shard, owner, prefix, afterName, limit)
                : pipeline.list(PropertyTable::property, LIST, shard, owner, prefix, afterName, end, limit);
    }

    List<PropertyRow> expired(long now, int limit) throws SQLException {
        return pipeline.list(PropertyTable::property, EXPIRED, shard, now, limit);
    }

    long nextExpiry() throws SQLException {
        return pipeline.number(NEXT_EXPIRY, shard);
    }

    /** The least text that sorts after everything that starts with the prefix, or null if there is none. */
    static @Nullable String endOf(String prefix) {
        int[] codePoints = prefix.codePoints().toArray();
        for (int last = codePoints.length - 1; last >= 0; last--) {
            if (codePoints[last] < Character.MAX_CODE_POINT) {
                int next = codePoints[last] + 1;
                codePoints[last] = Character.MIN_SURROGATE <= next && next <= Character.MAX_SURROGATE
                        ? Character.MAX_SURROGATE + 1
                        : next;
                return new String(codePoints, 0, last + 1);
            }
        }
        return null;
    }

    private static PropertyRow property(ResultSet row) throws SQLException {
        return new PropertyRow(
                Pipeline.text(row, 1), Pipeline.text(row, 2), row.getLong(3), Pipeline.blob(row, 4), row.getLong(5));
    }
}
