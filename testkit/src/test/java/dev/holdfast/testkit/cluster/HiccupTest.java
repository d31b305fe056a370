package dev.holdfast.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.cluster.Coordination;
import dev.holdfast.error.HoldfastException.StoreBusy;
import dev.holdfast.node.NodeSettings;
import dev.holdfast.store.Time;
import dev.holdfast.testkit.SimCoordination;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A database that is away for the moment in which a node opens a shard. */
final class HiccupTest {

    private static final Duration LEASE = Duration.ofSeconds(1);

    private final SimCoordination database = new SimCoordination(Nodes.SHARDS, Time.system(), LEASE);

    /** What the node that joins asks of the database about the shard that did not open, and its beats, from then on. */
    private final List<String> asked = new ArrayList<>(); // guarded by this

    private int failed = -1; // the shard; guarded by this
    private boolean releaseFails;

    private Coordination faulty() {
        return (Coordination) Proxy.newProxyInstance(
                HiccupTest.class.getClassLoader(),
                new Class<?>[] {Coordination.class},
                (proxy, method, arguments) -> call(method, arguments));
    }

    private @Nullable Object call(Method method, Object @Nullable [] arguments) throws Throwable {
        note(method.getName(), arguments);
        try {
            return method.invoke(database, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private synchronized void note(String verb, Object @Nullable [] arguments) {
        if (verb.equals("store") && failed < 0 && arguments != null) {
            failed = (int) arguments[0];
            throw away();
        }
        boolean isOfIt = arguments != null && arguments.length > 0 && arguments[0].equals(failed);
        if (verb.equals("release") && isOfIt && releaseFails) {
            releaseFails = false;
            throw away();
        }
        if (failed >= 0 && (verb.equals("beat") || (verb.equals("acquire") && isOfIt))) {
            asked.add(verb);
        }
    }

    private static StoreBusy away() {
        return new StoreBusy("The database is away.", new IOException("on purpose"));
    }

    private synchronized List<String> asked() {
        return List.copyOf(asked);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void who_could_not_open_a_shard_for_a_moment_tries_again_with_the_next_beats(boolean releaseFailsToo) {
        releaseFails = releaseFailsToo;
        try (Holdfast other = Holdfast.join(
                database, HoldfastSettings.defaults(), NodeSettings.named("b").withLease(LEASE))) {
            Awaitility.await().until(() -> other.shardsHeld() == Nodes.SHARDS);
            try (Holdfast node = Holdfast.join(
                    faulty(),
                    HoldfastSettings.defaults(),
                    NodeSettings.named("a").withLease(LEASE).withoutHints())) { // beats by the clock alone
                Awaitility.await().until(() -> node.shardsHeld() + other.shardsHeld() == Nodes.SHARDS);
                Awaitility.await().until(() -> asked().contains("acquire"));
                assertThat(asked().indexOf("acquire"))
                        .as("beats before it was tried again: %s", asked())
                        .isLessThanOrEqualTo(3);
            }
        }
    }
}
