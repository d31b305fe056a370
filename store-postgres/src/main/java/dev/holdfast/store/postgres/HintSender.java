package dev.holdfast.store.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies the other nodes, on a connection and thread of its own. The server lets one transaction that notifies commit at a time, in the
 * whole cluster of databases; were it the transaction of a commit, all commits would queue behind each other's fsync. One that does nothing
 * else writes no log worth waiting for.
 *
 * <p>What is to be told while a notification is under way goes with the next. If the server cannot be reached, the others are told after a
 * pause that hints were lost.
 */
final class HintSender implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(HintSender.class);

    private final DataSource direct;
    private final String channel;
    private final long origin;
    private final PendingHints pending = new PendingHints();
    private final Thread thread;
    private volatile boolean closed;

    /** Of the thread alone. */
    private @Nullable Connection connection;

    private long pauseMillis;

    HintSender(DataSource direct, String channel, long origin) {
        this.direct = direct;
        this.channel = channel;
        this.origin = origin;
        this.thread = Thread.ofPlatform().daemon().name("holdfast-hints-out").unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    PendingHints pending() {
        return pending;
    }

    /** What waits is not sent any more. */
    @Override
    public void close() {
        closed = true;
        pending.close();
        thread.interrupt();
    }

    private void run() {
        try {
            for (Hints hints = pending.take(origin); hints != null; hints = pending.take(origin)) {
                send(hints.encode());
            }
        } catch (InterruptedException e) {
            LOG.debug("closed");
        } finally {
            disconnect();
        }
    }

    private void send(String payload) throws InterruptedException {
        try (PreparedStatement notify = connected().prepareStatement("SELECT pg_notify(?, ?)")) {
            notify.setString(1, channel);
            notify.setString(2, payload);
            notify.execute();
            pauseMillis = 0;
        } catch (SQLException e) {
            if (pauseMillis == 0 && !closed) { // an interrupted connect is no loss
                LOG.warn("Hints to other nodes are lost, they poll instead: {}", e.getMessage());
            }
            disconnect();
            pending.lost();
            pauseMillis = Math.clamp(
                    2 * pauseMillis, CoordinationLimits.MIN_RETRY_MILLIS, CoordinationLimits.MAX_RETRY_MILLIS);
            pending.pause(pauseMillis);
        }
    }

    private Connection connected() throws SQLException {
        Connection open = connection;
        if (open == null) {
            open = direct.getConnection();
            connection = open;
            open.setNetworkTimeout(Runnable::run, CoordinationLimits.HINT_TIMEOUT_MILLIS);
        }
        return open;
    }

    private void disconnect() {
        Connection open = connection;
        connection = null;
        if (open != null) {
            try {
                open.close();
            } catch (SQLException e) {
                LOG.debug("a connection did not close", e);
            }
        }
    }
}
