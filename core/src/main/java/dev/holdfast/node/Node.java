package dev.holdfast.node;

import dev.holdfast.cluster.Coordination;
import dev.holdfast.cluster.Coordination.Holder;
import dev.holdfast.cluster.Coordination.Standing;
import dev.holdfast.cluster.Far;
import dev.holdfast.cluster.Peers;
import dev.holdfast.cluster.Request;
import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.StaleEpoch;
import dev.holdfast.store.Placement;
import dev.holdfast.store.Shards;
import dev.holdfast.store.Store;
import dev.holdfast.store.Timers;
import dev.holdfast.stream.Listeners;
import dev.holdfast.stream.Neighbours;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One process of a cluster. It runs the engines of the shards that it holds the leases of, follows all others, and sends the calls that change
 * those to their holders.
 *
 * <p><b>Leases.</b> A node beats three times in a lease's time. With each beat it learns who holds what, takes shards that nobody alive holds up
 * to its fair share, and gives idle ones back when it has more than that. To take a shard is to open it as after a crash: the log is read and
 * lost turns are taken up. What keeps two nodes from writing one shard is not the time but the epoch, which each transaction checks
 * (ONE-WRITER): a node that slept through its lease is refused with its next commit, and then closes the shard, which interrupts its turns.
 *
 * <p><b>A change of hands</b> ends the readers of this node on that shard with {@code Closed}: their wires tell the clients to resume, and they
 * go on at their cursors. So does the loss of the database for a lease's time, for all shards: the clients find a node that is not cut off.
 *
 * <p><b>Threads.</b> One beats; opening and closing of shards, which may take long, is done by others, one at a time for each shard.
 */
