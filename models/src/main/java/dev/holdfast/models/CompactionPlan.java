package dev.holdfast.models;

import java.util.List;
import java.util.Optional;

/** Decides what of a conversation is folded. Pure: entries in, a range out. */
final class CompactionPlan {

    /**
     * One message, or what is folded already.
     *
     * @param role of the message
     * @param folded whether it is a summary
     * @param tokens what it costs
     */
    record Entry(String role, boolean folded, long tokens) {

        /** Whether this belongs to what is before it: a tool's result, in applications that keep results as messages, is nothing without its call. */
        boolean leans() {
            return role.equals("tool");
        }
    }

    /**
     * Entries to fold.
     *
     * @param from index of the first
     * @param to index behind the last
     */
    record Range(int from, int to) {}

    private CompactionPlan() {}

    /**
     * What to fold of a conversation, or nothing if it is short enough or all of it is to be kept. At most about {@code afterTokens} are folded at once,
     * since what is folded has to fit the model that sums it up.
     */
    static Optional<Range> of(List<Entry> entries, Compaction compaction) {
        long all = entries.stream().mapToLong(Entry::tokens).sum();
        if (all <= compaction.afterTokens()) {
            return Optional.empty();
        }
        int from = first(entries, compaction);
        int to = fitting(entries, from, end(entries, compaction), compaction.afterTokens());
        boolean foldsSomething =
                to - from > 1 || (to - from == 1 && !entries.get(from).folded());
        return foldsSomething ? Optional.of(new Range(from, to)) : Optional.empty();
    }

    /** Where folding begins: behind what is kept, or with an earlier summary, so that it never covers less than before. */
    private static int first(List<Entry> entries, Compaction compaction) {
        int kept = 0;
        while (kept < entries.size()
                && kept < compaction.keepFirst()
                && !entries.get(kept).folded()) {
            kept++;
        }
        while (kept < entries.size() && entries.get(kept).leans()) {
            kept++;
        }
        return kept;
    }

    private static int end(List<Entry> entries, Compaction compaction) {
        int end = entries.size();
        long tokens = 0;
        while (end > 0
                && (entries.size() - end < Compaction.MIN_KEPT
                        || tokens + entries.get(end - 1).tokens() <= compaction.keepTokens())) {
            end--;
            tokens += entries.get(end).tokens();
        }
        return whole(entries, end);
    }

    /** Not further than what fits at once, but at least one entry beyond an earlier summary. */
    private static int fitting(List<Entry> entries, int from, int end, long most) {
        int to = from;
        long tokens = 0;
        while (to < end && (to - from < 2 || tokens + entries.get(to).tokens() <= most)) {
            tokens += entries.get(to).tokens();
            to++;
        }
        return Math.max(from, whole(entries, to));
    }

    /** Moves a cut towards the root until it parts nothing that belongs together. */
    private static int whole(List<Entry> entries, int cut) {
        int at = cut;
        while (at > 0 && at < entries.size() && entries.get(at).leans()) {
            at--;
        }
        return at;
    }
}
