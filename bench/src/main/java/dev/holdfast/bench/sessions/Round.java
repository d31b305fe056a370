package dev.holdfast.bench.sessions;

import java.util.List;

/**
 * A number of chunks in each session, at a steady pace, the sessions one after the other. When each is due is known beforehand, to the server and to whoever
 * watches.
 *
 * @param first number of the first chunk
 * @param start when the first session's first chunk is due, on the machine's monotonic clock
 * @param intervalNanos between two chunks of a session
 * @param chunks in each session
 * @param sessions how many there are
 */
record Round(long first, long start, long intervalNanos, int chunks, int sessions) {

    /** When a chunk is due. */
    long dueAt(int session, int chunk) {
        return start + intervalNanos * chunk + intervalNanos * session / sessions;
    }

    /** The number behind the last chunk of a session that is due by then. */
    long dueBy(int session, long nanos) {
        long since = nanos - dueAt(session, 0);
        return since < 0 ? first : first + Math.min(chunks, since / intervalNanos + 1);
    }

    /** The number behind the last one. */
    long end() {
        return first + chunks;
    }

    String text() {
        return "%d %d %d %d %d".formatted(first, start, intervalNanos, chunks, sessions);
    }

    static Round parse(String text) {
        List<Long> numbers =
                List.of(text.strip().split(" ", -1)).stream().map(Long::valueOf).toList();
        return new Round(
                numbers.get(0),
                numbers.get(1),
                numbers.get(2),
                numbers.get(3).intValue(),
                numbers.get(4).intValue());
    }
}