public final class Node implements Shards<Engines>, Peers, Mail.Leases, Tenure.Host, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Node.class);

    /** How long a node that leaves answers the calls that it has begun. */
    private static final Duration MAX_LAST_ANSWERS = Duration.ofSeconds(5);

    private final Coordination coordination;
    private final EngineSettings settings;
    private final NodeSettings nodeSettings;
    private final Timers timers;
    private final ExecutorService threads;
    private final DatabaseTime time;
    private final Placement placement;
    private final Listeners listeners = new Listeners();
    private final AtomicReferenceArray<Engines> engines;
    private final List<Tenure> tenures = new ArrayList<>();
    private final List<Follower> followers = new ArrayList<>();
    private final Mail mail;
    private final Changes changes;
    private final Signal tick = new Signal();
    private final AutoCloseable hints;
    private final Thread beating;
    private final Thread polling;

    private volatile long node;
    private volatile Standing standing;
    private volatile long lastBeatNanos;

    /** Before the last beat that found every shard that is written here to be this node's. */
    private volatile long currentNanos;

    /** Whether this was done since the cluster was last heard of. */
    private boolean readersSentAway; // of the thread that beats

    private volatile boolean leaving;
    private volatile boolean closed;
    private final AtomicBoolean closing = new AtomicBoolean();

    private Node(
            Coordination coordination,
            EngineSettings settings,
            NodeSettings nodeSettings,
            Timers timers,
            ExecutorService threads) {
        this.coordination = coordination;
        this.nodeSettings = nodeSettings;
        this.timers = timers;
        this.threads = threads;
        this.time = new DatabaseTime(settings.time());
        this.settings = settings.dividedBy(coordination.shards()).withTime(time);
        this.placement = new Placement(coordination.shards());
        this.engines = new AtomicReferenceArray<>(coordination.shards());
        this.mail = new Mail(coordination, nodeSettings, this, threads);
        this.changes = new Changes(threads);
        this.node = coordination.join(nodeSettings.name());
        this.standing = coordination.beat(node);
        this.time.set(standing.databaseMillis());
        this.lastBeatNanos = time.monotonicNanos();
        this.currentNanos = lastBeatNanos;
        for (int shard = 0; shard < coordination.shards(); shard++) {
            engines.set(shard, following(shard));
            tenures.add(new Tenure(shard, coordination, this, threads));
            followers.add(new Follower(shard, engines::get, threads));
        }
        this.hints = nodeSettings.hints() ? coordination.listen(new Hints()) : () -> {};
        this.beating = Thread.ofVirtual().name("holdfast-beat").unstarted(this::beatOn);
        this.polling = Thread.ofVirtual().name("holdfast-poll").unstarted(this::pollOn);
    }

    /**
     * Joins a cluster. Returns at once; the shards that fall to this node are opened by and by, and calls wait for that.
     *
     * @param threads outlives the node
     */
    public static Node join(
            Coordination coordination,
            EngineSettings settings,
            NodeSettings nodeSettings,
            Timers timers,
            ExecutorService threads) {
        Node node = new Node(coordination, settings, nodeSettings, timers, threads);
        node.mail.start();
        node.beating.start();
        node.polling.start();
        return node;
    }

    @Override
    public Engines of(String tenant, String name) {
        return engines.get(placement.of(tenant, name));
    }

    @Override
    public Engines of(long key) {
        return engines.get(placement.of(key));
    }

    @Override
    public List<Engines> all() {
        List<Engines> all = new ArrayList<>(engines.length());
        for (int shard = 0; shard < engines.length(); shard++) {
            all.add(engines.get(shard));
        }
        return all;
    }

    @Override
    public long node() {
        return node;
    }

    @Override
    public Engines engines(int shard) {
        return engines.get(shard);
    }

    @Override
    public long holder(int shard) {
        Standing now = standing;
        long holder = now.holders().get(shard).node();
        return isAlive(now, holder) ? holder : 0;
    }

    @Override
    public boolean isAlive(long id) {
        Standing now = standing;
        boolean mayBeNew = now.nodes().stream().allMatch(each -> each.id() < id); // numbers grow
        return isAlive(mayBeNew ? asked() : now, id);
    }

    /**
     * How the cluster stands, from the database; what is known if that is away. Only the thread that beats publishes what it hears: an answer that
     * was overtaken would show shards as lost that were just taken.
     */
    private Standing asked() {
        try {
            return coordination.beat(node);
        } catch (HoldfastException e) {
            LOG.debug("Who is alive could not be asked: {}", e.getMessage());
            return standing;
        }
    }

    @Override
    public long self() {
        return node;
    }

    @Override
    public Set<Long> others() {
        return others(standing);
    }

    @Override
    public Set<Long> othersNow() {
        return others(asked());
    }

    private Set<Long> others(Standing now) {
        long self = node;
        return now.nodes().stream()
                .map(Coordination.Node::id)
                .filter(id -> id != self)
                .collect(Collectors.toUnmodifiableSet());
    }

    @Override
    public long holder(String tenant, String name) {
        return holder(placement.of(tenant, name));
    }

    @Override
    public Runnable onChange(Runnable told) {
        return changes.add(told);
    }

    @Override
    public Runnable answer(String topic, Handler handler) {
        return mail.answer(topic, handler);
    }

    @Override
    public Optional<byte[]> ask(long id, String topic, byte[] question) {
        return mail.ask(id, topic, question);
    }

    private static boolean isAlive(Standing now, long node) {
        return now.nodes().stream().anyMatch(each -> each.id() == node);
    }

    @Override
    public void lookAgain() {
        tick.set();
    }

    /**
     * {@inheritDoc} The lease runs from before the beat, on a clock that goes on while the process is frozen; nobody takes a shard before its
     * end.
     */
    @Override
    public boolean isCurrent() {
        return time.monotonicNanos() - currentNanos <= nodeSettings.lease().toNanos();
    }

    /** Whether the cluster was heard of within a lease's time, and every shard held here can be written. */
    public boolean healthy() {
        return !isCutOff() && all().stream().allMatch(each -> !each.isWriting() || each.healthy());
    }

    /** The turns that have a thread here, of all shards. */
    private int running() {
        int running = 0;
        for (int shard = 0; shard < engines.length(); shard++) {
            running += engines.get(shard).turns().running();
        }
        return running;
    }

    @Override
    public boolean isCutOff() {
        return time.monotonicNanos() - lastBeatNanos > nodeSettings.lease().toNanos();
    }

    @Override
    public Engines writing(int shard, Store store) {
        Engines opened = new Engines(store, settings, timers, threads, neighbours(shard, null));
        opened.onPoison(this::lookAgain);
        opened.turns().countedWith(this::running);
        return opened;
    }

    @Override
    public void replace(int shard, Engines other) {
        engines.getAndSet(shard, other).close();
    }

    @Override
    public Engines following(int shard) {
        return new Engines(coordination.follower(shard), settings, timers, threads, neighbours(shard, new Far() {
            @Override
            public <E, R> R ask(Request<E, R> request) {
                return mail.ask(shard, request);
            }
        }));
    }

    private Neighbours neighbours(int shard, @Nullable Far far) {
        return new Neighbours(
                (tenant, name) -> placement.of(tenant, name) == shard,
                listeners,
                key -> changed(shard, key),
                true,
                far);
    }

    private void changed(int shard, long key) {
        if (nodeSettings.hints() && standing.nodes().size() > 1) {
            coordination.hint(shard, new long[] {key});
        }
    }

    private void beatOn() {
        while (!closed) {
            try {
                beat();
            } catch (RuntimeException e) {
                LOG.warn("Node {} could not beat: {}", node, e.toString());
                if (isCutOff()) {
                    cutOff();
                }
            }
            tick.await(nodeSettings.beat());
        }
    }

    /** Someone else may have this node's shards by now; and of those of others its readers would hear nothing, so that they had better go there. */
    private void cutOff() {
        tenures.forEach(Tenure::lose);
        if (!readersSentAway) {
            readersSentAway = true;
            tenures.forEach(Tenure::endReaders);
        }
    }

    private void beat() {
        long asked = time.monotonicNanos();
        Standing now;
        try {
            now = coordination.beat(node);
        } catch (StaleEpoch e) {
            LOG.warn("Node {} was given up by the others and joins anew", node);
            tenures.forEach(Tenure::lose);
            node = coordination.join(nodeSettings.name());
            now = coordination.beat(node);
        }
        standing = now;
        lastBeatNanos = asked;
        readersSentAway = false;
        time.read(now.databaseMillis(), asked);
        List<Holder> holders = now.holders();
        if (tenures.stream().noneMatch(tenure -> tenure.isLost(holders.get(tenure.shard())))) {
            currentNanos = asked;
        }
        tenures.forEach(tenure -> tenure.check(holders.get(tenure.shard())));
        changes.seen(node, now);
        if (leaving) {
            tenures.forEach(Tenure::giveBackIdle); // while turns are drained, others can have what is idle
        } else {
            share(now);
        }
    }

    /** Takes what falls to this node, and gives back what does not any more. */
    private void share(Standing now) {
        int nodes = Math.max(1, now.nodes().size());
        int share = (tenures.size() + nodes - 1) / nodes;
        int mine = (int) tenures.stream().filter(Tenure::isMine).count();
        int first = (int) (node % tenures.size()); // so that nodes do not all reach for the same ones
        for (int i = 0; i < tenures.size() && mine < share; i++) {
            Tenure tenure = tenures.get((first + i) % tenures.size());
            long holder = now.holders().get(tenure.shard()).node();
            boolean free = holder == node
                    || !isAlive(now, holder); // its own, if it once had to give the shard up without saying so
            if (!tenure.isMine() && free) {
                mine += tenure.take() ? 1 : 0;
            }
        }
        for (int i = 0; i < tenures.size() && mine > share; i++) {
            mine -= tenures.get(i).giveBackIdle() ? 1 : 0;
        }
    }

    private void pollOn() {
        while (!closed) {
            try {
                followers.forEach(follower -> follower.changed(new long[0]));
            } catch (RuntimeException e) {
                LOG.error("A look at other nodes' shards was not begun", e);
            }
            try {
                Thread.sleep(nodeSettings.poll());
            } catch (InterruptedException e) {
                return; // the node is being closed
            }
        }
    }

    private final class Hints implements Coordination.Listener {
        @Override
        public void letters(long to) {
            if (to == node) {
                mail.arrived();
            }
        }

        @Override
        public void changed(int shard, long[] keys) {
            if (shard >= 0 && shard < followers.size()) {
                followers.get(shard).changed(keys);
            }
            if (keys.length == 0) {
                tick.set(); // its lease may have changed hands
            }
        }

        @Override
        public void lost() {
            mail.arrived();
            followers.forEach(follower -> follower.changed(new long[0]));
        }
    }

    /** Takes no more shards, from now on. The turns that run here are drained by who calls this. */
    public void leave() {
        leaving = true;
    }

    /** Gives all shards back, so that other nodes take them at once, and leaves the cluster. Harmless when done twice. */
    @Override
    public void close() {
        leaving = true;
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        closed = true;
        tick.set();
        polling.interrupt();
        join(beating);
        tenures.forEach(Tenure::awaitIdle);
        mail.close();
        mail.finish(MAX_LAST_ANSWERS);
        inParallel(all(), Engines::close);
        try {
            coordination.leave(node);
            coordination.hint(0, new long[0]); // the others look who is there
            hints.close();
        } catch (Exception e) {
            LOG.warn("Node {} left without saying so: {}", node, e.toString());
        }
    }

    private void inParallel(List<Engines> all, Consumer<Engines> work) {
        CompletableFuture.allOf(all.stream()
                        .map(each -> CompletableFuture.runAsync(() -> work.accept(each), threads))
                        .toArray(CompletableFuture[]::new))
                .join();
    }

    private static void join(Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
