package dev.holdfast.testkit;

import dev.holdfast.error.HoldfastException.StoreDamaged;
import dev.holdfast.store.AppendRecord;
import dev.holdfast.store.BlockInfo;
import dev.holdfast.store.BlockRow;
import dev.holdfast.store.FeedRow;
import dev.holdfast.store.LogEntry;
import dev.holdfast.store.LogFrame;
import dev.holdfast.store.MessageRow;
import dev.holdfast.store.PropertyRow;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.StreamQuery;
import dev.holdfast.store.StreamRow;
import dev.holdfast.store.TurnRow;
import dev.holdfast.testkit.Table.LogRow;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Every reading verb, as plainly as it can be said; the reference for the other stores. */
abstract class TableReads extends FoundReads {

    private static Stream<StreamRow> streams(Tables tables, Predicate<StreamRow> wanted) {
        return all(tables, Table.STREAMS).filter(s -> !s.state().isGone()).filter(wanted);
    }

    @Override
    public Optional<StreamRow> stream(String tenant, String name) {
        return all(look("stream"), Table.STREAMS)
                .filter(s -> s.state() != StreamRow.State.DISCARDED)
                .filter(s -> s.tenant().equals(tenant) && s.name().equals(name))
                .findFirst();
    }

    @Override
    public Optional<StreamRow> stream(long key) {
        return look("stream").get(Table.STREAMS, Key.of(key));
    }

    @Override
    public List<StreamRow> streams(StreamQuery query) {
        StreamQuery.Position after = query.after();
        return streams(
                        look("streams"),
                        s -> s.tenant().equals(query.tenant()) && query.states().contains(s.state()))
                .filter(s -> query.tag() == null || query.tag().equals(s.tag()))
                .filter(s -> after == null
                        || s.createdAt() < after.createdAt()
                        || (s.createdAt() == after.createdAt() && s.key() < after.key()))
                .sorted(Comparator.comparingLong(StreamRow::createdAt)
                        .thenComparingLong(StreamRow::key)
                        .reversed())
                .limit(query.limit())
                .toList();
    }

    @Override
    public List<Long> discardedStreams(int limit) {
        return all(look("discardedStreams"), Table.STREAMS)
                .filter(s -> s.state() == StreamRow.State.DISCARDED)
                .map(StreamRow::key)
                .limit(limit)
                .toList();
    }

    @Override
    public List<Long> expiredStreams(long now, int limit) {
        return streams(look("expiredStreams"), s -> s.expiresAt() > 0 && s.expiresAt() <= now)
                .sorted(Comparator.comparingLong(StreamRow::expiresAt))
                .map(StreamRow::key)
                .limit(limit)
                .toList();
    }

    @Override
    public long nextStreamExpiry() {
        return streams(look("nextStreamExpiry"), s -> s.expiresAt() > 0)
                .mapToLong(StreamRow::expiresAt)
                .min()
                .orElse(0);
    }

    @Override
    public List<Long> trimmableStreams(long now, int limit) {
        return streams(look("trimmableStreams"), s -> trimAt(s) > 0 && trimAt(s) <= now)
                .sorted(Comparator.comparingLong(TableReads::trimAt))
                .map(StreamRow::key)
                .limit(limit)
                .toList();
    }

    @Override
    public long nextStreamTrim() {
        return streams(look("nextStreamTrim"), s -> trimAt(s) > 0)
                .mapToLong(TableReads::trimAt)
                .min()
                .orElse(0);
    }

    private static long trimAt(StreamRow stream) {
        return stream.retained().trimAt();
    }

    @Override
    public List<Long> streamsOwnedBy(long sessionKey, int limit) {
        return streams(look("streamsOwnedBy"), s -> sessionKey != 0 && s.owner() == sessionKey)
                .map(StreamRow::key)
                .limit(limit)
                .toList();
    }

    @Override
    public Optional<BlockRow> block(long streamKey, long seq) {
        for (BlockRow block : look("block").rows(Table.BLOCKS).descending(Key.of(streamKey, seq))) {
            return block.streamKey() == streamKey && seq < block.toSeq() ? Optional.of(block) : Optional.empty();
        }
        return Optional.empty();
    }

