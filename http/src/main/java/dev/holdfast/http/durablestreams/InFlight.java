package dev.holdfast.http.durablestreams;

import dev.holdfast.http.HttpProblem;
import dev.holdfast.http.Problem;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The bytes that requests hold at this moment: bodies that are being written, answers that are being sent. One bound for all of them, so that
 * load is refused with a status and a time to come back instead of memory running out. Thread-safe.
 */
final class InFlight {

    private final long max;
    private final AtomicLong held = new AtomicLong();

    InFlight(long max) {
        this.max = max;
    }

    /** Bytes that one request holds, more and more of them, until it closes this. One thread at a time. */
    final class Share implements AutoCloseable {
        private long mine;

        /**
         * @throws HttpProblem 429 if all requests together would hold too much
         */
        void take(long bytes) {
            mine += bytes;
            if (held.addAndGet(bytes) > max) {
                throw tooMuch();
            }
        }

        /** As {@link #take}, for what is bounded in another way: it counts, and is never refused. */
        void hold(long bytes) {
            mine += bytes;
            held.addAndGet(bytes);
        }

        @Override
        public void close() {
            if (mine != 0) {
                held.addAndGet(-mine);
                mine = 0;
            }
        }
    }

    Share share() {
        return new Share();
    }

    /** Whether there is room for generous reads. */
    boolean roomy() {
        return held.get() < max / 2;
    }

    private HttpProblem tooMuch() {
        return new HttpProblem(Problem.of(
                        429,
                        "overloaded",
                        "Too much is in flight",
                        "Requests to this server hold more than %d bytes already. Come back in a moment."
                                .formatted(max))
                .retryAfter(WireErrors.RETRY_AFTER_SECONDS));
    }
}
