package dev.holdfast.verification.cluster;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.node.NodeSettings;
import dev.holdfast.session.FeedEvent;
import dev.holdfast.session.Session;
import dev.holdfast.store.postgres.CoordinationSettings;
import dev.holdfast.store.postgres.PostgresDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What is stored, seen by a node of the test's own. */
final class Aftermath implements AutoCloseable {

    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final int PAGE = 100;

    private final PostgresDatabase database;
    private final Holdfast holdfast;

    Aftermath(Servers servers) {
        database = PostgresDatabase.open(servers.settings());
        holdfast = Holdfast.join(
                database.coordination(CoordinationSettings.DEFAULTS.withLease(LEASE)),
                HoldfastSettings.defaults(),
                NodeSettings.named("aftermath").withLease(LEASE));
    }

    /** The turns that ended, once for each event that says so. */
    List<String> outcomes(String session) {
        Session stored = holdfast.sessions().get(session);
        List<String> ended = new ArrayList<>();
        long next = 0;
        for (List<FeedEvent> page = stored.feed().read(next, PAGE);
                !page.isEmpty();
                page = stored.feed().read(next, PAGE)) {
            for (FeedEvent event : page) {
                if (event.seq() != next++) {
                    throw new AssertionError("event %d of %s is missing".formatted(next - 1, session));
                }
                if (event.kind().name().equals("TURN_ENDED")) {
                    ended.add(event.turnId().orElseThrow());
                }
            }
        }
        return ended;
    }

    @Override
    public void close() {
        try {
            holdfast.close();
        } finally {
            database.close();
        }
    }
}