    @Override
    public List<BlockInfo> blocks(long streamKey, long seq, int limit) {
        return from(look("blocks"), Table.BLOCKS, Key.of(streamKey, 0))
                .takeWhile(b -> b.streamKey() == streamKey)
                .filter(b -> b.toSeq() > seq)
                .map(b -> new BlockInfo(b.fromSeq(), b.toSeq(), b.lastAt(), b.bytesTo()))
                .limit(limit)
                .toList();
    }

    @Override
    public List<LogEntry> log(long streamKey, long fromSeq, int maxBytes) {
        long sealedTo = stream(streamKey).map(StreamRow::sealedTo).orElse(0L);
        List<LogEntry> entries = new ArrayList<>();
        long bytes = 0;
        for (LogRow row : look("log").rows(Table.LOG).ascending(Key.of(0))) {
            LogEntry whole = LogFrame.decode(row.position(), row.frame());
            List<AppendRecord> records = whole.records().stream()
                    .filter(record -> record.streamKey() == streamKey && record.nextSeq() > Math.max(fromSeq, sealedTo))
                    .toList();
            if (!records.isEmpty() && (entries.isEmpty() || bytes < maxBytes)) {
                LogEntry part = LogFrame.decode(row.position(), LogFrame.encode(records, whole.committedAt()));
                entries.add(part);
                bytes += part.bytes();
            }
        }
        return entries;
    }

    @Override
    public Optional<SessionRow> session(String tenant, String id) {
        return all(look("session"), Table.SESSIONS)
                .filter(s -> !s.deleted() && s.tenant().equals(tenant) && s.id().equals(id))
                .findFirst();
    }

    @Override
    public Optional<SessionRow> session(long key) {
        return look("session").get(Table.SESSIONS, Key.of(key));
    }

    @Override
    public List<SessionRow> sessions(String tenant, long beforeUpdatedAt, long beforeKey, int limit) {
        return all(look("sessions"), Table.SESSIONS)
                .filter(s -> !s.deleted() && s.tenant().equals(tenant))
                .filter(s ->
                        s.updatedAt() < beforeUpdatedAt || (s.updatedAt() == beforeUpdatedAt && s.key() < beforeKey))
                .sorted(Comparator.comparingLong(SessionRow::updatedAt)
                        .thenComparingLong(SessionRow::key)
                        .reversed())
                .limit(limit)
                .toList();
    }

    @Override
    public List<Long> deletedSessions(int limit) {
        return all(look("deletedSessions"), Table.SESSIONS)
                .filter(SessionRow::deleted)
                .map(SessionRow::key)
                .limit(limit)
                .toList();
    }

    static Stream<FeedRow> feedOf(Tables tables, long sessionKey, long fromSeq) {
        return from(tables, Table.FEED, Key.of(sessionKey, fromSeq)).takeWhile(f -> f.sessionKey() == sessionKey);
    }

    @Override
    public List<FeedRow> feed(long sessionKey, long fromSeq, int limit) {
        return feedOf(look("feed"), sessionKey, fromSeq).limit(limit).toList();
    }

    @Override
    public long feedFirst(long sessionKey) {
        return feedOf(look("feedFirst"), sessionKey, 0)
                .mapToLong(FeedRow::seq)
                .findFirst()
                .orElse(0);
    }

    @Override
    public long feedNext(long sessionKey) {
        return feedNext(look("feedNext"), sessionKey);
    }

    static long feedNext(Tables tables, long sessionKey) {
        for (FeedRow newest : tables.rows(Table.FEED).descending(Key.of(sessionKey, Long.MAX_VALUE))) {
            return newest.sessionKey() == sessionKey ? newest.seq() + 1 : 0;
        }
        return 0;
    }

    static Stream<MessageRow> messagesOf(Tables tables, long sessionKey) {
        return from(tables, Table.MESSAGES, Key.of(sessionKey, 0)).takeWhile(m -> m.sessionKey() == sessionKey);
    }

    @Override
    public Optional<MessageRow> message(long sessionKey, String id) {
        return messagesOf(look("message"), sessionKey)
                .filter(m -> m.id().equals(id))
                .findFirst();
    }

    @Override
    public Optional<MessageRow> message(long sessionKey, long seq) {
        return look("message").get(Table.MESSAGES, Key.of(sessionKey, seq));
    }

