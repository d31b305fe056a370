package dev.holdfast.http.durablestreams.subscriptions;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A webhook request on its way: which streams it told of, and how long it may go unanswered. Guarded by its subscription's lock. */
final class Delivery {

    private List<Link.Standing> told = List.of();
    private long deadline;
    private @Nullable Thread sender;

    /** It is about to be sent, by the calling thread. */
    void begin(List<Link.Standing> streams, long unansweredAt) {
        told = streams;
        deadline = unansweredAt;
        sender = Thread.currentThread();
    }

    /** It was answered; cancelling it has no effect any more. */
    void finish() {
        sender = null;
    }

    List<Link.Standing> told() {
        return told;
    }

    /** When it counts as unanswered, ms; 0 while it waits for its turn to be sent. */
    long deadline() {
        return deadline;
    }

    /** Cuts it. */
    void cancel() {
        Thread thread = sender;
        sender = null;
        if (thread != null) {
            thread.interrupt();
        }
    }
}
