package dev.holdfast.store.postgres;

import dev.holdfast.cluster.Coordination;
import dev.holdfast.testkit.cluster.CoordinationContract;
import org.junit.jupiter.api.AfterEach;

final class CoordinationOnPostgresTest extends CoordinationContract {

    private final Cluster cluster = new Cluster();

    @AfterEach
    void close() {
        cluster.close();
    }

    @Override
    protected Coordination coordination() {
        return cluster.process(Cluster.POLLING);
    }

    @Override
    protected void passLease() {
        cluster.update("UPDATE @nodes SET expires_at = expires_at - ? * interval '1 millisecond'", (Object)
                Cluster.POLLING.lease().toMillis());
    }
}
