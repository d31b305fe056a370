package dev.holdfast.verification.cluster;

import java.util.List;

/** How a server learns of what another one wrote. */
enum Learning {
    BY_HINTS("yes"),
    BY_LOOKING("no");

    private final String hints;

    Learning(String hints) {
        this.hints = hints;
    }

    /** Options of servers that learn so. */
    List<String> options() {
        return List.of("--hints", hints);
    }
}
