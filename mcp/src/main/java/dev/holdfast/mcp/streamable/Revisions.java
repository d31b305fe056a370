package dev.holdfast.mcp.streamable;

import java.util.List;

/** The revisions of the protocol that are served here, and what sets them apart. */
final class Revisions {

    static final List<String> ALL = List.of("2025-03-26", "2025-06-18", "2025-11-25");

    private static final String WITH_BATCHES = "2025-03-26";
    private static final String FIRST_PRIMED = "2025-11-25";

    private Revisions() {}

    static boolean hasBatches(String revision) {
        return revision.equals(WITH_BATCHES);
    }

    /** Whether clients take an event without data, and so can be given an id before there is a message. Older ones choke on it. */
    static boolean isPrimed(String revision) {
        return revision.compareTo(FIRST_PRIMED) >= 0;
    }
}
