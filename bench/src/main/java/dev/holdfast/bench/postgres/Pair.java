package dev.holdfast.bench.postgres;

import dev.holdfast.HoldfastSettings;
import dev.holdfast.node.NodeSettings;
import dev.holdfast.store.postgres.PostgresSettings;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Two nodes on one shard, in one process but with connections of their own and no memory in common: the holder writes the shard, the other one
 * follows it.
 */
final class Pair implements AutoCloseable {

    /** What is left of the start when figures are taken: each node knows of the other after a beat, and code is compiled. */
    static final Duration WARM_UP = Duration.ofSeconds(3);

    private static final Duration LEASE = Duration.ofSeconds(2);

    /** How nodes hear of each other. */
    enum Hearing {
        HINTS("with hints"),
        POLLING("without hints, polling every 25 ms");

        final String title;

        Hearing(String title) {
            this.title = title;
        }
    }

    private final Database database;
    private final PostgresSettings settings;
    private final Member holder;
    private final Member other;

    Pair(Database database, Hearing hearing) throws InterruptedException {
        this.database = database;
        this.settings = database.settings(1);
        this.holder = Member.join(settings, HoldfastSettings.defaults(), node("holder", hearing))
                .holding(1);
        this.other = Member.join(settings, HoldfastSettings.defaults(), node("other", hearing));
    }

    private static NodeSettings node(String name, Hearing hearing) {
        NodeSettings settings = NodeSettings.named(name).withLease(LEASE);
        return hearing == Hearing.HINTS ? settings : settings.withoutHints();
    }

    Member holder() {
        return holder;
    }

    Member other() {
        return other;
    }

    /** Makes sure that it is still the holder that holds the shard, or the figures would be of something else. */
    void check() {
        if (holder.holdfast().shardsHeld() != 1 || other.holdfast().shardsHeld() != 0) {
            throw new IllegalStateException("the shard changed hands in the middle of a run; its figures mean nothing");
        }
    }

    @Override
    public void close() throws SQLException {
        other.close();
        holder.close();
        database.drop(settings);
    }
}
