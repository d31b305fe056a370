package dev.holdfast.cluster;

import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.StaleEpoch;
import dev.holdfast.error.HoldfastException.StoreBusy;
import dev.holdfast.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One cluster whose shards lie in several databases: shard {@code s} in database {@code s % n}. No transaction spans two, since none spans two
 * shards.
 *
 * <p>The first database is the nodes' <i>home</i>: their numbers, letters, hints and clock are of that one. In each other one a node is a member
 * as well, under a number of that database and with its own at home before its name; there its leases are checked, by that database's clock. A
 * database that cannot be reached takes only its own shards away; without the home nobody beats.
 *
 * <p>Thread-safe.
 */
public final class SeveralDatabases implements Coordination {

    private static final Logger LOG = LoggerFactory.getLogger(SeveralDatabases.class);

    private final List<Coordination> databases;
    private final Coordination home;

    /** This process's numbers in each database, by its number at home. */
    private final Map<Long, long[]> members = new ConcurrentHashMap<>();

    /** What the other databases said last, by their index, and when, by the monotonic clock. */
    private final Map<Integer, Heard> last = new ConcurrentHashMap<>();

    private record Heard(Standing standing, long atNanos) {}

    private final long leaseNanos;

    /**
     * @param databases always in the same order; each divided into the same number of shards. They are closed with this
     * @param lease that of the nodes: of a database that was not heard of for so long, this node holds nothing any more
     */
    public SeveralDatabases(List<Coordination> databases, Duration lease) {
        this.leaseNanos = lease.toNanos();
        this.databases = List.copyOf(databases);
        this.home = databases.getFirst();
        for (Coordination database : databases) {
            if (database.shards() != home.shards()) {
                throw new InvalidArgument(
                        "Every database of a cluster must be divided into the same number of shards: %s has %d, %s has %d."
                                .formatted(
                                        home.description(), home.shards(), database.description(), database.shards()));
            }
        }
    }

    private int databaseOf(int shard) {
        return shard % databases.size();
    }

    private Coordination with(int shard) {
        return databases.get(databaseOf(shard));
    }

    /** This process's number in the database of a shard; one that is none of it has none there. */
    private long memberIn(int shard, long node) {
        long[] numbers = members.get(node);
        return numbers == null ? 0 : numbers[databaseOf(shard)];
    }

    @Override
    public int shards() {
        return home.shards();
    }

    @Override
    public String description() {
        return "%s and %d more databases".formatted(home.description(), databases.size() - 1);
    }

    @Override
    public long join(String name) {
        long node = home.join(name);
        long[] numbers = new long[databases.size()];
        numbers[0] = node;
        members.put(node, numbers);
        try {
            for (int i = 1; i < numbers.length; i++) {
                numbers[i] = databases.get(i).join(nameElsewhere(node, name));
            }
            return node;
        } catch (RuntimeException e) {
            leave(node); // or the others would count a node that never comes
            throw e;
        }
    }

    private static String nameElsewhere(long node, String name) {
        return node + " " + name;
    }

    @Override
    public Standing beat(long node) {
        Standing atHome;
        try {
            atHome = home.beat(node);
        } catch (StaleEpoch e) {
            leaveOthers(node);
            throw e;
        }
        List<Standing> standings = new ArrayList<>();
        standings.add(atHome);
        for (int i = 1; i < databases.size(); i++) {
            int database = i;
            standings.add(standingIn(database, atHome, () -> heard(database, node, atHome)));
        }
        return together(standings);
    }

    @Override
    public Standing standing() {
        Standing atHome = home.standing();
        List<Standing> standings = new ArrayList<>();
        standings.add(atHome);
        for (int i = 1; i < databases.size(); i++) {
            standings.add(standingIn(i, atHome, databases.get(i)::standing));
        }
        return together(standings);
    }

    /** One picture of what each database says of its shards. */
    private Standing together(List<Standing> standings) {
        Standing atHome = standings.getFirst();
        List<Holder> holders = new ArrayList<>();
        List<Map<Long, Long>> nodesAtHome =
                standings.stream().map(this::numbersAtHome).toList();
        for (int shard = 0; shard < shards(); shard++) {
            Holder there = standings.get(databaseOf(shard)).holders().get(shard);
            long holder = databaseOf(shard) == 0
                    ? there.node()
                    : nodesAtHome.get(databaseOf(shard)).getOrDefault(there.node(), 0L);
            holders.add(new Holder(holder, there.epoch()));
        }
        return new Standing(atHome.databaseMillis(), atHome.nodes(), holders);
    }

