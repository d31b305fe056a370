package dev.holdfast.mcp.modern;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What is on its way from a request's handler to its client, bounded in bytes (BOUNDED): whoever puts more in waits for the client, or is told
 * that it is too slow. Something larger than the bound is let in alone.
 *
 * <p>Thread-safe.
 */
final class Outbox {

    /** How it stands. */
    enum State {
        OPEN,
        /** Nothing more comes; what is in it is the whole rest. */
        COMPLETE,
        /** Nothing more comes, and something is missing. */
        BROKEN
    }

    private final long maxBytes;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room = lock.newCondition();

    // All guarded by the lock.
    private final Deque<byte[]> frames = new ArrayDeque<>();
    private long bytes;
    private State state = State.OPEN;

    Outbox(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** Puts something in if there is room. */
    boolean offer(byte[] frame) {
        lock.lock();
        try {
            if (!fits(frame)) {
                return state != State.OPEN; // nobody takes it, and nobody misses it
            }
            add(frame);
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Puts something in, and waits for room. */
    void put(byte[] frame) throws InterruptedException {
        lock.lock();
        try {
            while (state == State.OPEN && !fits(frame)) {
                room.await();
            }
            add(frame);
        } finally {
            lock.unlock();
        }
    }

    private boolean fits(byte[] frame) {
        return state == State.OPEN && (frames.isEmpty() || bytes + frame.length <= maxBytes);
    }

    private void add(byte[] frame) {
        if (state == State.OPEN) {
            frames.add(frame);
            bytes += frame.length;
        }
    }

    /** Takes all that is in it. */
    List<byte[]> take() {
        lock.lock();
        try {
            List<byte[]> taken = new ArrayList<>(frames);
            frames.clear();
            bytes = 0;
            room.signalAll();
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /** Lets nothing more in; the first end counts. */
    void end(State how) {
        lock.lock();
        try {
            if (state == State.OPEN) {
                state = how;
            }
            room.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** As it stands once everything was taken; {@code OPEN} while something is in it. */
    State drained() {
        lock.lock();
        try {
            return frames.isEmpty() ? state : State.OPEN;
        } finally {
            lock.unlock();
        }
    }
}
