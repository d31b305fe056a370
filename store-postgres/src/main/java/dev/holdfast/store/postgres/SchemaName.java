package dev.holdfast.store.postgres;

import dev.holdfast.error.HoldfastException.InvalidArgument;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * The schema that holds the tables. Statements name a table as {@code @streams}; here that becomes the schema and the table's full name, so
 * that no statement depends on a search path, which would be state of a session. Safe for any thread.
 */
final class SchemaName {

    private static final Pattern ALLOWED = Pattern.compile("[a-z_][a-z0-9_]{0,62}");
    private static final Pattern TABLE = Pattern.compile("@([a-z]+)");

    private final String name;
    private final ConcurrentHashMap<String, String> qualified = new ConcurrentHashMap<>();

    SchemaName(String name) {
        if (!ALLOWED.matcher(name).matches() || name.startsWith("pg_")) {
            throw new InvalidArgument(
                    "\"%s\" cannot be the schema. Use lower-case letters, digits and underscores, at most 63, and no name that begins with pg_."
                            .formatted(name));
        }
        this.name = name;
    }

    String name() {
        return name;
    }

    /** The statement with full names. Statements are constants, so only so many are kept. */
    String qualify(String sql) {
        String known = qualified.get(sql);
        return known != null
                ? known
                : qualified.computeIfAbsent(
                        sql, text -> TABLE.matcher(text).replaceAll("\"" + name + "\".holdfast_$1"));
    }
}
