package dev.holdfast.node;

import dev.holdfast.cluster.Coordination;
import dev.holdfast.cluster.Coordination.Letter;
import dev.holdfast.error.HoldfastException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Letters on their way to the database. Those that gather while some are being sent go together with the next. An answer that could not be sent is sent
 * again for a while, which does no harm; a call never is, and is doubtful from then on. Thread-safe.
 */
final class Outbox {

    private static final Logger LOG = LoggerFactory.getLogger(Outbox.class);

    /** Bodies sent at once; a single letter may be larger. */
    private static final long MAX_SENT_BYTES = 16L << 20;

    /** Before anything is sent after letters could not be. */
    private static final Duration PAUSE = Duration.ofMillis(250);

    private final Coordination coordination;
    private final Executor threads;

    /** As many as there are callers that wait, and the answers that {@link Mail#MAX_CALLS_AT_ONCE} allows. */
    private final LinkedBlockingDeque<Outgoing> out = new LinkedBlockingDeque<>();

    /** Calls whose callers wait. */
    private final Set<Long> waiting = ConcurrentHashMap.newKeySet();

    /** Calls whose letters may have been sent or not. */
    private final Set<Long> doubtful = ConcurrentHashMap.newKeySet();

    private final AtomicBoolean sending = new AtomicBoolean();
    private volatile boolean closed;

    /** A letter. Only an answer may be sent twice, and is worth that for a while; a call never is, whoever waits for it still. */
    private sealed interface Outgoing {

        Letter letter();

        record Call(Letter letter) implements Outgoing {}

        record Reply(Letter letter, long untilNanos) implements Outgoing {}
    }

    Outbox(Coordination coordination, Executor threads) {
        this.coordination = coordination;
        this.threads = threads;
    }

    /** Sends a call, once. Its caller says when it waits no more ({@link #forget}). */
    void call(Letter letter) {
        waiting.add(letter.id());
        send(new Outgoing.Call(letter));
    }

    /** Sends an answer, if need be again until then. */
    void reply(Letter letter, long untilNanos) {
        send(new Outgoing.Reply(letter, untilNanos));
    }

    /** Whether a call may have been sent or not, and will not be any more. */
    boolean isDoubtful(long call) {
        return doubtful.contains(call);
    }

    /** Takes back a letter that was not sent; returns whether it was still there. */
    boolean takeBack(Letter letter) {
        return out.removeIf(unsent -> unsent.letter().id() == letter.id());
    }

    /** Nobody waits for a call's answer any more. */
    void forget(long call) {
        waiting.remove(call);
        doubtful.remove(call);
    }

    private void send(Outgoing letter) {
        out.add(letter);
        if (sending.compareAndSet(false, true)) {
            threads.execute(this::sendAll);
        }
    }

    private void sendAll() {
        do {
            try {
                List<Outgoing> batch = nextBatch();
                if (!batch.isEmpty()) {
                    sendBatch(batch);
                }
            } finally {
                sending.set(false); // whatever happened, or nothing would be sent any more
            }
        } while (!out.isEmpty() && sending.compareAndSet(false, true));
    }

    private List<Outgoing> nextBatch() {
        List<Outgoing> batch = new ArrayList<>();
        long bytes = 0;
        for (Outgoing next = out.poll(); next != null; next = out.poll()) {
            bytes += next.letter().body().length;
            if (!batch.isEmpty() && bytes > MAX_SENT_BYTES) {
                out.addFirst(next);
                break;
            }
            batch.add(next);
            if (batch.size() == Mail.MAX_LETTERS) {
                break;
            }
        }
        return batch;
    }

    /**
     * Where it fails, letters may have been sent nevertheless. Answers are sent again, which does no harm; of calls nobody knows, unless they
     * can be taken back.
     */
    private void sendBatch(List<Outgoing> batch) {
        try {
            coordination.send(batch.stream().map(Outgoing::letter).toList());
        } catch (HoldfastException e) {
            LOG.warn("{} letters to other nodes could not be sent: {}", batch.size(), e.getMessage());
            long now = System.nanoTime();
            for (Outgoing unsent : batch) {
                switch (unsent) {
                    case Outgoing.Call call -> doubt(call.letter().id());
                    case Outgoing.Reply reply -> {
                        if (reply.untilNanos() - now > 0 && !closed) {
                            out.add(reply);
                        }
                    }
                }
            }
            LockSupport.parkNanos(this, PAUSE.toNanos()); // what was put back is not tried again at once
        }
    }

    private void doubt(long call) {
        doubtful.add(call);
        if (!waiting.contains(call)) { // it has its answer already
            doubtful.remove(call);
        }
    }

    /** After {@link #close}: waits until all is sent, until then at most. */
    void finish(long untilNanos) {
        while ((sending.get() || !out.isEmpty()) && System.nanoTime() - untilNanos < 0) {
            LockSupport.parkNanos(this, 1_000_000);
        }
    }

    /** What cannot be sent from now on is not sent again. */
    void close() {
        closed = true;
    }
}
