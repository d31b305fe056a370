package dev.holdfast.store.postgres;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.StoreBusy;
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
 * The one write transaction of a shard.
 *
 * <p>Appends are collected in memory. A transaction that only appends is one statement at its commit, which looks at the lease, inserts, and is a
 * transaction by itself. Any other is a {@link ServerTransaction}, whose writes wait for the next read or the commit ({@link Pipeline}); so what
 * a constraint refuses may be told there.
 *
 * <p>The first failed statement dooms the transaction, as it does on the server. So every later call, and the commit, answers the same error
 * until {@link #rollback}.
 *
 * <p>Belongs to the committer's thread.
 */
final class PostgresTransaction extends TableReads implements StoreTransaction {

    private final WriteSide side;
    private final ServerTransaction server;
    private final List<AppendRecord> appends = new ArrayList<>();
    private boolean deletesLog;
    private boolean over;
    private @Nullable HoldfastException failure;

    PostgresTransaction(WriteSide side) {
        this.side = side;
        this.server = new ServerTransaction(side);
    }

    boolean isOver() {
        return over;
    }

    @Override
    <T> T run(Call<T> call) {
        return guarded(() -> call.on(server.tables()));
    }

    private <T> T change(Call<T> call) {
        return guarded(() -> call.on(server.writable()));
    }

    /** Something to do on the server. */
    private interface Step<T> {
        T take() throws SQLException;
    }

    /** Takes a step; whatever fails on the server dooms the transaction. Damage that was read does not. */
    private <T> T guarded(Step<T> step) {
        checkUsable();
        try {
            return step.take();
        } catch (SQLException e) {
            throw doom(server.failed(e));
        } catch (StorePoisoned e) {
            throw doom(side.failStop().poison(e));
        } catch (StoreFull | StoreBusy | StoreFailed e) {
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

    private HoldfastException doom(HoldfastException error) {
        failure = error;
        return error;
    }

    @Override
    public Receipt commit() {
        checkUsable();
        long now = side.time().wallMillis();
        long position = appends.isEmpty() ? 0 : side.lastPosition() + 1;
        try {
            boolean unused = guarded(() -> commit(position, now));
        } catch (HoldfastException e) {
            rollback();
            throw e;
        }
        over = true;
        server.end();
        if (position == 0) {
            return new Receipt(0, 0, now);
        }
        side.appended(position);
        return new Receipt(position, LogFrame.sizeOf(appends), now);
    }

    private boolean commit(long position, long now) throws SQLException {
        if (!server.isWritable()) {
            server.end(); // nothing but reads
            if (position > 0) {
                ServerTransaction.append(side, appends, position, now);
            }
            return true;
        }
        Tables tables = server.writable();
        if (position > 0) {
            tables.segments.insert(appends, position, now);
        }
        if (deletesLog) {
            tables.log.known(side.lastPosition());
        }
        server.commit();
        return true;
    }

    @Override
    public void rollback() {
        if (over) {
            return;
        }
        over = true;
        server.end();
        appends.clear();
    }

    @Override
    public <T> Optional<T> unwrap(Class<T> type) {
        return type == Connection.class ? Optional.of(type.cast(guarded(server::lend))) : Optional.empty();
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
        write(t -> {
            t.blocks.insert(block);
            t.segments.deleteSealed(block.streamKey(), block.toSeq());
            deletesLog = true;
        });
    }

    @Override
    public int deleteBlocks(long streamKey, long belowSeq, int limit) {
        return change(t -> {
            int blocks = t.blocks.delete(streamKey, belowSeq, limit);
            if (blocks == limit) {
                return limit;
            }
            deletesLog = true;
            int allowed = (limit - blocks) * PostgresLimits.SEGMENTS_PER_DELETION;
            int segments = t.segments.delete(streamKey, belowSeq, allowed);
            return blocks
                    + (segments + PostgresLimits.SEGMENTS_PER_DELETION - 1) / PostgresLimits.SEGMENTS_PER_DELETION;
        });
    }

    @Override
    public long releaseLog(long position) {
        return change(t -> side.releaseLog(t, position));
    }

    @Override
    public long reserveKeys(int count) {
        return change(t -> side.reserveKeys(t, count));
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
        return change(t -> {
            String owner = new PropertyRow.Owner.Session(sessionKey).encoded();
            int deleted = t.messages.clear(sessionKey, limit);
            deleted += deleted == limit ? 0 : t.turns.purge(sessionKey, limit - deleted);
            deleted += deleted == limit ? 0 : t.feed.purge(sessionKey, limit - deleted);
            deleted += deleted == limit ? 0 : t.blobs.purge(sessionKey, limit - deleted);
            return deleted == limit ? limit : deleted + t.properties.purge(owner, limit - deleted);
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
        return change(t -> t.feed.trim(sessionKey, belowSeq, limit));
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
        return change(t -> t.messages.clear(sessionKey, limit));
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
        return change(t -> t.properties.purge(owner, limit));
    }

    private interface Write {
        void on(Tables tables) throws SQLException;
    }

    private void write(Write change) {
        Boolean unused = change(tables -> {
            change.on(tables);
            return Boolean.TRUE;
        });
    }
}
