package dev.holdfast.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.node.NodeSettings;
import dev.holdfast.store.Placement;
import dev.holdfast.store.Time;
import dev.holdfast.testkit.SimCoordination;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.awaitility.Awaitility;

/** Nodes of one cluster on a simulated database, in one process. */
final class Nodes implements AutoCloseable {

    static final int SHARDS = 8;

    private final Placement placement = new Placement(SHARDS);
    final SimCoordination database = new SimCoordination(SHARDS, Time.system(), Duration.ofMillis(900));
    private final List<Holdfast> nodes = new ArrayList<>();

    /** Whether nodes that join from now on give and take hints. */
    boolean hinted = true;

    Holdfast join(String name) {
        return join(name, HoldfastSettings.defaults());
    }

    Holdfast join(String name, HoldfastSettings settings) {
        NodeSettings node = NodeSettings.named(name)
                .withLease(Duration.ofMillis(900))
                .withPolling(Duration.ofMillis(200), Duration.ofMillis(5))
                .withPatience(Duration.ofSeconds(20));
        node = hinted ? node : node.withoutHints();
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

    /** The newest node of this name. */
    long id(String name) {
        return database.members().entrySet().stream()
                .filter(member -> member.getValue().equals(name))
                .mapToLong(Map.Entry::getKey)
                .max()
                .orElseThrow();
    }

    /** Waits until so many shards are held by each. */
    void awaitHolders(Map<String, Integer> wanted) {
        Awaitility.await().untilAsserted(() -> {
            Map<Long, String> members = database.members();
            Map<String, Integer> held = new TreeMap<>();
            database.holders()
                    .forEach(holder -> held.merge(members.getOrDefault(holder.node(), "nobody"), 1, Integer::sum));
            assertThat(held).isEqualTo(new TreeMap<>(wanted));
        });
    }

    @Override
    public void close() {
        nodes.forEach(Holdfast::close);
    }
}
