package dev.holdfast.testkit.cluster;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.node.NodeSettings;
import dev.holdfast.store.Placement;
import dev.holdfast.store.Time;
import dev.holdfast.testkit.SimCoordination;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Nodes of one cluster on a simulated database, in one process. */
final class Nodes implements AutoCloseable {

    static final int SHARDS = 8;

    private final Placement placement = new Placement(SHARDS);
    final SimCoordination database = new SimCoordination(SHARDS, Time.system(), Duration.ofMillis(900));
    private final List<Holdfast> nodes = new ArrayList<>();

    Holdfast join(String name) {
        return join(name, HoldfastSettings.defaults());
    }

    Holdfast join(String name, HoldfastSettings settings) {
        NodeSettings node = NodeSettings.named(name)
                .withLease(Duration.ofMillis(900))
                .withPolling(Duration.ofMillis(200), Duration.ofMillis(5))
                .withPatience(Duration.ofSeconds(20));
        Holdfast joined = Holdfast.join(database, settings, node);
        nodes.add(joined);
        return joined;
    }

    /** A name of something in this shard. */
    String nameIn(int shard) {
        for (int i = 0; ; i++) {
            if (placement.of(Holdfast.DEFAULT_TENANT, "name-" + i) == shard) {
                return "name-" + i;
            }
        }
    }

    /** A name in each shard. */
    List<String> names() {
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
