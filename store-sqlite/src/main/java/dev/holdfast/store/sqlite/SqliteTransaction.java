package dev.holdfast.store.sqlite;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.StoreFailed;
import dev.holdfast.error.HoldfastException.StoreFull;
import dev.holdfast.error.HoldfastException.StorePoisoned;
import dev.holdfast.store.AppendRecord;
import dev.holdfast.store.BlobRow;
import dev.holdfast.store.BlockRow;
import dev.holdfast.store.FeedRow;
import dev.holdfast.store.LogFrame;
import dev.holdfast.store.MessageRow;
import dev.holdfast.store.PropertyRow;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.StoreTransaction;
import dev.holdfast.store.StreamRow;
import dev.holdfast.store.TurnRow;
import dev.holdfast.store.WordsRow;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The one write transaction.
 *
 * <p>Appends are collected in memory and become one row of the journal at the commit. SQLite's transaction begins with the first statement
 * that needs it; a transaction that only appends needs none and is one INSERT, which is a transaction by itself.
 *
 * <p>The first failed statement dooms the transaction: SQLite rolls back by itself after some errors (a full disk is one), and whatever
 * came after would stand alone. So every later call, and the commit, answers the same error until {@link #rollback}.
 *
 * <p>Belongs to the committer's thread.
 */
final class SqliteTransaction extends TableReads implements StoreTransaction {

    private static final String BEGIN = "BEGIN IMMEDIATE";
    private static final String COMMIT = "COMMIT";
    private static final String ROLLBACK = "ROLLBACK";

    private final WriteSide side;
    private final boolean frees;
    private final Guest guest;
    private final List<AppendRecord> appends = new ArrayList<>();
    private boolean begun;
    private boolean over;
    private @Nullable HoldfastException failure;

    /**
     * @param frees whether it may use the room that is kept back
     */
    SqliteTransaction(WriteSide side, boolean frees) {
        this.side = side;
        this.frees = frees;
        this.guest = new Guest(side.statements());
    }

    boolean isOver() {
        return over;
    }

    @Override
    <T> T run(Call<T> call) {
        checkUsable();
        try {
            begin();
            sendGuestAway();
            return call.on(side.tables());
        } catch (SQLException e) {
            throw doom(side.failures().ofStatement(e));
        } catch (StorePoisoned e) {
            throw doom(e);
        }
    }

    private void checkUsable() {
        if (failure != null) {
            throw failure;
        }
        if (over) {
            throw new IllegalStateException("This transaction is over; begin another one.");
        }
    }

    private void begin() throws SQLException {
        if (!begun) {
            side.statements().run(BEGIN);
            begun = true;
            side.ownership().check();
        }
    }

    private HoldfastException doom(HoldfastException error) {
        failure = error;
        return error;
    }

    @Override
    public Receipt commit() {
        checkUsable();
        checkRoom();
        long now = side.time().wallMillis();
        byte[] frame = appends.isEmpty() ? null : LogFrame.encode(appends, now);
        long position = frame == null ? 0 : side.lastPosition() + 1;
        if (begun) {
            commitBegun(position, frame);
        } else if (frame != null) {
            commitAppends(position, frame);
        }
        over = true;
        if (frame == null) {
            return new Receipt(0, 0, now);
        }
        side.appended(position);
        return new Receipt(position, frame.length, now);
    }

    private void checkRoom() {
        if (frees) {
            return;
        }
        try {
            side.reserve().checkOrdinary();
        } catch (StoreFull e) {
            throw abandon(e);
        } catch (SQLException e) {
            throw abandon(side.failures().ofStatement(e));
        }
    }

    private void commitBegun(long position, byte @Nullable [] frame) {
        try {
            sendGuestAway();
            if (frame != null) {
                side.tables().journal.insert(position, frame);
            }
        } catch (SQLException e) {
            throw abandon(side.failures().ofStatement(e));
        }
        try {
            side.statements().run(COMMIT);
        } catch (SQLException e) {
            throw abandon(side.failures().ofCommit(e));
        }
    }

    private void commitAppends(long position, byte[] frame) {
        long owner = side.ownership().number();
        try {
            if (owner == 0) {
                side.tables().journal.insert(position, frame);
            } else if (!side.tables().journal.insertIf(owner, position, frame)) {
                throw abandon(side.ownership().lost());
            }
        } catch (SQLException e) {
            throw abandon(side.failures().ofCommit(e));
        }
    }

    private HoldfastException abandon(HoldfastException error) {
        doom(error);
        try {
            rollback();
        } catch (
                HoldfastException
                        e) { // the store is poisoned now; the caller learns of it with the next write at the latest
            error.addSuppressed(e);
        }
        return error;
    }

    @Override
    public void rollback() {
        if (over) {
            return;
        }
        over = true;
        appends.clear();
        try {
            guest.end();
            if (begun) {
                side.statements().run(ROLLBACK);
            }
        } catch (SQLException e) {
            if (!SqlFailures.isNoTransaction(e)) { // SQLite may have rolled back by itself
                throw side.failStop().poison(e);
            }
        }
    }

    @Override
    public <T> Optional<T> unwrap(Class<T> type) {
        if (type != Connection.class) {
            return Optional.empty();
        }
        checkUsable();
        try {
            begin();
            return Optional.of(type.cast(guest.connection()));
        } catch (SQLException e) {
            throw doom(side.failures().ofStatement(e));
        }
    }

    private void sendGuestAway() throws SQLException {
        try {
            guest.leave();
        } catch (StoreFailed e) {
            throw doom(e);
        }
    }

    @Override
    public void append(AppendRecord record) {
        checkUsable();
        appends.add(record);
    }

    @Override
    public void insertStream(StreamRow row) {
        write(t -> t.streams.insert(row));
    }

    @Override
    public void updateStream(StreamRow row) {
        write(t -> t.streams.update(row));
    }

    @Override
    public void deleteStream(long key) {
        write(t -> t.streams.delete(key));
    }

    @Override
    public void insertBlock(BlockRow block) {
        write(t -> t.blocks.insert(block));
    }

    @Override
    public int deleteBlocks(long streamKey, long belowSeq, int limit) {
        return run(t -> t.blocks.delete(streamKey, belowSeq, limit));
    }

    @Override
    public long releaseLog(long position) {
        return run(t -> t.journal.release(position, side.lastPosition()));
    }

    @Override
    public long reserveKeys(int count) {
        return run(t -> side.reserveKeys(count));
    }

    @Override
    public void insertSession(SessionRow row) {
        write(t -> t.sessions.insert(row));
    }

    @Override
    public void updateSession(SessionRow row) {
        write(t -> t.sessions.update(row));
    }

    @Override
    public int purgeSession(long sessionKey, int limit) {
        return run(t -> {
            String owner = new PropertyRow.Owner.Session(sessionKey).encoded();
            int deleted = t.messages.clear(sessionKey, limit);
            deleted += t.turns.purge(sessionKey, limit - deleted);
            deleted += t.feed.purge(sessionKey, limit - deleted);
            deleted += t.blobs.purge(sessionKey, limit - deleted);
            return deleted + t.properties.purge(owner, limit - deleted);
        });
    }

    @Override
    public void deleteSession(long sessionKey) {
        write(t -> t.sessions.delete(sessionKey));
    }

    @Override
    public void appendFeed(FeedRow row) {
        write(t -> t.feed.append(row));
    }

    @Override
    public int trimFeed(long sessionKey, long belowSeq, int limit) {
        return run(t -> t.feed.trim(sessionKey, belowSeq, limit));
    }

    @Override
    public void insertMessage(MessageRow row, byte[] content) {
        write(t -> t.messages.insert(row, content));
    }

    @Override
    public void updateMessage(MessageRow row, byte[] content) {
        write(t -> t.messages.update(row, content));
    }

    @Override
    public void moveMessage(long sessionKey, long seq, long parentSeq) {
        write(t -> t.messages.move(sessionKey, seq, parentSeq));
    }

    @Override
    public void deleteMessage(long sessionKey, long seq) {
        write(t -> t.messages.delete(sessionKey, seq));
    }

    @Override
    public int clearMessages(long sessionKey, int limit) {
        return run(t -> t.messages.clear(sessionKey, limit));
    }

    @Override
    public void insertBlob(BlobRow row) {
        write(t -> t.blobs.insert(row));
    }

    @Override
    public void updateBlob(BlobRow row) {
        write(t -> t.blobs.update(row));
    }

    @Override
    public void insertBlobPiece(long key, int piece, byte[] bytes) {
        write(t -> t.blobs.insertPiece(key, piece, bytes));
    }

    @Override
    public void deleteBlob(long key) {
        write(t -> t.blobs.delete(key));
    }

    @Override
    public void nameBlobs(long sessionKey, long seq, Set<String> ids) {
        write(t -> t.blobs.name(sessionKey, seq, ids));
    }

    @Override
    public void putWords(WordsRow row) {
        write(t -> t.words.put(row));
    }

    @Override
    public void passedOver(MessageRow row) {
        write(t -> t.words.passOver(row));
    }

    @Override
    public void insertTurn(TurnRow row) {
        write(t -> t.turns.insert(row));
    }

    @Override
    public void updateTurn(TurnRow row) {
        write(t -> t.turns.update(row));
    }

    @Override
    public void putProperty(PropertyRow row) {
        write(t -> t.properties.put(row));
    }

    @Override
    public void deleteProperty(String owner, String name) {
        write(t -> t.properties.delete(owner, name));
    }

    @Override
    public int purgeProperties(String owner, int limit) {
        return run(t -> t.properties.purge(owner, limit));
    }

    private interface Write {
        void on(Tables tables) throws SQLException;
    }

    private void write(Write change) {
        Boolean unused = run(tables -> {
            change.on(tables);
            return Boolean.TRUE;
        });
    }
}
