package dev.holdfast.testkit;

import dev.holdfast.store.AppendRecord;
import dev.holdfast.store.BlockRow;
import dev.holdfast.store.FeedRow;
import dev.holdfast.store.LogFrame;
import dev.holdfast.store.MessageRow;
import dev.holdfast.store.Placement;
import dev.holdfast.store.PropertyRow;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.StoreTransaction;
import dev.holdfast.store.StreamRow;
import dev.holdfast.store.TurnRow;
import dev.holdfast.testkit.ScriptedDisk.Kind;
import dev.holdfast.testkit.SimStore.ApplicationRow;
import dev.holdfast.testkit.Table.ContentRow;
import dev.holdfast.testkit.Table.LogRow;
import dev.holdfast.testkit.Table.MetaRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The write transaction: what each verb changes in the tables. */
final class SimTransaction extends SimEdits implements StoreTransaction, SimStore.Application {

    private static final String LAST_RELEASED = "released";
    private static final String KEYS_RESERVED = "keys";

    /** So few entries are released in one call that callers meet the bound. */
    private static final int MAX_RELEASES = 16;

    private final List<AppendRecord> appends = new ArrayList<>();

    SimTransaction(SimStore store, Tables tables) {
        super(store, tables);
    }

    static long lastPosition(Tables tables) {
        for (LogRow newest : tables.rows(Table.LOG).descending(Key.of(Long.MAX_VALUE))) {
            return newest.position();
        }
        return released(tables);
    }

    static long released(Tables tables) {
        return tables.number(LAST_RELEASED);
    }

    private void number(String name, long value) {
        put(Table.META, new MetaRow(name, value));
    }

    @Override
    public Receipt commit() {
        step(Kind.WRITE, "commit");
        long now = store.time().wallMillis();
        Receipt receipt = new Receipt(0, 0, now);
        if (!appends.isEmpty()) {
            long position = lastPosition(tables) + 1;
            byte[] frame = LogFrame.encode(appends, now);
            put(Table.LOG, new LogRow(position, frame));
            receipt = new Receipt(position, frame.length, now);
        }
        if (!changes.isEmpty()) {
            store.commit(changes.frame(), tables);
        }
        over = true;
        return receipt;
    }

    @Override
    public void rollback() {
        if (!over) {
            over = true;
            store.step(Kind.READ, "rollback");
        }
    }

    @Override
    public <T> Optional<T> unwrap(Class<T> type) {
        return type == SimStore.Application.class ? Optional.of(type.cast(this)) : Optional.empty();
    }

    @Override
    public void put(String name, String value) {
        step(Kind.WRITE, "application put");
        put(Table.APPLICATION, new ApplicationRow(name, value));
    }

    @Override
    public void append(AppendRecord record) {
        step(Kind.WRITE, "append");
        appends.add(record);
    }

    @Override
    public void insertStream(StreamRow row) {
        step(Kind.WRITE, "insertStream");
        requireNameFree(row);
        insert(Table.STREAMS, row);
    }

    @Override
    public void updateStream(StreamRow row) {
        step(Kind.WRITE, "updateStream");
        requireNameFree(row);
        update(Table.STREAMS, row);
    }

    private void requireNameFree(StreamRow row) {
        if (row.state() != StreamRow.State.DISCARDED) {
            for (StreamRow other : tables.rows(Table.STREAMS).ascending(Key.of(Long.MIN_VALUE))) {
                boolean sameName = other.state() != StreamRow.State.DISCARDED
                        && other.key() != row.key()
                        && other.tenant().equals(row.tenant())
                        && other.name().equals(row.name());
                require(!sameName, "has a name that is taken", row);
            }
        }
    }

    @Override
    public void deleteStream(long key) {
        step(Kind.WRITE, "deleteStream");
        remove(Table.STREAMS, Key.of(key));
    }

    @Override
    public void insertBlock(BlockRow block) {
        step(Kind.WRITE, "insertBlock");
        insert(Table.BLOCKS, block);
    }

    @Override
    public int deleteBlocks(long streamKey, long belowSeq, int limit) {
        step(Kind.WRITE, "deleteBlocks");
        int deleted = 0;
        for (BlockRow block : tables.rows(Table.BLOCKS).ascending(Key.of(streamKey, 0))) {
            if (block.streamKey() != streamKey || block.toSeq() > belowSeq || deleted == limit) {
                break;
            }
            remove(Table.BLOCKS, Key.of(streamKey, block.fromSeq()));
            deleted++;
        }
        return deleted;
    }

    @Override
    public long releaseLog(long position) {
        step(Kind.WRITE, "releaseLog");
        long released = released(tables);
        long upTo = Math.min(Math.min(position, lastPosition(tables)), released + MAX_RELEASES);
        for (long at = released + 1; at <= upTo; at++) {
            remove(Table.LOG, Key.of(at));
        }
        if (upTo > released) {
            number(LAST_RELEASED, upTo);
        }
        return Math.max(upTo, released);
    }

    @Override
    public long reserveKeys(int count) {
        step(Kind.WRITE, "reserveKeys");
        long first = tables.number(KEYS_RESERVED) + 1;
        number(KEYS_RESERVED, first + count - 1);
        return Placement.firstKey(store.shard()) + first;
    }

    @Override
    public void insertSession(SessionRow row) {
        step(Kind.WRITE, "insertSession");
        requireIdFree(row);
        insert(Table.SESSIONS, row);
    }

    @Override
    public void updateSession(SessionRow row) {
        step(Kind.WRITE, "updateSession");
        requireIdFree(row);
        update(Table.SESSIONS, row);
    }

