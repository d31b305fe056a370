package dev.holdfast.server;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What was opened so far on the way to something whole. Unless that is reached, closing this closes all of it, the last first: whatever fails,
 * nothing stays open. A close that fails spares none of the others; it is thrown when all were tried, with what else failed as suppressed.
 * Confined to one thread.
 */
final class Opening implements AutoCloseable {

    private final Deque<Runnable> opened = new ArrayDeque<>();

    /** Something was opened, and this closes it. */
    void opened(Runnable close) {
        opened.push(close);
    }

    /** All went well: what was opened stays open. */
    void done() {
        opened.clear();
    }

    @Override
    public void close() {
        if (opened.isEmpty()) {
            return;
        }
        try (Opening rest = this) {
            rest.opened.pop().run();
        }
    }
}
