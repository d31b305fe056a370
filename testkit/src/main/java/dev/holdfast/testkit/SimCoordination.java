package dev.holdfast.testkit;

import dev.holdfast.cluster.Coordination;
import dev.holdfast.error.HoldfastException.StaleEpoch;
import dev.holdfast.error.HoldfastException.StoreBusy;
import dev.holdfast.error.HoldfastException.StoreFailed;
import dev.holdfast.error.HoldfastException.StorePoisoned;
import dev.holdfast.store.Placement;
import dev.holdfast.store.Store;
import dev.holdfast.store.StoreReads;
import dev.holdfast.store.StoreTransaction;
import dev.holdfast.store.Time;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A cluster's database in memory, for tests of what nodes do: a {@link SimStore} on a {@link ScriptedDisk} for each shard, leases, inboxes and
 * hints. The nodes of one process share an instance. Hints are given at once, on the thread that gives them, and can be switched off, as can the
 * whole database. Thread-safe.
 */
public final class SimCoordination implements Coordination {

    private static final class Shard {
        final ScriptedDisk disk = new ScriptedDisk();
        SimStore writer;
        long node;
        long epoch;

        Shard(Time time, int number) {
            writer = new SimStore(disk, time, number);
        }
    }

    private static final class Member {
        final String name;
        long aliveUntil;
        boolean retiring;
        final Deque<Letter> inbox = new ArrayDeque<>();

        Member(String name) {
            this.name = name;
        }
    }

    private final Time time;
    private final long leaseMillis;
    private final List<Shard> shards = new ArrayList<>(); // guarded by this
    private final Map<Long, Member> members = new HashMap<>(); // guarded by this
    private final Map<Long, Member> gone = new HashMap<>(); // guarded by this
    private final Set<Long> asleep = new HashSet<>(); // guarded by this
    private final Map<Long, Set<Integer>> closedTo = new HashMap<>(); // guarded by this
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    private long joined; // guarded by this
    private volatile boolean down;
    private volatile boolean sendsUnanswered;
    private volatile boolean deaf;

    public SimCoordination(int shardCount, Time time, Duration lease) {
        this.time = time;
        this.leaseMillis = lease.toMillis();
        Placement unused = new Placement(shardCount); // checks the number
        for (int i = 0; i < shardCount; i++) {
            shards.add(new Shard(time, i));
        }
    }

    /** From now on, or not any more, the database answers nobody. */
    public void down(boolean now) {
        down = now;
    }

    /** From now on, or not any more, hints are lost. */
    public void deaf(boolean now) {
        deaf = now;
    }

    /** The node's beats get no further until it is woken, and by the database's clock it is dead. What else it does goes on. */
    public synchronized void putToSleep(long node) {
        Member member = members.get(node);
        if (member != null) {
            member.aliveUntil = 0;
            asleep.add(node);
        }
    }

    /** The node's beats go on. */
    public synchronized void wake(long node) {
        asleep.remove(node);
        notifyAll();
    }

    /** The node cannot open these shards from now on, whoever else can. */
    public synchronized void closeTo(long node, Set<Integer> closed) {
        closedTo.put(node, Set.copyOf(closed));
    }

    /** The names of the nodes that have joined and not left, by id. */
    public synchronized Map<Long, String> members() {
        Map<Long, String> names = new HashMap<>();
        members.forEach((id, member) -> names.put(id, member.name));
        return names;
    }

    /** Who holds each shard. */
    public synchronized List<Holder> holders() {
        return shards.stream().map(shard -> new Holder(shard.node, shard.epoch)).toList();
    }

    /** From now on, or not any more, letters arrive, but their senders hear that the database is away. */
    public void sendsUnanswered(boolean now) {
        sendsUnanswered = now;
    }

    private void checkUp() {
        if (down) {
            throw new StoreBusy("The database is switched off.", new IllegalStateException("scripted"));
        }
    }

    @Override
    public int shards() {
        return shards.size();
    }

    @Override
    public String description() {
        return "a simulated database";
    }

    @Override
    public synchronized long join(String name) {
        checkUp();
        long node = ++joined;
        Member member = new Member(name);
        member.aliveUntil = time.wallMillis() + leaseMillis;
        members.put(node, member);
        return node;
    }

