package dev.holdfast.store.sqlite;

import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds statements in a text of SQL that would begin or end a transaction, or cannot run inside one. {@code ROLLBACK TO} a savepoint is
 * none of them.
 */
final class TransactionEndings {

    private static final Set<String> ENDINGS =
            Set.of("BEGIN", "COMMIT", "END", "ROLLBACK", "ATTACH", "DETACH", "VACUUM");

    private final String sql;
    private int at;

    private TransactionEndings(String sql) {
        this.sql = sql;
    }

    /** The first such statement's keyword, or null. */
    static @Nullable String firstIn(String sql) {
        return new TransactionEndings(sql).first();
    }

    private @Nullable String first() {
        while (at < sql.length()) {
            String keyword = word();
            if (keyword.equals("CREATE")) {
                return null; // a trigger's body has statements, and an END, of its own
            }
            boolean toSavepoint = false;
            for (String next = word(); !next.isEmpty(); next = word()) {
                toSavepoint |= next.equals("TO");
            }
            if (ENDINGS.contains(keyword) && !(keyword.equals("ROLLBACK") && toSavepoint)) {
                return keyword;
            }
            skipStatement();
        }
        return null;
    }

    /** The next word in upper case; empty if something else comes next. */
    private String word() {
        skipBlanks();
        int from = at;
        while (at < sql.length() && Character.isLetter(sql.charAt(at))) {
            at++;
        }
        return sql.substring(from, at).toUpperCase(Locale.ROOT);
    }

    private void skipBlanks() {
        while (at < sql.length()) {
            if (Character.isWhitespace(sql.charAt(at))) {
                at++;
            } else if (!skipComment()) {
                return;
            }
        }
    }

    private boolean skipComment() {
        if (sql.startsWith("--", at)) {
            skipPast("\n", at + 2);
            return true;
        }
        if (sql.startsWith("/*", at)) {
            skipPast("*/", at + 2);
            return true;
        }
        return false;
    }

    /** Moves behind the next semicolon that is not quoted. */
    private void skipStatement() {
        while (at < sql.length()) {
            char c = sql.charAt(at);
            if (c == ';') {
                at++;
                return;
            }
            if (c == '\'' || c == '"' || c == '`') {
                skipPast(String.valueOf(c), at + 1);
            } else if (c == '[') {
                skipPast("]", at + 1);
            } else if (!skipComment()) {
                at++;
            }
        }
    }

    private void skipPast(String end, int from) {
        int found = sql.indexOf(end, from);
        at = found < 0 ? sql.length() : found + end.length();
    }
}
