package dev.holdfast.store.sqlite;

import dev.holdfast.store.PropertyRow;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Properties, clustered by owner and name. Names sort by their UTF-8 bytes. */
final class PropertyTable {

    private static final String SELECT = "SELECT owner, name, version, value, expires_at FROM holdfast_properties ";

    private static final String UPSERT = """
            INSERT INTO holdfast_properties (owner, name, version, value, expires_at) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (owner, name) DO UPDATE SET version = excluded.version, value = excluded.value, expires_at = excluded.expires_at""";
    private static final String DELETE = "DELETE FROM holdfast_properties WHERE owner = ? AND name = ?";
    private static final String PURGE = """
            DELETE FROM holdfast_properties WHERE owner = ?1 AND name IN (
              SELECT name FROM holdfast_properties WHERE owner = ?1 ORDER BY name LIMIT ?2)""";

    private static final String BY_NAME = SELECT + "WHERE owner = ? AND name = ?";
    private static final String LIST_FROM = SELECT + "WHERE owner = ? AND name >= ? AND name < ? ORDER BY name LIMIT ?";
    private static final String LIST_AFTER = SELECT + "WHERE owner = ? AND name > ? AND name < ? ORDER BY name LIMIT ?";
    private static final String EXPIRED =
            SELECT + "WHERE expires_at > 0 AND expires_at <= ? ORDER BY expires_at LIMIT ?";
    private static final String NEXT_EXPIRY =
            "SELECT expires_at FROM holdfast_properties WHERE expires_at > 0 ORDER BY expires_at LIMIT 1";

    /** SQLite sorts each blob behind every text. */
    private static final byte[] AFTER_ALL_TEXTS = {(byte) 0xFF};

    private final Statements statements;

    PropertyTable(Statements statements) {
        this.statements = statements;
    }

    void put(PropertyRow p) throws SQLException {
        statements.update(UPSERT, p.owner(), p.name(), p.version(), p.value(), p.expiresAt());
    }

    void delete(String owner, String name) throws SQLException {
        statements.update(DELETE, owner, name);
    }

    int purge(String owner, int limit) throws SQLException {
        return statements.update(PURGE, owner, limit);
    }

    Optional<PropertyRow> byName(String owner, String name) throws SQLException {
        return statements.first(PropertyTable::property, BY_NAME, owner, name);
    }

    List<PropertyRow> list(String owner, String prefix, String afterName, int limit) throws SQLException {
        String end = endOf(prefix);
        Object upper = end == null ? AFTER_ALL_TEXTS : end;
        return compareAsStored(prefix, afterName) > 0
                ? statements.list(PropertyTable::property, LIST_FROM, owner, prefix, upper, limit)
                : statements.list(PropertyTable::property, LIST_AFTER, owner, afterName, upper, limit);
    }

    List<PropertyRow> expired(long now, int limit) throws SQLException {
        return statements.list(PropertyTable::property, EXPIRED, now, limit);
    }

    long nextExpiry() throws SQLException {
        return statements.number(NEXT_EXPIRY);
    }

    private static int compareAsStored(String one, String other) {
        return Arrays.compareUnsigned(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
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
                Statements.text(row, 1),
                Statements.text(row, 2),
                row.getLong(3),
                Statements.blob(row, 4),
                row.getLong(5));
    }
}
