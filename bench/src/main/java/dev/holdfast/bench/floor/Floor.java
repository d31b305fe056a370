package dev.holdfast.bench.floor;

import dev.holdfast.bench.load.Target;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A floor: group commit on a bare SQLite table, with nothing of Holdfast in it. One platform thread takes whatever is queued, writes it in
 * one transaction, and releases the producers, each of which parks until its own append is durable.
 *
 * <p>It is the least that any library on SQLite could do for these producers: no streams in memory, nobody reads, nothing is checked,
 * sealed, trimmed or rebuilt, and a failed commit ends the run.
 */
public final class Floor implements Target {

    /** One append on its way. */
    static final class Ticket {
        final int stream;
        final byte[] payload;
        final Thread producer = Thread.currentThread();

        @Nullable
        Ticket next;

        volatile boolean durable;

        Ticket(int stream, byte[] payload) {
            this.stream = stream;
            this.payload = payload;
        }
    }

    private interface Making {
        Layout on(Connection connection) throws SQLException;
    }

    private final Connection connection;
    private final Layout layout;
    private final FloorCheckpoints checkpoints;
    private final AtomicReference<@Nullable Ticket> submitted = new AtomicReference<>();
    private final Thread committer;
    private volatile boolean closing;
    private volatile @Nullable SQLException failure;

    private Floor(Path folder, Making making) throws SQLException {
        FloorFile file = FloorFile.in(folder);
        this.connection = file.connect();
        this.layout = making.on(connection);
        this.checkpoints = new FloorCheckpoints(connection);
        this.committer =
                Thread.ofPlatform().name("floor-committer").daemon(true).start(this::run);
    }

    /** The first floor: {@link RowPerCommit}. */
    public static Floor rowPerCommit(Path folder) throws SQLException {
        return new Floor(folder, RowPerCommit::new);
    }

    /** The second floor: {@link RowPerAppend}. */
    public static Floor rowPerAppend(Path folder) throws SQLException {
        return new Floor(folder, RowPerAppend::new);
    }

    @Override
    public void append(int stream, byte[] payload) {
        Ticket ticket = new Ticket(stream, payload);
        Ticket head;
        do {
            head = submitted.get();
            ticket.next = head;
        } while (!submitted.compareAndSet(head, ticket));
        if (head == null) {
            LockSupport.unpark(committer);
        }
        while (!ticket.durable) {
            LockSupport.park(this);
        }
        if (failure != null) {
            throw new IllegalStateException("the floor's commit failed", failure);
        }
    }

    private void run() {
        int statements = 0;
        long bytes = 0;
        while (true) {
            Ticket newest = submitted.getAndSet(null);
            if (newest == null) {
                if (closing) {
                    return;
                }
                LockSupport.park(this);
                continue;
            }
            List<Ticket> batch = new ArrayList<>();
            for (Ticket ticket = newest; ticket != null; ticket = ticket.next) {
                batch.add(ticket);
            }
            Collections.reverse(batch);
            try {
                checkpoints.beforeTransaction(statements, bytes);
                statements = layout.commit(batch);
            } catch (SQLException e) {
                failure = e;
            }
            bytes = 0;
            for (Ticket ticket : batch) {
                bytes += ticket.payload.length;
                ticket.durable = true;
                LockSupport.unpark(ticket.producer);
            }
        }
    }

    @Override
    public void close() {
        closing = true;
        LockSupport.unpark(committer);
        boolean interrupted = false;
        while (committer.isAlive()) {
            try {
                committer.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        try (connection;
                checkpoints;
                layout) {
            // closed in the reverse order
        } catch (SQLException e) {
            throw new IllegalStateException("the floor could not be closed", e);
        }
    }
}
