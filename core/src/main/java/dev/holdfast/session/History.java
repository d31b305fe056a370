package dev.holdfast.session;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/**
 * A path of messages, read in windows of at most {@link SessionLimits#MAX_WINDOW_MESSAGES} messages and
 * {@link SessionLimits#MAX_WINDOW_BYTES} of content (or a single larger message), so that a conversation of any length is never in memory as
 * a whole. To stop early, just stop asking.
 *
 * <p>Each window is of one instant. Messages that are deleted between two windows are left out; messages added after the first window are
 * not part of it.
 *
 * <p>One thread at a time.
 */
public abstract sealed class History implements Iterator<Message> permits RootFirst, NewestFirst {

    private List<Message> window = List.of();
    private int at;
    private boolean ended;

    History() {}

    /**
     * The next window, or what {@link #next()} left of the last one; empty at the end.
     *
     * @throws dev.holdfast.error.HoldfastException.SessionNotFound if the session was deleted
     * @throws dev.holdfast.error.HoldfastException.MessageNotFound if the message at the path's end is not there, or so much was deleted
     *     since the last window that the path cannot be followed any further
     * @throws dev.holdfast.error.HoldfastException.StoreDamaged if a content is damaged; nothing is passed over
     */
    public List<Message> nextWindow() {
        List<Message> rest = hasNext() ? window.subList(at, window.size()) : List.of();
        at = window.size();
        return rest;
    }

    @Override
    public boolean hasNext() {
        if (at == window.size() && !ended) {
            window = readWindow();
            at = 0;
            ended = window.isEmpty();
        }
        return at < window.size();
    }

    @Override
    public Message next() {
        if (!hasNext()) {
            throw new NoSuchElementException("The path has no more messages.");
        }
        return window.get(at++);
    }

    /** All messages that are left. Only for paths known to be short. */
    public List<Message> toList() {
        List<Message> all = new ArrayList<>();
        forEachRemaining(all::add);
        return all;
    }

    abstract List<Message> readWindow();

    /** Counts what a window holds; says when it is full. */
    static final class Budget {
        private int messages;
        private long bytes;

        /** Whether a message of this size still fits; a first one always does. */
        boolean take(long size) {
            boolean fits = messages == 0
                    || (messages < SessionLimits.MAX_WINDOW_MESSAGES && bytes + size <= SessionLimits.MAX_WINDOW_BYTES);
            if (fits) {
                messages++;
                bytes += size;
            }
            return fits;
        }
    }
}
