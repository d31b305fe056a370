package dev.holdfast.testkit.cluster;

import dev.holdfast.cluster.Coordination;
import dev.holdfast.testkit.MovedTime;
import dev.holdfast.testkit.SimCoordination;
import java.time.Duration;

final class SimCoordinationTest extends CoordinationContract {

    private static final Duration LEASE = Duration.ofSeconds(10);

    private final MovedTime time = new MovedTime();
    private final SimCoordination database = new SimCoordination(2, time, LEASE);

    @Override
    protected Coordination coordination() {
        return database;
    }

    @Override
    protected void passLease() {
        time.advance(LEASE);
    }
}
