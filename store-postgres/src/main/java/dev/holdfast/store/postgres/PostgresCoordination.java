package dev.holdfast.store.postgres;

import dev.holdfast.cluster.Coordination;
import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.store.Store;
import dev.holdfast.store.Time;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A cluster's coordination in the database that its data is in: no other service is needed, and a lease is checked by the very transaction
 * that it permits.
 *
 * <p>Nodes, leases and letters are rows; a hint is a notification of the server. What can be lost without harm is kept apart from what cannot:
 * leases are as durable as data, letters are not logged, hints are not stored.
 *
 * <p>Safe for any thread. {@code StoreBusy} means that nothing was changed, but for a connection that broke between a statement and its answer:
 * then letters may have been sent or taken, and a lease may have been acquired, which the next {@link #acquire} of that node finds.
 */
public final class PostgresCoordination implements Coordination {

    private final PostgresDatabase database;
    private final SharedConnections connections;
    private final NodeTable nodes;
    private final LeaseTable leases;
    private final InboxTable inbox;
    private final DataSource listening;
    private final String channel;
    private final long origin;
    private final @Nullable HintSender sender;
    private final List<HintReceiver> receivers = new CopyOnWriteArrayList<>();

    /**
     * @param connections closed with this
     * @param direct a connection to the server itself that is kept for as long as this is open
     * @param listening others for what is heard
     */
    PostgresCoordination(
            PostgresDatabase database,
            SharedConnections connections,
            DataSource direct,
            DataSource listening,
            SchemaName schema,
            CoordinationSettings settings,
            Time time) {
        this.database = database;
        this.connections = connections;
        this.inbox = new InboxTable(connections);
        this.nodes = new NodeTable(connections, inbox, settings.lease());
        this.leases = new LeaseTable(connections, settings.lockTimeout());
        this.listening = listening;
        this.channel = channel(schema.name());
        this.origin = time.randomLong();
        this.sender =
                settings.hints() == CoordinationSettings.Hints.NOTIFY ? new HintSender(direct, channel, origin) : null;
        if (sender != null) {
            sender.start();
        }
    }

    /** Channels are of the whole database, and their names as short as those of schemas. */
    private static String channel(String schema) {
        String prefix = "holdfast_";
        int room = 63 - prefix.length();
        return prefix + (schema.length() <= room ? schema : Integer.toHexString(schema.hashCode()));
    }

    @Override
    public int shards() {
        return database.shards();
    }

    @Override
    public String description() {
        return database.description();
    }

    @Override
    public long join(String name) {
        return nodes.join(name);
    }

    @Override
    public Standing beat(long node) {
        return nodes.beat(node);
    }

    @Override
    public Standing standing() {
        return nodes.standing();
    }

    @Override
    public void retire(long node) {
        nodes.retire(node);
    }

    @Override
    public void leave(long node) {
        nodes.leave(node);
    }

    @Override
    public OptionalLong acquire(int shard, long node) {
        return leases.acquire(checked(shard), node);
    }

    @Override
    public void release(int shard, long node, long epoch) {
        leases.release(checked(shard), node, epoch);
    }

    @Override
    public Store store(int shard, long epoch) {
        return database.store(shard, epoch);
    }

    @Override
    public Store follower(int shard) {
        return database.follower(shard);
    }

    /** Letters to nodes that are gone are dropped; to their senders they are letters that nobody answers. */
    @Override
    public void send(List<Letter> letters) {
        if (letters.isEmpty()) {
            return;
        }
        inbox.send(letters);
        if (sender != null) {
            Set<Long> addressees = letters.stream().map(Letter::to).collect(Collectors.toUnmodifiableSet());
            sender.pending().letters(addressees);
        }
    }

    @Override
    public List<Letter> take(long node, int limit) {
        return inbox.take(node, limit);
    }

    @Override
    public boolean retract(Letter letter) {
        return inbox.retract(letter);
    }

    /** Once it hears, and again whenever it hears anew, the listener is told that hints were lost. With hints off it is never called. */
    @Override
    public AutoCloseable listen(Listener listener) {
        if (sender == null) {
            return () -> {};
        }
        HintReceiver receiver = new HintReceiver(listening, channel, origin, listener);
        receivers.add(receiver);
        receiver.start();
        return () -> {
            receivers.remove(receiver);
            receiver.close();
        };
    }

    @Override
    public void hint(int shard, long[] keys) {
        if (sender != null) {
            sender.pending().changed(shard, keys);
        }
    }

    @Override
    public void hintLeases() {
        if (sender != null) {
            sender.pending().leases();
        }
    }

    /** Ends the hints. Nodes that did not leave expire; the database stays open. */
    @Override
    public void close() {
        receivers.forEach(HintReceiver::close);
        if (sender != null) {
            sender.close();
        }
        connections.close();
    }

    private int checked(int shard) {
        if (shard < 0 || shard >= database.shards()) {
            throw new InvalidArgument(
                    "There is no shard %d: they are numbered from 0 to %d.".formatted(shard, database.shards() - 1));
        }
        return shard;
    }
}
