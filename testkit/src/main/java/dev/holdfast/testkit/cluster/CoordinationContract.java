package dev.holdfast.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cluster.Coordination;
import dev.holdfast.cluster.Coordination.Node;
import dev.holdfast.cluster.Coordination.Standing;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What every kind of database that nodes share must do. A test class of the database extends this one. */
public abstract class CoordinationContract {

    protected CoordinationContract() {}

    /** One process's way to a database that is empty at first and has at least two shards. It is closed by the test class. */
    protected abstract Coordination coordination();

    /** Lets a lease's time go by, by the database's clock. */
    protected abstract void passLease();

    @Test
    void how_the_cluster_stands_is_what_a_beat_tells() {
        Coordination database = coordination();
        long a = database.join("a");
        long b = database.join("b");
        database.acquire(1, b);
        Standing told = database.beat(a);
        Standing seen = database.standing();
        assertThat(seen.nodes()).isEqualTo(told.nodes()).containsExactly(new Node(a, "a"), new Node(b, "b"));
        assertThat(seen.holders()).isEqualTo(told.holders()).hasSize(database.shards());
        assertThat(seen.databaseMillis()).isGreaterThanOrEqualTo(told.databaseMillis());
    }

    @Test
    void who_only_looks_renews_nobody() {
        Coordination database = coordination();
        long a = database.join("a");
        long b = database.join("b");
        database.acquire(0, a);
        passLease();
        assertThat(database.standing().nodes()).isEmpty();
        assertThat(database.standing().nodes()).isEmpty();
        assertThat(database.beat(b).nodes()).containsExactly(new Node(b, "b"));
        assertThat(database.acquire(0, b)).hasValue(2);
    }

    @Test
    void who_retires_lives_on_with_what_it_has() {
        Coordination database = coordination();
        long a = database.join("a");
        long b = database.join("b");
        database.acquire(0, a);
        database.retire(a);
        database.retire(a);
        database.retire(b + 1);
        List<Node> all = List.of(new Node(a, "a", true), new Node(b, "b"));
        assertThat(database.beat(a).nodes()).isEqualTo(all);
        assertThat(database.beat(b).nodes()).isEqualTo(all);
        assertThat(database.standing().nodes()).isEqualTo(all);
        assertThat(database.acquire(0, b)).isEmpty();
    }
}
