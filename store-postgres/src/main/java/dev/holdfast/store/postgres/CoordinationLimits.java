package dev.holdfast.store.postgres;

/** Every bound of the coordination, in one place. docs/coordination.md explains them to operators. */
final class CoordinationLimits {

    /** A node that missed its beats for so many leases more is removed, with its inbox. */
    static final int LEASES_UNTIL_REMOVAL = 3;

    /** Letters of removed nodes that one statement deletes. */
    static final int MAX_SWEPT_LETTERS = 1_000;

    /** Bodies of the letters of one call of {@code send}. */
    static final long MAX_SENT_BYTES = 128L << 20;

    /** Bodies of the letters of one call of {@code take}; a single letter may be larger. */
    static final long MAX_TAKEN_BYTES = 16L << 20;

    /** Keys that wait for the next notification; beyond it their shards stand for all of their keys. */
    static final int MAX_PENDING_KEYS = 4_096;

    /** The server takes payloads of less than 8,000 bytes; three bytes become four characters. */
    static final int MAX_HINT_BYTES = 7_996 / 4 * 3;

    /** Between two attempts to reach the server for hints: the first pause, and the longest. */
    static final long MIN_RETRY_MILLIS = 50;

    static final long MAX_RETRY_MILLIS = 5_000;

    /** After so long without a notification the listening connection is asked whether it still stands. */
    static final int PROBE_MILLIS = 10_000;

    /** How long the server may take to answer that, or to take a notification. */
    static final int HINT_TIMEOUT_MILLIS = 5_000;

    private CoordinationLimits() {}
}
