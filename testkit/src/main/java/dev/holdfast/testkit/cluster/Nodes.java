package dev.holdfast.testkit.cluster;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.cluster.Coordination;
import dev.holdfast.node.NodeSettings;
import dev.holdfast.store.Placement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.awaitility.Awaitility;

/** Nodes of one cluster, in one process. */
public final class Nodes implements AutoCloseable {

    /** The shards of the database. */
    public static final int SHARDS = 8;

    /** The lease of the nodes. */
    public static final Duration LEASE = Duration.ofMillis(1_500);

    private final Placement placement = new Placement(SHARDS);
    private final Supplier<Coordination> database;
    private final List<Holdfast> nodes = new ArrayList<>();

    /**
     * @param database opens one more process's way to the database
     */
    public Nodes(Supplier<Coordination> database) {
        this.database = database;
    }

    /** Whether nodes that join from now on give and take hints. */
    public boolean hinted = true;

    public Holdfast join(String name) {
        return join(name, HoldfastSettings.defaults());
    }

    public Holdfast join(String name, HoldfastSettings settings) {
        NodeSettings node = NodeSettings.named(name)
                .withLease(LEASE)
                .withPolling(Duration.ofMillis(200), Duration.ofMillis(5))
                .withPatience(Duration.ofSeconds(20));
        node = hinted ? node : node.withoutHints();
        Holdfast joined = Holdfast.join(database.get(), settings, node);
        nodes.add(joined);
        return joined;
    }

    /** Waits until the nodes have shared out all shards among them. */
    public void awaitBalance() {
        int share = (SHARDS + nodes.size() - 1) / nodes.size();
        Awaitility.await()
                .until(() -> nodes.stream().mapToInt(Holdfast::shardsHeld).sum() == SHARDS
                        && nodes.stream().allMatch(node -> node.shardsHeld() <= share));
    }

    /** A name of something in this shard. */
    public String nameIn(int shard) {
        for (int i = 0; ; i++) {
            if (placement.of(Holdfast.DEFAULT_TENANT, "name-" + i) == shard) {
                return "name-" + i;
            }
        }
    }

    /** A name in each shard. */
    public List<String> names() {
        List<String> names = new ArrayList<>();
        for (int shard = 0; shard < SHARDS; shard++) {
            names.add(nameIn(shard));
        }
        return names;
    }

    @Override
    public void close() {
        nodes.forEach(Holdfast::close);
    }
}
