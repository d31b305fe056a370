package dev.holdfast.http.api;

/** The named limits of the JSON API. */
final class ApiLimits {

    /** Sessions, turns or messages on a page, unless the request asks for fewer. */
    static final int DEFAULT_PAGE = 50;

    static final int MAX_PAGE = 500;

    /** Contents on one page of messages, or a single larger message. */
    static final long MAX_PAGE_BYTES = 8L << 20;

    /** Contents of the recent messages in a snapshot of a session, or a single larger message. */
    static final long MAX_SNAPSHOT_BYTES = 1L << 20;

    /** Hits of a search on a page, unless the request asks otherwise. */
    static final int DEFAULT_HITS = 20;

    static final int MAX_HITS = 100;

    /** Feed events written at once. */
    static final int MAX_FEED_BATCH = 200;

    /** A body that names something but carries no message. */
    static final int MAX_SMALL_BODY_BYTES = 64 << 10;

    /** Messages beside each other that are shown as branches; the oldest ones. */
    static final int MAX_BRANCHES = 100;

    /** How far down a branch is followed to its end. */
    static final int MAX_BRANCH_DEPTH = 1_000;

    /** How often in a row a turn may say that it streams while its stream cannot be found, before its watcher is cut. */
    static final int MAX_ATTACHES_IN_A_ROW = 100;

    private ApiLimits() {}
}
