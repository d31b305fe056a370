package dev.holdfast.store.postgres;

import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds statements in a text of SQL that would begin or end a transaction, cannot run inside one, or change the session beyond it.
 * {@code ROLLBACK TO} a savepoint and {@code SET LOCAL} are none of them.
 */
final class TransactionEndings {

    private static final Set<String> REFUSED = Set.of(
            "BEGIN",
            "START",
            "COMMIT",
            "END",
            "ROLLBACK",
            "ABORT",
            "PREPARE",
            "VACUUM",
            "SET",
            "RESET",
            "DISCARD",
            "LISTEN",
            "UNLISTEN");

    /** The words after SET that keep it within the transaction. */
    private static final Set<String> WITHIN = Set.of("LOCAL", "CONSTRAINTS");

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
                return null; // the body of a function may have statements, and an END, of its own
            }
            String second = word();
            boolean toSavepoint = second.equals("TO");
            for (String next = second; !next.isEmpty(); next = word()) {
                toSavepoint |= next.equals("TO");
            }
            boolean harmless =
                    (keyword.equals("ROLLBACK") && toSavepoint) || (keyword.equals("SET") && WITHIN.contains(second));
            if (REFUSED.contains(keyword) && !harmless) {
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
        if (!sql.startsWith("/*", at)) {
            return false;
        }
        int depth = 0; // PostgreSQL's comments nest
        do {
            if (sql.startsWith("/*", at)) {
                depth++;
                at += 2;
            } else if (sql.startsWith("*/", at)) {
                depth--;
                at += 2;
            } else {
                at++;
            }
        } while (depth > 0 && at < sql.length());
        return true;
    }

    /** Moves behind the next semicolon that is not quoted. */
    private void skipStatement() {
        while (at < sql.length()) {
            char c = sql.charAt(at);
            if (c == ';') {
                at++;
                return;
            }
            if (c == '\'') {
                skipText();
            } else if (c == '"') {
                skipPast("\"", at + 1);
            } else if (c == '$') {
                skipDollars();
            } else if (!skipComment()) {
                at++;
            }
        }
    }

    /** A text in quotes; in one that begins with E a backslash hides the quote after it. */
    private void skipText() {
        boolean escapes = at > 0 && Character.toUpperCase(sql.charAt(at - 1)) == 'E';
        at++;
        while (at < sql.length() && sql.charAt(at) != '\'') {
            at += escapes && sql.charAt(at) == '\\' ? 2 : 1;
        }
        at = Math.min(sql.length(), at + 1);
    }

    /** A text between {@code $tag$} and {@code $tag$}, or a lone dollar. */
    private void skipDollars() {
        int end = at + 1;
        while (end < sql.length() && (Character.isLetterOrDigit(sql.charAt(end)) || sql.charAt(end) == '_')) {
            end++;
        }
        if (end < sql.length() && sql.charAt(end) == '$') {
            skipPast(sql.substring(at, end + 1), end + 1);
        } else {
            at++;
        }
    }

    private void skipPast(String end, int from) {
        int found = sql.indexOf(end, from);
        at = found < 0 ? sql.length() : found + end.length();
    }
}