    private void requireIdFree(SessionRow row) {
        for (SessionRow other : tables.rows(Table.SESSIONS).ascending(Key.of(Long.MIN_VALUE))) {
            boolean sameId = !row.deleted()
                    && !other.deleted()
                    && other.key() != row.key()
                    && other.tenant().equals(row.tenant())
                    && other.id().equals(row.id());
            require(!sameId, "has an id that is taken", row);
        }
    }

    @Override
    public int purgeSession(long sessionKey, int limit) {
        step(Kind.WRITE, "purgeSession");
        int deleted = clear(sessionKey, limit);
        deleted += removeAll(Table.TURNS, turnsOf(tables, sessionKey), limit - deleted);
        deleted += removeAll(Table.FEED, feedOf(tables, sessionKey, 0), limit - deleted);
        deleted += purgeBlobs(sessionKey, limit - deleted);
        return deleted + purge(new PropertyRow.Owner.Session(sessionKey).encoded(), limit - deleted);
    }

    private <R extends Record> int removeAll(Table<R> table, Stream<R> rows, int limit) {
        List<R> doomed = rows.limit(limit).toList();
        doomed.forEach(row -> remove(table, table.place().apply(row)));
        return doomed.size();
    }

    @Override
    public void deleteSession(long sessionKey) {
        step(Kind.WRITE, "deleteSession");
        remove(Table.SESSIONS, Key.of(sessionKey));
    }

    @Override
    public void appendFeed(FeedRow row) {
        step(Kind.WRITE, "appendFeed");
        insert(Table.FEED, row);
    }

    @Override
    public int trimFeed(long sessionKey, long belowSeq, int limit) {
        step(Kind.WRITE, "trimFeed");
        long newest = feedNext(tables, sessionKey) - 1;
        Stream<FeedRow> old = feedOf(tables, sessionKey, 0).takeWhile(f -> f.seq() < Math.min(belowSeq, newest));
        return removeAll(Table.FEED, old, limit);
    }

    @Override
    public void insertMessage(MessageRow row, byte[] content) {
        step(Kind.WRITE, "insertMessage");
        require(noOtherMessageHas(row), "has an id that is taken", row);
        insert(Table.MESSAGES, row);
        put(Table.CONTENTS, new ContentRow(row.sessionKey(), row.seq(), content));
    }

    @Override
    public void updateMessage(MessageRow row, byte[] content) {
        step(Kind.WRITE, "updateMessage");
        require(noOtherMessageHas(row), "has an id that is taken", row);
        update(Table.MESSAGES, row);
        put(Table.CONTENTS, new ContentRow(row.sessionKey(), row.seq(), content));
    }

    private boolean noOtherMessageHas(MessageRow row) {
        return messagesOf(tables, row.sessionKey())
                .noneMatch(other -> other.id().equals(row.id()) && other.seq() != row.seq());
    }

    @Override
    public void moveMessage(long sessionKey, long seq, long parentSeq) {
        step(Kind.WRITE, "moveMessage");
        Optional<MessageRow> found = tables.get(Table.MESSAGES, Key.of(sessionKey, seq));
        found.ifPresent(m -> put(
                Table.MESSAGES,
                new MessageRow(
                        m.sessionKey(),
                        m.seq(),
                        m.id(),
                        parentSeq,
                        m.role(),
                        m.bytes(),
                        m.createdAt(),
                        m.updatedAt())));
    }

    @Override
    public void deleteMessage(long sessionKey, long seq) {
        step(Kind.WRITE, "deleteMessage");
        remove(Table.MESSAGES, Key.of(sessionKey, seq));
        remove(Table.CONTENTS, Key.of(sessionKey, seq));
        remove(Table.WORDS, Key.of(sessionKey, seq));
        name(sessionKey, seq, Set.of());
    }

    @Override
    public int clearMessages(long sessionKey, int limit) {
        step(Kind.WRITE, "clearMessages");
        return clear(sessionKey, limit);
    }

    private int clear(long sessionKey, int limit) {
        List<MessageRow> all = messagesOf(tables, sessionKey).toList();
        List<MessageRow> newest = all.subList(Math.max(0, all.size() - limit), all.size());
        for (MessageRow message : newest) {
            remove(Table.MESSAGES, Key.of(sessionKey, message.seq()));
            remove(Table.CONTENTS, Key.of(sessionKey, message.seq()));
            remove(Table.WORDS, Key.of(sessionKey, message.seq()));
            name(sessionKey, message.seq(), Set.of());
        }
        return newest.size();
    }

    @Override
    public void insertTurn(TurnRow row) {
        step(Kind.WRITE, "insertTurn");
        insert(Table.TURNS, row);
    }

    @Override
    public void updateTurn(TurnRow row) {
        step(Kind.WRITE, "updateTurn");
        update(Table.TURNS, row);
    }

    @Override
    public void putProperty(PropertyRow row) {
        step(Kind.WRITE, "putProperty");
        put(Table.PROPERTIES, row);
    }

    @Override
    public void deleteProperty(String owner, String name) {
        step(Kind.WRITE, "deleteProperty");
        remove(Table.PROPERTIES, Key.of(owner, name));
    }

    @Override
    public int purgeProperties(String owner, int limit) {
        step(Kind.WRITE, "purgeProperties");
        return purge(owner, limit);
    }

    private int purge(String owner, int limit) {
        List<PropertyRow> doomed = new ArrayList<>();
        for (PropertyRow row : tables.rows(Table.PROPERTIES).ascending(Key.of(owner, ""))) {
            if (!row.owner().equals(owner) || doomed.size() >= limit) {
                break;
            }
            doomed.add(row);
        }
        doomed.forEach(row -> remove(Table.PROPERTIES, Key.of(row.owner(), row.name())));
        return doomed.size();
    }
}
