package dev.holdfast.node;

import dev.holdfast.cluster.Coordination;
import dev.holdfast.cluster.Coordination.Holder;
import dev.holdfast.cluster.Coordination.Standing;
import dev.holdfast.cluster.Far;
import dev.holdfast.cluster.Peers;
import dev.holdfast.cluster.Request;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One process of a cluster. It runs the engines of the shards that it holds the leases of, follows all others, and sends the calls that change
 * those to their holders.
 *
 * <p><b>Leases.</b> A node beats three times in a lease's time. With each beat it learns who holds what, and takes or gives back what is
 * its share ({@link Sharing}). To take a shard is to open it as after a crash: the log is read and
 * lost turns are taken up. What keeps two nodes from writing one shard is not the time but the epoch, which each transaction checks
 * (ONE-WRITER): a node that slept through its lease is refused with its next commit, and then closes the shard, which interrupts its turns.
 *
 * <p><b>A change of hands</b> ends the readers of this node on that shard with {@code Closed}: their wires tell the clients to resume, and they
 * go on at their cursors. So does the loss of the database for a lease's time, for all shards: the clients find a node that is not cut off.
 *
 * <p><b>Threads.</b> One beats, a platform thread: agents run on virtual ones, and those that compute instead of waiting must not cost the node its
 * leases. Opening and closing of shards, which may take long, is done by others, one at a time for each shard.
 */
public final class Node implements Shards<Engines>, Mail.Leases, Tenure.Host, AutoCloseable {

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
    private final Followers followers;
    private final ClusterView view;
    private final Sharing sharing;
    private final Mail mail;
    private final Changes changes;
    private final Peers peers;
    private final Signal tick = new Signal();
    private final AutoCloseable hints;
    private final Thread beating;

    // Of the thread that beats.
    private boolean readersSentAway; // since the cluster was last heard of
    private long retired; // the number under which it said that it is about to leave

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
        long self = coordination.join(nodeSettings.name());
        Standing first = coordination.beat(self);
        this.time.set(first.databaseMillis());
        this.view = new ClusterView(coordination, time, nodeSettings.lease(), self, first);
        this.peers = new NodePeers(view, placement, mail, changes);
        this.sharing = new Sharing(new Tenures(), nodeSettings.lease().toNanos());
        List<Follower> each = new ArrayList<>();
        for (int shard = 0; shard < coordination.shards(); shard++) {
            engines.set(shard, following(shard));
            tenures.add(new Tenure(shard, coordination, this, threads));
            each.add(new Follower(shard, engines::get, threads));
        }
        this.followers = new Followers(each, view, mail, tick, nodeSettings.poll());
        this.hints = nodeSettings.hints() ? coordination.listen(followers) : () -> {};
        this.beating = Thread.ofPlatform().daemon().name("holdfast-beat").unstarted(this::beatOn);
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
        node.followers.start();
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

    /** The other nodes. */
    public Peers peers() {
        return peers;
    }

    @Override
    public long node() {
        return view.self();
    }

    @Override
    public Engines engines(int shard) {
        return engines.get(shard);
    }

    @Override
    public long holder(int shard) {
        return view.holder(shard);
    }

    @Override
    public boolean isAlive(long id) {
        return view.isAlive(id);
    }

    @Override
    public void lookAgain() {
        tick.set();
    }

    @Override
    public boolean isCurrent() {
        return view.isCurrent();
    }

    @Override
    public boolean isCutOff() {
        return view.isCutOff();
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
        if (nodeSettings.hints() && view.hasOthers()) {
            coordination.hint(shard, new long[] {key});
        }
    }

    private void beatOn() {
        while (!closed) {
            try {
                beat();
            } catch (RuntimeException e) {
                LOG.warn("Node {} could not beat: {}", node(), e.toString());
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
            now = coordination.beat(node());
        } catch (StaleEpoch e) {
            LOG.warn("Node {} was given up by the others and joins anew", node());
            tenures.forEach(Tenure::lose);
            view.self(coordination.join(nodeSettings.name()));
            now = coordination.beat(node());
        }
        view.heard(now, asked);
        readersSentAway = false;
        time.read(now.databaseMillis(), asked);
        List<Holder> holders = now.holders();
        if (tenures.stream().noneMatch(tenure -> tenure.isLost(holders.get(tenure.shard())))) {
            view.current(asked);
        }
        tenures.forEach(tenure -> tenure.check(holders.get(tenure.shard())));
        changes.seen(node(), now);
        if (leaving) {
            retire(now);
        } else {
            sharing.settle(node(), now, time.monotonicNanos());
        }
    }

    /** While turns are drained, others can have what is idle; where there are none, it goes on here until the end. */
    private void retire(Standing now) {
        if (retired != node()) {
            coordination.retire(node());
            retired = node();
            coordination.hintLeases();
        }
        if (now.nodes().stream().anyMatch(other -> other.id() != node() && !other.retiring())) {
            tenures.forEach(Tenure::giveBackIdle);
        }
    }

    private final class Tenures implements Sharing.Holdings {
        @Override
        public int count() {
            return tenures.size();
        }

        @Override
        public boolean isMine(int shard) {
            return tenures.get(shard).isMine();
        }

        @Override
        public boolean take(int shard) {
            return tenures.get(shard).take();
        }

        @Override
        public boolean giveBackIdle(int shard) {
            return tenures.get(shard).giveBackIdle();
        }

        @Override
        public boolean takenInVain(int shard) {
            return tenures.get(shard).takenInVain();
        }
    }

    /** Takes no more shards, from now on. The turns that run here are drained by who calls this. */
    public void leave() {
        leaving = true;
        tick.set();
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
        followers.close();
        join(beating);
        tenures.forEach(Tenure::awaitIdle);
        mail.close();
        mail.finish(MAX_LAST_ANSWERS);
        inParallel(all(), Engines::close);
        try {
            coordination.leave(node());
            coordination.hintLeases();
            hints.close();
        } catch (Exception e) {
            LOG.warn("Node {} left without saying so: {}", node(), e.toString());
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