    @Override
    public Optional<MessageRow> activeLeaf(long sessionKey) {
        return messagesOf(look("activeLeaf"), sessionKey).reduce((older, newer) -> newer);
    }

    @Override
    public List<MessageRow> children(long sessionKey, long parentSeq, int limit) {
        return messagesOf(look("children"), sessionKey)
                .filter(m -> m.parentSeq() == parentSeq)
                .limit(limit)
                .toList();
    }

    @Override
    public List<MessageRow> ancestors(long sessionKey, long seq, int limit) {
        Tables tables = look("ancestors");
        List<MessageRow> path = new ArrayList<>();
        Optional<MessageRow> at = tables.get(Table.MESSAGES, Key.of(sessionKey, seq));
        while (at.isPresent() && path.size() < limit) {
            path.add(at.get());
            at = tables.get(Table.MESSAGES, Key.of(sessionKey, at.get().parentSeq()));
        }
        return path;
    }

    @Override
    public byte[] messageContent(long sessionKey, long seq) {
        return look("messageContent")
                .get(Table.CONTENTS, Key.of(sessionKey, seq))
                .map(c -> c.content().clone())
                .orElseThrow(() ->
                        new StoreDamaged("Message %d of session key %d has no content. Restore the store from a backup."
                                .formatted(seq, sessionKey)));
    }

    @Override
    public long messageCount(long sessionKey) {
        return messagesOf(look("messageCount"), sessionKey).count();
    }

    @Override
    public Optional<TurnRow> turn(long sessionKey, String id) {
        return look("turn").get(Table.TURNS, Key.of(sessionKey, id));
    }

    static Stream<TurnRow> turnsOf(Tables tables, long sessionKey) {
        return from(tables, Table.TURNS, Key.of(sessionKey, "")).takeWhile(t -> t.sessionKey() == sessionKey);
    }

    @Override
    public List<TurnRow> liveTurns(long sessionKey) {
        return turnsOf(look("liveTurns"), sessionKey)
                .filter(t -> !t.state().isOutcome())
                .sorted(Comparator.comparingLong(TurnRow::createdAt).thenComparing(TurnRow::id, Key::compare))
                .toList();
    }

    @Override
    public List<TurnRow> liveTurns(long afterSessionKey, String afterId, int limit) {
        Key after = Key.of(afterSessionKey, afterId);
        return from(look("liveTurns"), Table.TURNS, after)
                .filter(t -> !t.state().isOutcome())
                .filter(t -> Table.TURNS.place().apply(t).compareTo(after) > 0)
                .limit(limit)
                .toList();
    }

    @Override
    public List<TurnRow> turns(long sessionKey, long beforeCreatedAt, String beforeId, int limit) {
        return turnsOf(look("turns"), sessionKey)
                .filter(t -> t.createdAt() < beforeCreatedAt
                        || (t.createdAt() == beforeCreatedAt && Key.compare(t.id(), beforeId) < 0))
                .sorted(Comparator.comparingLong(TurnRow::createdAt)
                        .thenComparing(TurnRow::id, Key::compare)
                        .reversed())
                .limit(limit)
                .toList();
    }

    @Override
    public Optional<PropertyRow> property(String owner, String name) {
        return look("property").get(Table.PROPERTIES, Key.of(owner, name));
    }

    @Override
    public List<PropertyRow> properties(String owner, String prefix, String afterName, int limit) {
        return from(look("properties"), Table.PROPERTIES, Key.of(owner, afterName))
                .takeWhile(p -> p.owner().equals(owner))
                .filter(p -> p.name().startsWith(prefix) && !p.name().equals(afterName))
                .limit(limit)
                .toList();
    }

    @Override
    public List<PropertyRow> expiredProperties(long now, int limit) {
        return all(look("expiredProperties"), Table.PROPERTIES)
                .filter(p -> p.expiresAt() > 0 && p.expiresAt() <= now)
                .sorted(Comparator.comparingLong(PropertyRow::expiresAt))
                .limit(limit)
                .toList();
    }

    @Override
    public long nextPropertyExpiry() {
        return all(look("nextPropertyExpiry"), Table.PROPERTIES)
                .filter(p -> p.expiresAt() > 0)
                .mapToLong(PropertyRow::expiresAt)
                .min()
                .orElse(0);
    }
}
