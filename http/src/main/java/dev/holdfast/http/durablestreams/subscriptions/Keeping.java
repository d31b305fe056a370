package dev.holdfast.http.durablestreams.subscriptions;

import dev.holdfast.cluster.Peers;
import dev.holdfast.error.HoldfastException;
import dev.holdfast.http.Json;
import dev.holdfast.store.Timers;
import dev.holdfast.stream.StreamListener;
import dev.holdfast.stream.Streams;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Which node keeps the subscriptions of a tenant, and how it hears of what the others write. In a cluster one node does, so that a wake is delivered
 * once: the one that holds the shard of the tenant's properties, where the subscriptions are stored. When that shard changes hands, the new holder takes
 * them up as after a restart, and the one before rests. A process that is alone keeps them always.
 *
 * <p>Every node hears of the streams that it writes, and tells the keeper, soon and together. What a node that is lost did not tell any more is found by a
 * scan of all streams. While there is no subscription nothing is told; the keeper tells the others when there is the first.
 *
 * <p>Thread-safe.
 */
final class Keeping implements StreamListener, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Keeping.class);

    static final String TOPIC = "ds/subscriptions/";

    /** Changes of streams that wait to be told to the keeper. */
    private static final int MAX_WAITING = 100_000;

    /** Changes that are told at once. */
    private static final int MAX_TOLD = 1_000;

    private static final Duration AGAIN_AFTER = Duration.ofMillis(200);

    /** The keeper's part. */
    interface Keeper {

        /** Takes the subscriptions up, as they are stored. The listener hears of streams by then. */
        void takeUp();

        /** Lets go of what is in memory. */
        void rest();

        /** Looks at all streams again: some of what they did was not told. */
        void lookAgain();

        /** Whether any subscription is stored. */
        boolean any();
    }

    private final Peers peers;
    private final String tenant;
    private final Keeper keeper;
    private final StreamListener here;
    private final Executor threads;
    private final Timers timers;
    private final Told told = new Told(MAX_WAITING);
    private final AtomicInteger telling = new AtomicInteger();
    private final List<Runnable> endings = new CopyOnWriteArrayList<>();
    private final ReentrantLock lock = new ReentrantLock();

    /** Whether this node hears of streams for itself: from before it takes the subscriptions up. Written while holding the lock. */
    private volatile boolean hears;

    /** Whether this node keeps the subscriptions: once it took them up. Written while holding the lock. */
    private volatile boolean keeps;

    /** Whether there is or was a subscription, so that the keeper is told. */
    private volatile boolean wanted;

    private Set<Long> alive = Set.of(); // guarded by the lock
    private volatile boolean closed;

    /**
     * @param here hears of streams while this node keeps the subscriptions
     */
    Keeping(Peers peers, String tenant, Keeper keeper, StreamListener here, Executor threads, Timers timers) {
        this.peers = peers;
        this.tenant = tenant;
        this.keeper = keeper;
        this.here = here;
        this.threads = threads;
        this.timers = timers;
    }

    /** Begins to listen, and to keep the subscriptions if they are this node's. */
    void begin(Streams streams) {
        hears = !peers.isCluster();
        endings.add(streams.listen(this));
        if (hears) {
            keeper.takeUp();
            keeps = true;
            return;
        }
        endings.add(peers.answer(TOPIC + tenant + "/changes", this::heard));
        alive = alive();
        endings.add(peers.onChange(this::settle)); // first listen, then look
        wanted |= keeper.any();
        settle();
    }

    private Set<Long> alive() {
        Set<Long> now = new HashSet<>(peers.others());
        now.add(peers.self());
        return now;
    }

    /** Runs something when this is closed. */
    void endsWith(Runnable ending) {
        endings.add(ending);
    }

    /** Whether this node keeps the subscriptions. */
    boolean keeps() {
        return keeps;
    }

    /** The node that keeps them, or 0 if none does at the moment. */
    long keeper() {
        return peers.holder(tenant, "");
    }

    /** Takes up what falls to this node, and rests when it does not any more. */
    private void settle() {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            boolean mine = keeper() == peers.self();
            Set<Long> now = alive();
            boolean gone = !now.containsAll(alive);
            alive = now;
            if (mine && !keeps) {
                hears = true; // what streams do from now on is told here, and what they did before is looked at
                keeper.takeUp();
                keeps = true;
                LOG.info("This node keeps the subscriptions of tenant {} now", tenant);
            } else if (!mine && keeps) {
                keeps = false;
                hears = false;
                keeper.rest();
            } else if (mine && gone) {
                keeper.lookAgain();
            }
        } catch (HoldfastException e) {
            LOG.warn("The subscriptions of tenant {} are taken up a little later: {}", tenant, e.getMessage());
            keeps = false;
            hears = false;
            keeper.rest();
            timers.after(AGAIN_AFTER, () -> run(this::settle));
        } finally {
            lock.unlock();
        }
    }

    private void run(Runnable work) {
        try {
            threads.execute(work);
        } catch (RejectedExecutionException e) {
            LOG.debug("Nobody is told any more: the server closes");
        }
    }

    @Override
    public void changed(Change change) {
        if (hears) {
            here.changed(change);
        } else if (wanted && !StreamPath.isReserved(change.name())) {
            told.add(change);
            tell();
        }
    }

    private void tell() {
        if (telling.getAndIncrement() == 0) {
            run(this::tellOn);
        }
    }

    private void tellOn() {
        int asked;
        do {
            asked = telling.get();
            Told.Batch batch = told.take(MAX_TOLD);
            while (!batch.isEmpty() && !closed) {
                if (!tell(batch)) {
                    told.putBack(batch);
                    timers.after(AGAIN_AFTER, () -> run(this::tellOn)); // which goes on in place of this
                    return;
                }
                batch = told.take(MAX_TOLD);
            }
        } while (telling.addAndGet(-asked) != 0);
    }

    /** To be told twice does no harm, so an unknown outcome is as none. */
    private boolean tell(Told.Batch batch) {
        if (hears) {
            batch.changes().forEach(here::changed);
            return true;
        }
        ObjectNode question = Json.MAPPER.createObjectNode().put("all", batch.all());
        ArrayNode changes = question.putArray("changes");
        for (Change change : batch.changes()) {
            changes.addObject()
                    .put("kind", change.kind().name())
                    .put("name", change.name())
                    .put("incarnation", change.incarnation())
                    .put("tail", change.tail());
        }
        long node = keeper();
        try {
            return node != 0
                    && node != peers.self()
                    && peers.ask(node, TOPIC + tenant + "/changes", Json.MAPPER.writeValueAsBytes(question))
                            .filter(answer -> Json.MAPPER.readTree(answer).asBoolean())
                            .isPresent();
        } catch (HoldfastException e) {
            LOG.debug("The keeper of the subscriptions is told a little later: {}", e.getMessage());
            return false;
        }
    }

    /** What another node has to say: what its streams did, or that from now on it wants to hear what those of this one do. */
    private byte[] heard(byte[] question) {
        JsonNode asked = Json.MAPPER.readTree(question);
        if (asked.has("wanted")) {
            wanted = true;
            return Json.MAPPER.writeValueAsBytes(true);
        }
        if (!hears) {
            return Json.MAPPER.writeValueAsBytes(false);
        }
        for (JsonNode change : asked.path("changes")) {
            here.changed(new Change(
                    Kind.valueOf(change.path("kind").asString("")),
                    change.path("name").asString(""),
                    change.path("incarnation").asLong(),
                    change.path("tail").asLong()));
        }
        if (asked.path("all").asBoolean()) {
            lookAgain();
        }
        return Json.MAPPER.writeValueAsBytes(true);
    }

    private void lookAgain() {
        lock.lock();
        try {
            if (keeps && !closed) {
                keeper.lookAgain();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Has every node tell of its streams from now on. Those that join later find the subscription stored.
     *
     * @throws HoldfastException if a node that is alive could not be asked
     */
    void wanted() {
        wanted = true;
        byte[] question =
                Json.MAPPER.writeValueAsBytes(Json.MAPPER.createObjectNode().put("wanted", true));
        for (long node : peers.othersNow()) {
            Optional<byte[]> unused = peers.ask(node, TOPIC + tenant + "/changes", question);
        }
    }

    @Override
    public void close() {
        closed = true;
        endings.forEach(Runnable::run);
        lock.lock();
        try {
            keeps = false;
        } finally {
            lock.unlock();
        }
    }
}
