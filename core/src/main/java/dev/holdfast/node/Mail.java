package dev.holdfast.node;

import dev.holdfast.cluster.Coordination;
import dev.holdfast.cluster.Coordination.Letter;
import dev.holdfast.cluster.Peers;
import dev.holdfast.cluster.Request;
import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.OutcomeUnknown;
import dev.holdfast.error.HoldfastException.StoreBusy;
import dev.holdfast.node.Calls.Content;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The calls that this node makes on other nodes and they on it, as letters in the database.
 *
 * <p><b>At most once.</b> A letter is taken by one reader, and a call that was not answered is not sent again as long as it may have been
 * taken: it is taken back first. Only if it was still there, or the other node says that it did not make the call, is it sent again. Otherwise
 * the caller is told that the outcome is unknown. {@link Outbox} sends.
 *
 * <p>Thread-safe.
 */
final class Mail implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Mail.class);

    /** Letters sent or taken at once. */
    static final int MAX_LETTERS = 256;

    /** Calls of other nodes that are made at the same time; more of them wait in the database. */
    static final int MAX_CALLS_AT_ONCE = 1_024;

    /** How often a caller looks whether the node that it waits for still lives. */
    private static final Duration LOOK_AFTER = Duration.ofMillis(250);

    private final Coordination coordination;
    private final Calls calls;
    private final NodeSettings settings;
    private final Leases leases;
    private final ExecutorService threads;
    private final AtomicLong letters = new AtomicLong();
    private final Map<Long, CompletableFuture<Content>> asked = new ConcurrentHashMap<>();
    private final Map<String, Peers.Handler> handlers = new ConcurrentHashMap<>();

    private final Outbox out;
    private final Semaphore room = new Semaphore(MAX_CALLS_AT_ONCE);
    private final Semaphore roomForQuestions = new Semaphore(MAX_CALLS_AT_ONCE);
    private final Signal arrived = new Signal();
    private volatile boolean closed;

    /** Who holds which shard, and what this node runs of it. */
    interface Leases {

        /** This node's id. */
        long node();

        /** The engines of a shard here. */
        Engines engines(int shard);

        /** The node that holds the shard and is alive, or 0 if that is not known at the moment. */
        long holder(int shard);

        /** Whether a node is alive. */
        boolean isAlive(long node);

        /** Whether what engines here said until now still held when this was called. */
        boolean isCurrent();

        /** Whether nothing was heard of the cluster for a lease's time. */
        boolean isCutOff();

        /** Looks again who holds what, soon. */
        void lookAgain();
    }

    Mail(Coordination coordination, NodeSettings settings, Leases leases, ExecutorService threads) {
        this.coordination = coordination;
        this.settings = settings;
        this.leases = leases;
        this.threads = threads;
        this.calls = new Calls();
        this.out = new Outbox(coordination, threads);
    }

    void start() {
        Thread.ofVirtual().name("holdfast-letters").start(this::takeLetters);
    }

    /** There may be letters. */
    void arrived() {
        arrived.set();
    }

    /**
     * Has a call made by whoever holds the shard.
     *
     * @throws StoreBusy if nobody made it
     * @throws OutcomeUnknown if it may have been made
     */
    <R> R ask(int shard, Request<?, R> request) {
        long deadline = System.nanoTime() + settings.patience().toNanos();
        Pause pause = new Pause();
        while (true) {
            Engines here = leases.engines(shard);
            if (here.isWriting()) {
                return calls.here(request, here);
            }
            if (leases.isCutOff()) {
                throw cutOff();
            }
            long holder = leases.holder(shard);
            Content said = holder == 0
                    ? null
                    : askOnce(
                            holder,
                            call -> calls.ask(call, shard, request),
                            () -> leases.holder(shard) == holder,
                            deadline);
            switch (said) {
                case Content.Answer answer -> {
                    return calls.answer(request, answer.answer());
                }
                case Content.Refusal refusal -> throw calls.refusal(refusal.error());
                case Content.Unknown unknown -> throw new OutcomeUnknown(unknown.message());
                case null, default -> {
                    if (closed || System.nanoTime() - deadline > 0) {
                        throw nobody(shard);
                    }
                    leases.lookAgain();
                    pause.next();
                }
            }
        }
    }

    private static StoreBusy nobody(int shard) {
        return new StoreBusy(
                "No node holds shard %d at this moment, so nothing was done. Try again in a few seconds."
                        .formatted(shard),
                new IllegalStateException("no holder"));
    }

    /** Others can be asked by the database only. Whoever asks had better ask another node than wait here. */
    private static StoreBusy cutOff() {
        return new StoreBusy(
                "This node has not reached the database for the time of a lease, so nothing was done. Ask another node, or try again in a few seconds.",
                new IllegalStateException("cut off"));
    }

    /** Answers questions on a topic. */
    Runnable answer(String topic, Peers.Handler handler) {
        if (handlers.putIfAbsent(topic, handler) != null) {
            throw new IllegalStateException("questions on \"%s\" are answered already".formatted(topic));
        }
        return () -> handlers.remove(topic, handler);
    }

    /**
     * Asks a node; empty if it is not there, or did not take the question.
     *
     * @throws OutcomeUnknown if it may have
     */
    Optional<byte[]> ask(long node, String topic, byte[] question) {
        if (!leases.isAlive(node)) {
            return Optional.empty();
        }
        long deadline = System.nanoTime() + settings.patience().toNanos();
        Content said = askOnce(
                node, call -> new Content.Question(call, topic, question), () -> leases.isAlive(node), deadline);
        return switch (said) {
            case Content.Answer answer -> Optional.of(answer.answer());
            case Content.Refusal refusal -> throw calls.refusal(refusal.error());
            case Content.Unknown unknown -> throw new OutcomeUnknown(unknown.message());
            case null, default -> Optional.empty();
        };
    }

    /**
     * Returns what the node said, or null if it did not make the call.
     *
     * @param stands whether the node is still the one to ask
     */
    private @Nullable Content askOnce(long node, LongFunction<Content> content, BooleanSupplier stands, long deadline) {
        long call = letters.incrementAndGet();
        CompletableFuture<Content> answer = new CompletableFuture<>();
        asked.put(call, answer);
        try {
            Letter letter = new Letter(node, call, leases.node(), calls.write(content.apply(call)));
            out.call(letter);
            return await(answer, letter, stands, deadline);
        } finally {
            asked.remove(call);
            out.forget(call);
        }
    }

    private @Nullable Content await(
            CompletableFuture<Content> answer, Letter letter, BooleanSupplier stands, long deadline) {
        while (true) {
            Content said = within(answer, Math.min(LOOK_AFTER.toNanos(), deadline - System.nanoTime()));
            if (said != null) {
                return said instanceof Content.NotMine ? null : said;
            }
            boolean late = closed || System.nanoTime() - deadline > 0;
            boolean lost = letter.from() != leases.node(); // the answer goes to a node that there is not any more
            if (late || lost || out.isDoubtful(letter.id()) || !stands.getAsBoolean()) {
                return takeBack(letter, answer, late);
            }
        }
    }

    /** The holder is lost, or late: the call is made by nobody any more if its letter can be had back. */
    private @Nullable Content takeBack(Letter letter, CompletableFuture<Content> answer, boolean late) {
        if (out.takeBack(letter) || wasRetracted(letter)) {
            return null;
        }
        Content said = within(answer, late ? 0 : LOOK_AFTER.toNanos()); // it may have been answered just now
        if (said != null) {
            return said instanceof Content.NotMine ? null : said;
        }
        String why = late
                ? "The node that was to do this has not answered within " + settings.patience()
                : letter.from() != leases.node()
                        ? "This node was given up by the others before it had the answer"
                        : "The node that was to do this was lost before it answered";
        throw new OutcomeUnknown(
                why + ". It may have been done: look before you repeat it, or repeat it with the same key.");
    }

    private boolean wasRetracted(Letter letter) {
        try {
            return coordination.retract(letter);
        } catch (HoldfastException e) { // then nobody knows
            LOG.warn("A letter to node {} could not be taken back: {}", letter.to(), e.getMessage());
            return false;
        }
    }

    private static @Nullable Content within(CompletableFuture<Content> answer, long nanos) {
        boolean interrupted = false;
        long end = System.nanoTime() + nanos;
        try {
            while (true) {
                try {
                    return answer.get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
                } catch (TimeoutException e) {
                    return null;
                } catch (InterruptedException e) { // the fate is being decided; an interrupt does not shorten that
                    interrupted = true;
                } catch (ExecutionException e) {
                    throw new IllegalStateException("Answers are values", e);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void takeLetters() {
        while (!closed) {
            try {
                if (takeSome() < MAX_LETTERS) {
                    arrived.await(settings.poll());
                }
            } catch (HoldfastException e) {
                LOG.warn("Letters of other nodes could not be read: {}", e.getMessage());
                arrived.await(settings.beat());
            } catch (RuntimeException e) { // a node that is deaf would hold its shards for nobody
                LOG.error("Letters of other nodes were not read because of a defect", e);
                arrived.await(settings.beat());
            }
        }
    }

    private int takeSome() {
        List<Letter> taken = coordination.take(leases.node(), MAX_LETTERS);
        for (Letter letter : taken) {
            Content content;
            try {
                content = calls.read(letter.body());
            } catch (HoldfastException e) {
                LOG.warn("A letter of node {} cannot be read: {}", letter.from(), e.getMessage());
                continue;
            }
            switch (content) {
                case Content.Ask ask -> make(letter.from(), ask);
                case Content.Question question -> answer(letter.from(), question);
                case Content.Answer answer -> answered(answer.call(), answer);
                case Content.Refusal refusal -> answered(refusal.call(), refusal);
                case Content.Unknown unknown -> answered(unknown.call(), unknown);
                case Content.NotMine not -> answered(not.call(), not);
            }
        }
        return taken.size();
    }

    private void answered(long call, Content content) {
        CompletableFuture<Content> waiting = asked.get(call);
        if (waiting != null) {
            waiting.complete(content);
        }
    }

    /** Who answers a question may ask other nodes in turn, so nothing waits here for room: the answers must go on being taken. */
    private void answer(long caller, Content.Question question) {
        if (!roomForQuestions.tryAcquire()) {
            sendAnswer(caller, calls.overloaded(question.call()));
            return;
        }
        threads.execute(() -> {
            try {
                sendAnswer(caller, calls.answer(question, handlers.get(question.topic())));
            } catch (RuntimeException e) {
                LOG.error("A question of node {} met a defect", caller, e);
                sendAnswer(caller, defect(question.call()));
            } finally {
                roomForQuestions.release();
            }
        });
    }

    /** The caller is not to wait for an answer that nobody will give. */
    private static Content defect(long call) {
        return new Content.Unknown(call, "The other node met a defect, which its log tells of. It may have been done.");
    }

    private void sendAnswer(long caller, Content said) {
        Letter letter = new Letter(caller, letters.incrementAndGet(), leases.node(), calls.write(said));
        out.reply(letter, System.nanoTime() + settings.patience().toNanos());
    }

    private Content make(Content.Ask ask) {
        Engines engines = leases.engines(ask.shard());
        Content said = engines.isWriting() ? calls.make(ask, engines) : new Content.NotMine(ask.call());
        // It may rest on what was so before this node slept. The engines come second: what is said is current again
        // once they were replaced.
        boolean stale =
                said instanceof Content.Refusal && (!leases.isCurrent() || leases.engines(ask.shard()) != engines);
        return stale ? new Content.NotMine(ask.call()) : said;
    }

    private void make(long caller, Content.Ask ask) {
        room.acquireUninterruptibly(); // what waits here holds up the taking, so the rest stays in the database
        threads.execute(() -> {
            try {
                sendAnswer(caller, make(ask));
            } catch (RuntimeException e) {
                LOG.error("A call of node {} met a defect", caller, e);
                sendAnswer(caller, defect(ask.call()));
            } finally {
                room.release();
            }
        });
    }

    /** After {@link #close}: waits until the calls that were taken are made and their answers sent, at most so long. */
    void finish(Duration limit) {
        try {
            if (room.tryAcquire(MAX_CALLS_AT_ONCE, limit.toNanos(), TimeUnit.NANOSECONDS)) {
                room.release(MAX_CALLS_AT_ONCE);
            }
            out.finish(System.nanoTime() + limit.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closed = true;
        out.close();
        arrived.set();
    }
}
