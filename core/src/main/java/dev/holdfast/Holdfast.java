package dev.holdfast;

import dev.holdfast.cluster.Coordination;
import dev.holdfast.cluster.Peers;
import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.node.Engines;
import dev.holdfast.node.Node;
import dev.holdfast.node.NodeSettings;
import dev.holdfast.session.Properties;
import dev.holdfast.session.Sessions;
import dev.holdfast.store.PropertyRow;
import dev.holdfast.store.Shards;
import dev.holdfast.store.Store;
import dev.holdfast.store.StoreProvider;
import dev.holdfast.store.Timers;
import dev.holdfast.stream.Neighbours;
import dev.holdfast.stream.Streams;
import dev.holdfast.turn.Turns;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BiFunction;

/**
 * Holdfast, embedded: durable streams, sessions and turns on one store.
 *
 * <pre>{@code
 * try (Holdfast holdfast = Holdfast.open(Path.of("data"))) {
 *     StreamWriter answer = holdfast.streams().open("answer");
 *     answer.append("Hello"); // durable when it returns
 * }
 * }</pre>
 *
 * <p>Thread-safe; one instance per store. Close it to release the store; what was acknowledged is durable with or without it.
 */
public final class Holdfast implements AutoCloseable {

    /** The tenant of whoever names none. */
    public static final String DEFAULT_TENANT = "default";

    private final Timers timers;
    private final ExecutorService futures;
    private final Running running;

    /** What this instance runs: the engines of one store, or a node of a cluster. */
    private sealed interface Running {

        Shards<Engines> shards();

        boolean healthy();

        boolean intact();

        record Alone(Engines engines) implements Running {
            @Override
            public Shards<Engines> shards() {
                return Shards.only(engines);
            }

            @Override
            public boolean healthy() {
                return engines.healthy();
            }

            @Override
            public boolean intact() {
                return engines.intact();
            }
        }

        record InCluster(Coordination coordination, Node shards) implements Running {
            @Override
            public boolean healthy() {
                return shards.healthy();
            }

            @Override
            public boolean intact() {
                return shards.all().stream().allMatch(Engines::intact);
            }
        }
    }

    private Holdfast(HoldfastSettings settings, BiFunction<Timers, ExecutorService, Running> runs) {
        this.timers = settings.timers().get();
        this.futures = Executors.newThreadPerTaskExecutor(
                Thread.ofVirtual().name("holdfast-future-", 0).factory());
        try {
            this.running = runs.apply(timers, futures);
        } catch (RuntimeException e) {
            timers.close();
            futures.close();
            throw e;
        }
    }

    /**
     * Opens the embedded store in a folder, creating both if missing.
     *
     * @throws dev.holdfast.error.HoldfastException.StoreLocked if another process has it open
     * @throws dev.holdfast.error.HoldfastException.StoreDamaged if its files are damaged; nothing was changed then
     */
    public static Holdfast open(Path folder) {
        return open(folder, HoldfastSettings.defaults());
    }

    /** As {@link #open(Path)}, with settings. */
    public static Holdfast open(Path folder, HoldfastSettings settings) {
        List<StoreProvider> providers = ServiceLoader.load(StoreProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .toList();
        if (providers.size() != 1) {
            throw new InvalidArgument(
                    "Found %d embedded stores on the class path, need exactly one. Add dev.holdfast:holdfast-store-sqlite."
                            .formatted(providers.size()));
        }
        return open(providers.getFirst().open(folder, settings.store()), settings);
    }

    /** Opens on a store that the caller made. Closing the instance closes the store. */
    public static Holdfast open(Store store, HoldfastSettings settings) {
        return new Holdfast(settings, (timers, futures) -> {
            Engines engines = new Engines(store, settings.engines(), timers, futures, Neighbours.none());
            try {
                engines.recover();
                return new Running.Alone(engines);
            } catch (RuntimeException e) {
                engines.close();
                throw e;
            }
        });
    }

    /**
     * Joins a cluster: any number of processes that work on one database, each of which answers every call. Returns at once; shards that
     * nobody holds are opened by and by, and calls wait for that. Closing the instance closes the coordination.
     *
     * <p>The clock of deadlines is the database's; the settings' one counts durations. Bounds of memory in the settings are
     * divided among the shards, but for a least that each gets ({@link dev.holdfast.stream.StreamLimits#MIN_SHARD_BYTES}).
     */
    public static Holdfast join(Coordination coordination, HoldfastSettings settings, NodeSettings node) {
        try {
            return new Holdfast(
                    settings,
                    (timers, futures) -> new Running.InCluster(
                            coordination, Node.join(coordination, settings.engines(), node, timers, futures)));
        } catch (RuntimeException e) {
            coordination.close();
            throw e;
        }
    }

    /** The streams of the default tenant. */
    public Streams streams() {
        return streams(DEFAULT_TENANT);
    }

    /** The streams of a tenant. */
    public Streams streams(String tenant) {
        return new Streams(running.shards().map(Engines::streams), tenant);
    }

    /** The turns of the default tenant. */
    public Turns turns() {
        return turns(DEFAULT_TENANT);
    }

    /** The turns of a tenant. */
    public Turns turns(String tenant) {
        return new Turns(running.shards().map(Engines::turns), tenant);
    }

    /** The sessions of the default tenant. */
    public Sessions sessions() {
        return sessions(DEFAULT_TENANT);
    }

    /** The sessions of a tenant. */
    public Sessions sessions(String tenant) {
        return new Sessions(running.shards().map(Engines::sessions), tenant);
    }

    /** The properties of the default tenant. */
    public Properties properties() {
        return properties(new PropertyRow.Owner.Tenant(DEFAULT_TENANT));
    }

    /** The properties of a tenant, session or stream. */
    public Properties properties(PropertyRow.Owner owner) {
        return new Properties(running.shards().map(Engines::sessions), owner);
    }

    /** The other processes of the cluster; none where this one is alone. */
    public Peers peers() {
        return running instanceof Running.InCluster cluster ? cluster.shards().peers() : Peers.none();
    }

    /** How many shards this process may write at this moment; 1 for a store that is not divided. */
    public int shardsHeld() {
        return (int) running.shards().all().stream().filter(Engines::isWriting).count();
    }

    /**
     * Prepares for the end of the process: starts no more turns, takes no more shards, and lets the turns that run finish for at most
     * {@code grace}. What is left of them when this instance is closed goes on in the next one, or on another node.
     */
    public void drain(Duration grace) {
        if (running instanceof Running.InCluster cluster) {
            cluster.shards().leave();
        }
        turns().drain(grace);
    }

    /** Whether writes work: false after a failure that only opening the store anew heals. */
    public boolean healthy() {
        return running.healthy();
    }

    /**
     * Whether nobody has found damage in what is stored, by reading it or while changing something. What was not damaged is still read and written; only a backup heals, so this stays
     * false for the life of the instance.
     */
    public boolean intact() {
        return running.intact();
    }

    /**
     * Finishes what is queued, then releases the store. Turns that run are left to be taken up by the next open; {@link Turns#drain} before
     * gives them time to finish.
     */
    @Override
    public void close() {
        switch (running) {
            case Running.Alone alone -> {
                alone.engines().stop();
                timers.close();
                futures.close();
                alone.engines().close();
            }
            case Running.InCluster cluster -> {
                cluster.shards().close();
                timers.close();
                futures.close();
                cluster.coordination().close();
            }
        }
    }
}
