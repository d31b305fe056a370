package dev.holdfast.store.postgres;

import dev.holdfast.cluster.Coordination.Listener;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens for the hints of other nodes, on a connection and thread of its own. What was said while it was not connected is lost; so whenever it
 * has begun to listen, it tells its listener that hints were lost.
 */
final class HintReceiver implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(HintReceiver.class);

    private final DataSource direct;
    private final String channel;
    private final long origin;
    private final Listener listener;
    private final Thread thread;
    private final CountDownLatch closed = new CountDownLatch(1);

    /** So that closing can cut a wait for the server. */
    private volatile @Nullable Connection connection;

    HintReceiver(DataSource direct, String channel, long origin, Listener listener) {
        this.direct = direct;
        this.channel = channel;
        this.origin = origin;
        this.listener = listener;
        this.thread = Thread.ofPlatform().daemon().name("holdfast-hints-in").unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    /** The listener may be called once more while this returns. */
    @Override
    public void close() {
        closed.countDown();
        thread.interrupt();
        Connection open = connection;
        if (open != null) {
            abort(open);
        }
    }

    private void run() {
        long pauseMillis = 0;
        try {
            while (!closed.await(pauseMillis, TimeUnit.MILLISECONDS)) {
                long before = pauseMillis;
                try (Connection open = direct.getConnection()) {
                    connection = open;
                    subscribe(open);
                    pauseMillis = 0;
                    call(listener::lost);
                    hear(open);
                } catch (SQLException e) {
                    if (closed.getCount() > 0 && before == 0) {
                        LOG.warn("Hints of other nodes are not heard, polling goes on: {}", e.getMessage());
                    }
                } finally {
                    connection = null;
                }
                pauseMillis = Math.clamp(
                        2 * pauseMillis, CoordinationLimits.MIN_RETRY_MILLIS, CoordinationLimits.MAX_RETRY_MILLIS);
            }
        } catch (InterruptedException e) {
            LOG.debug("closed");
        }
    }

    private void subscribe(Connection open) throws SQLException {
        open.setNetworkTimeout(Runnable::run, CoordinationLimits.HINT_TIMEOUT_MILLIS);
        execute(open, "LISTEN \"" + channel + "\"");
    }

    /** Until the connection breaks or this is closed. A network may swallow a connection in silence: a long silence is probed. */
    private void hear(Connection open) throws SQLException {
        PGConnection server = open.unwrap(PGConnection.class);
        while (closed.getCount() > 0) {
            PGNotification[] heard = server.getNotifications(CoordinationLimits.PROBE_MILLIS);
            if (heard == null || heard.length == 0) {
                execute(open, "SELECT 1");
                continue;
            }
            for (PGNotification notification : heard) {
                Hints.decode(notification.getParameter()).ifPresent(this::tell);
            }
        }
    }

    private void tell(Hints hints) {
        for (long node : hints.letters()) {
            call(() -> listener.letters(node));
        }
        if (hints.origin() == origin) {
            return; // what this process changed, it knows; a letter may be from one of its nodes to another
        }
        hints.changes().forEach((shard, keys) -> call(() -> listener.changed(shard, keys)));
        if (hints.leases()) {
            call(listener::leases);
        }
        if (hints.everything()) {
            call(listener::lost);
        }
    }

    private static void call(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException e) {
            LOG.error("A listener for hints failed; hints are lost.", e);
        }
    }

    private static void execute(Connection open, String sql) throws SQLException {
        try (Statement statement = open.createStatement()) {
            statement.execute(sql);
        }
    }

    private static void abort(Connection open) {
        try {
            open.abort(Runnable::run);
        } catch (SQLException e) {
            LOG.debug("a connection did not close", e);
        }
    }
}