    /** What a database says, or said to a beat within a lease's time. */
    private Standing standingIn(int database, Standing atHome, Supplier<Standing> question) {
        try {
            return question.get();
        } catch (StoreBusy e) {
            LOG.warn("{} did not answer: {}", databases.get(database).description(), e.getMessage());
            Heard known = last.get(database);
            return known != null && System.nanoTime() - known.atNanos() < leaseNanos
                    ? known.standing()
                    : nobody(atHome);
        }
    }

    private Standing heard(int database, long node, Standing atHome) {
        long asked = System.nanoTime();
        Standing now = beatIn(database, node, atHome);
        last.put(database, new Heard(now, asked));
        return now;
    }

    /** Joins anew where the node was given up while that database was away; its leases there are gone then. */
    private Standing beatIn(int database, long node, Standing atHome) {
        long[] numbers = members.get(node);
        if (numbers == null) {
            throw StaleEpoch.ofNode(node);
        }
        Coordination there = databases.get(database);
        try {
            return there.beat(numbers[database]);
        } catch (StaleEpoch e) {
            String name = atHome.nodes().stream()
                    .filter(each -> each.id() == node)
                    .map(Node::name)
                    .findFirst()
                    .orElse("");
            numbers[database] = there.join(nameElsewhere(node, name));
            return there.beat(numbers[database]);
        }
    }

    private Standing nobody(Standing atHome) {
        return new Standing(
                atHome.databaseMillis(),
                List.of(),
                atHome.holders().stream().map(holder -> new Holder(0, 0)).toList());
    }

    private Map<Long, Long> numbersAtHome(Standing elsewhere) {
        Map<Long, Long> numbers = new HashMap<>();
        for (Node each : elsewhere.nodes()) {
            Long number = numberAtHome(each.name());
            if (number != null) {
                numbers.put(each.id(), number);
            }
        }
        return numbers;
    }

    private static @Nullable Long numberAtHome(String name) {
        int end = name.indexOf(' ');
        try {
            return end < 0 ? null : Long.valueOf(name.substring(0, end));
        } catch (NumberFormatException e) { // a node of the database alone: this one is the home of another cluster
            return null;
        }
    }

    /** Who takes leases is asked of the home alone. */
    @Override
    public void retire(long node) {
        home.retire(node);
    }

    @Override
    public void leave(long node) {
        try {
            leaveOthers(node);
        } finally {
            home.leave(node);
        }
    }

    private void leaveOthers(long node) {
        long[] numbers = members.remove(node);
        for (int i = 1; numbers != null && i < numbers.length; i++) {
            try {
                databases.get(i).leave(numbers[i]);
            } catch (StoreBusy e) { // it is given up there when its lease is over
                LOG.warn(
                        "{} was not told that node {} left: {}",
                        databases.get(i).description(),
                        node,
                        e.getMessage());
            }
        }
    }

    @Override
    public OptionalLong acquire(int shard, long node) {
        return with(shard).acquire(shard, memberIn(shard, node));
    }

    @Override
    public void release(int shard, long node, long epoch) {
        with(shard).release(shard, memberIn(shard, node), epoch);
    }

    @Override
    public Store store(int shard, long epoch) {
        return with(shard).store(shard, epoch);
    }

    @Override
    public Store follower(int shard) {
        return with(shard).follower(shard);
    }

    @Override
    public void send(List<Letter> letters) {
        home.send(letters);
    }

    @Override
    public List<Letter> take(long node, int limit) {
        return home.take(node, limit);
    }

    @Override
    public boolean retract(Letter letter) {
        return home.retract(letter);
    }

    @Override
    public AutoCloseable listen(Listener listener) {
        return home.listen(listener);
    }

    @Override
    public void hint(int shard, long[] keys) {
        home.hint(shard, keys);
    }

    @Override
    public void hintLeases() {
        home.hintLeases();
    }

    @Override
    public void close() {
        databases.forEach(Coordination::close);
    }
}