    @Override
    public synchronized Standing beat(long node) {
        boolean interrupted = false;
        while (asleep.contains(node)) {
            try {
                wait();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        checkUp();
        long now = time.wallMillis();
        Member me = members.get(node);
        if (me == null) {
            throw new StaleEpoch("node " + node, node, joined);
        }
        me.aliveUntil = now + leaseMillis;
        return standing(now);
    }

    private Standing standing(long now) {
        List<Node> alive = new ArrayList<>();
        members.forEach((id, member) -> {
            if (member.aliveUntil > now) {
                alive.add(new Node(id, member.name, member.retiring));
            }
        });
        return new Standing(now, alive, holders());
    }

    @Override
    public synchronized Standing standing() {
        checkUp();
        return standing(time.wallMillis());
    }

    @Override
    public synchronized void retire(long node) {
        checkUp();
        Member member = members.get(node);
        if (member != null) {
            member.retiring = true;
        }
    }

    @Override
    public synchronized void leave(long node) {
        checkUp();
        givenUp(node);
        for (Shard shard : shards) {
            if (shard.node == node) {
                shard.node = 0;
            }
        }
    }

    @Override
    public synchronized OptionalLong acquire(int number, long node) {
        checkUp();
        Shard shard = shards.get(number);
        Member holder = members.get(shard.node);
        if (holder != null && shard.node != node) {
            if (holder.aliveUntil > time.wallMillis()) {
                return OptionalLong.empty();
            }
            givenUp(shard.node);
        }
        shard.node = node;
        shard.epoch++;
        shard.disk.restart(1000);
        shard.writer = new SimStore(shard.disk, time, number);
        return OptionalLong.of(shard.epoch);
    }

    /** The node must join anew. Its inbox can still be searched for what it did not take. */
    private void givenUp(long node) {
        Member member = members.remove(node);
        if (member != null) {
            gone.put(node, member);
        }
    }

    @Override
    public synchronized void release(int number, long node, long epoch) {
        checkUp();
        Shard shard = shards.get(number);
        if (shard.node == node && shard.epoch == epoch) {
            shard.node = 0;
        }
    }

    @Override
    public synchronized Store store(int number, long epoch) {
        if (closedTo.getOrDefault(shards.get(number).node, Set.of()).contains(number)) {
            throw new StoreFailed("Shard " + number + " does not open here.", new IllegalStateException("scripted"));
        }
        checkEpoch(number, epoch); // or it would be another node's writer
        return new Guarded(shards.get(number).writer, number, epoch);
    }

    private synchronized void checkEpoch(int number, long epoch) {
        if (shards.get(number).epoch != epoch) {
            throw StorePoisoned.ofLostLease(
                    "Shard %d was taken over from epoch %d.".formatted(number, epoch),
                    new IllegalStateException("scripted"));
        }
    }

    @Override
    public Store follower(int number) {
        return new Guarded(null, number, 0);
    }

    private synchronized SimStore writer(int number) {
        return shards.get(number).writer;
    }

    /** A shard's store as the database gives it: not at all while it is down. */
    private final class Guarded implements Store {
        private final @Nullable SimStore own;
        private final int number;
        private final long epoch;

        Guarded(@Nullable SimStore own, int number, long epoch) {
            this.own = own;
            this.number = number;
            this.epoch = epoch;
        }

        private SimStore mine() {
            if (own == null) {
                throw new IllegalStateException("A node that follows a shard does not write it.");
            }
            return own;
        }

        @Override
        public void recover(RecoverySink sink) {
            checkUp();
            mine().recover(sink);
        }

        @Override
        public StoreTransaction begin() {
            checkUp();
            checkEpoch(number, epoch);
            return mine().begin();
        }

        @Override
        public <T> T read(Function<StoreReads, T> work) {
            checkUp();
            return writer(number).observe(work);
        }

        @Override
        public String description() {
            return "shard " + number + " of a simulated database";
        }

        @Override
        public void close() {
            if (own != null) {
                own.close();
            }
        }
    }

    @Override
    public void send(List<Letter> letters) {
        checkUp();
        synchronized (this) {
            for (Letter letter : letters) {
                Member to = members.getOrDefault(letter.to(), gone.get(letter.to()));
                if (to != null) {
                    to.inbox.addLast(letter);
                }
            }
        }
        tell(listener -> letters.forEach(letter -> listener.letters(letter.to())));
        if (sendsUnanswered) {
            throw new StoreBusy("The answer was lost.", new IllegalStateException("scripted"));
        }
    }

    @Override
    public synchronized List<Letter> take(long node, int limit) {
        checkUp();
        List<Letter> taken = new ArrayList<>();
        Member me = members.get(node);
        while (me != null && taken.size() < limit && !me.inbox.isEmpty()) {
            taken.add(me.inbox.removeFirst());
        }
        return taken;
    }

    @Override
    public synchronized boolean retract(Letter letter) {
        checkUp();
        Member to = members.getOrDefault(letter.to(), gone.get(letter.to()));
        return to != null && to.inbox.removeIf(each -> each.id() == letter.id() && each.from() == letter.from());
    }

    @Override
    public AutoCloseable listen(Listener listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    @Override
    public void hint(int shard, long[] keys) {
        tell(listener -> listener.changed(shard, keys));
    }

    @Override
    public void hintLeases() {
        tell(Listener::leases);
    }

    private void tell(Consumer<Listener> what) {
        if (!deaf && !down) {
            listeners.forEach(what);
        }
    }

    @Override
    public void close() {}
}
