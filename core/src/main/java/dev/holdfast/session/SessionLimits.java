package dev.holdfast.session;

import java.time.Duration;

/**
 * The named limits of sessions, their messages, feeds and properties.
 *
 * @param maxMessageBytes content of one message, at most {@value #MAX_MESSAGE_BYTES}
 * @param feedRetained the newest events of a feed that are always kept; up to {@value #FEED_TRIM_STEP} more wait to be trimmed
 */
public record SessionLimits(int maxMessageBytes, int feedRetained) {

    /** Content of one message. A session keeps every byte of it or refuses it; nothing is ever cut. */
    public static final int MAX_MESSAGE_BYTES = 256 << 20;

    /** Newest events that each feed keeps unless configured. */
    public static final int DEFAULT_FEED_RETAINED = 10_000;

    /** A feed is trimmed with every so many events, by at most twice as many. */
    public static final int FEED_TRIM_STEP = 64;

    /** The detail of a feed event; UTF-8 bytes, longer ones are cut. */
    public static final int MAX_DETAIL_BYTES = 4 << 10;

    /** Events of one read of a feed. */
    public static final int MAX_FEED_PAGE = 1000;

    /** Messages of one window of a history. */
    public static final int MAX_WINDOW_MESSAGES = 50;

    /** Contents of one window of a history, or a single larger message. */
    public static final long MAX_WINDOW_BYTES = 4L << 20;

    /** Contents of a recent history or snapshot, or a single larger message. */
    public static final long MAX_RECENT_BYTES = 64L << 20;

    /** Messages of a recent history or snapshot. */
    public static final int MAX_RECENT_MESSAGES = 10_000;

    /** Messages on one path from root to leaf that a history can walk root first. */
    public static final int MAX_PATH_MESSAGES = 1 << 20;

    /** Messages deleted by one call. */
    public static final int MAX_DELETED_MESSAGES = 256;

    /** Children that one call moves to other parents because theirs are deleted. */
    public static final int MAX_MOVED_MESSAGES = 10_000;

    /** Messages that a session may hold to be cleared; a larger one is deleted as a whole. */
    public static final int MAX_CLEARED_MESSAGES = 100_000;

    /** Code points of a title that is set. */
    public static final int MAX_TITLE_CHARS = 256;

    /** Code points of a title that is made of a message. */
    public static final int MAX_MADE_TITLE_CHARS = 80;

    /** Titles that one call compares with a question. */
    public static final int MAX_COMPARED_TITLES = 5000;

    /** The beginning of a message's text whose words are found; what comes after is not. */
    public static final int MAX_SEARCHED_CHARS = 256 << 10;

    /** The beginning of a question that counts. */
    public static final int MAX_QUESTION_CHARS = 1024;

    /** Words of a question; more are left out. */
    public static final int MAX_QUESTION_WORDS = 16;

    /** Of a longer word only half as many characters count. */
    static final int MAX_WORD_CHARS = 128;

    /** Text of a snippet. */
    public static final int SNIPPET_CHARS = 200;

    /** Text of a snippet before the first word that was looked for. */
    static final int SNIPPET_CHARS_BEFORE = 60;

    /** Contents that are read for one page of a search, or a single larger one. */
    public static final long MAX_SEARCH_PAGE_BYTES = 16L << 20;

    /** Messages of an earlier version that are made findable in one transaction. */
    static final int INDEXED_MESSAGES_PER_BATCH = 32;

    /** Contents of such messages in one transaction, or a single larger one. */
    static final long INDEXED_BYTES_PER_BATCH = 1L << 20;

    /** One attachment. */
    public static final long MAX_ATTACHMENT_BYTES = 64L << 20;

    /** What of an attachment is in memory, and in one commit. */
    public static final int ATTACHMENT_PIECE_BYTES = 1 << 20;

    /** The name of an attachment's file, UTF-8. */
    public static final int MAX_FILENAME_BYTES = 256;

    /** How long an attachment lives that no message ever named, since it was last put. */
    public static final Duration UNUSED_ATTACHMENT_LIFE = Duration.ofDays(1);

    /** Attachments deleted in one transaction. */
    static final int EXPIRED_ATTACHMENTS_PER_BATCH = 4;

    /** One page of a listing: sessions, children, properties. */
    public static final int MAX_PAGE = 1000;

    /** Live streams that one session cursor can name. */
    public static final int MAX_CURSOR_STREAMS = 64;

    /** One property's value. */
    public static final int MAX_PROPERTY_BYTES = 64 << 10;

    /** The summary of an overlay; UTF-8 bytes. */
    public static final int MAX_SUMMARY_BYTES = 48 << 10;

    /** Overlays of one session. One more takes the place of the oldest. */
    public static final int MAX_OVERLAYS = 64;

    /** Changes of properties made together. */
    public static final int MAX_PROPERTY_CHANGES = 512;

    /** Values of properties written together. */
    public static final int MAX_PROPERTY_CHANGES_BYTES = 1 << 20;

    /** Rows of a deleted session removed in one transaction. */
    static final int PURGED_ROWS_PER_BATCH = 256;

    /** Streams of a deleted session discarded in one transaction. */
    static final int DISCARDED_STREAMS_PER_BATCH = 1024;

    /** Expired properties deleted in one transaction. */
    static final int EXPIRED_PROPERTIES_PER_BATCH = 256;

    public SessionLimits {
        if (maxMessageBytes < 1 || maxMessageBytes > MAX_MESSAGE_BYTES) {
            throw new IllegalArgumentException("maxMessageBytes is 1 to " + MAX_MESSAGE_BYTES);
        }
        if (feedRetained < 1) {
            throw new IllegalArgumentException("feedRetained is at least 1");
        }
    }

    /** The longest life of a property. */
    public static final Duration MAX_PROPERTY_LIFE = Duration.ofDays(36_500);

    public static SessionLimits defaults() {
        return new SessionLimits(MAX_MESSAGE_BYTES, DEFAULT_FEED_RETAINED);
    }

    public SessionLimits withMaxMessageBytes(int bytes) {
        return new SessionLimits(bytes, feedRetained);
    }

    public SessionLimits withFeedRetained(int events) {
        return new SessionLimits(maxMessageBytes, events);
    }
}
