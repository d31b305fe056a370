package dev.holdfast.store.postgres;

import java.time.Duration;

/** The server's limits of a transaction, as its settings spell them: milliseconds. They are set for the transaction alone. */
record Timeouts(String lock, String statement, String idle) {

    static Timeouts of(PostgresSettings settings) {
        return new Timeouts(
                millis(settings.lockTimeout()),
                millis(settings.statementTimeout()),
                millis(settings.idleInTransactionTimeout()));
    }

    private static String millis(Duration duration) {
        return Long.toString(Math.max(1, Math.min(duration.toMillis(), Integer.MAX_VALUE)));
    }
}
