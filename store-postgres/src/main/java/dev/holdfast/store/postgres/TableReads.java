package dev.holdfast.store.postgres;

import dev.holdfast.store.BlobRow;
import dev.holdfast.store.BlockInfo;
import dev.holdfast.store.BlockRow;
import dev.holdfast.store.FeedRow;
import dev.holdfast.store.LogEntry;
import dev.holdfast.store.MessageRow;
import dev.holdfast.store.PropertyRow;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.StoreReads;
import dev.holdfast.store.StreamQuery;
import dev.holdfast.store.StreamRow;
import dev.holdfast.store.TurnRow;
import dev.holdfast.store.WordQuery;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** All reads, over whatever connection {@link #run} gives them: a snapshot, or the write transaction. */
abstract class TableReads implements StoreReads {

    /** Something to do with the tables. */
    interface Call<T> {
        T on(Tables tables) throws SQLException;
    }

    /** Runs the call on this connection and turns its failure into one of Holdfast's errors. */
    abstract <T> T run(Call<T> call);

    @Override
    public Optional<StreamRow> stream(String tenant, String name) {
        return run(t -> t.streams.byName(tenant, name));
    }

    @Override
    public Optional<StreamRow> stream(long key) {
        return run(t -> t.streams.byKey(key));
    }

    @Override
    public List<StreamRow> streams(StreamQuery query) {
        return run(t -> t.streams.list(query));
    }

    @Override
    public List<Long> discardedStreams(int limit) {
        return run(t -> t.streams.discarded(limit));
    }

    @Override
    public List<Long> expiredStreams(long now, int limit) {
        return run(t -> t.streams.expired(now, limit));
    }

    @Override
    public long nextStreamExpiry() {
        return run(t -> t.streams.nextExpiry());
    }

    @Override
    public List<Long> trimmableStreams(long now, int limit) {
        return run(t -> t.streams.trimmable(now, limit));
    }

    @Override
    public long nextStreamTrim() {
        return run(t -> t.streams.nextTrim());
    }

    @Override
    public List<Long> streamsOwnedBy(long sessionKey, int limit) {
        return run(t -> t.streams.ownedBy(sessionKey, limit));
    }

    @Override
    public Optional<BlockRow> block(long streamKey, long seq) {
        return run(t -> t.blocks.holding(streamKey, seq));
    }

    @Override
    public List<BlockInfo> blocks(long streamKey, long seq, int limit) {
        return run(t -> t.blocks.above(streamKey, seq, limit));
    }

    @Override
    public List<LogEntry> log(long streamKey, long fromSeq, int maxBytes) {
        return run(t -> t.segments.ofStream(streamKey, fromSeq, maxBytes));
    }

    @Override
    public Optional<SessionRow> session(String tenant, String id) {
        return run(t -> t.sessions.byId(tenant, id));
    }

    @Override
    public Optional<SessionRow> session(long key) {
        return run(t -> t.sessions.byKey(key));
    }

    @Override
    public List<SessionRow> sessions(String tenant, long beforeUpdatedAt, long beforeKey, int limit) {
        return run(t -> t.sessions.list(tenant, beforeUpdatedAt, beforeKey, limit));
    }

    @Override
    public List<Long> deletedSessions(int limit) {
        return run(t -> t.sessions.deleted(limit));
    }

    @Override
    public List<FeedRow> feed(long sessionKey, long fromSeq, int limit) {
        return run(t -> t.feed.from(sessionKey, fromSeq, limit));
    }

    @Override
    public long feedFirst(long sessionKey) {
        return run(t -> t.feed.first(sessionKey));
    }

    @Override
    public long feedNext(long sessionKey) {
        return run(t -> t.feed.next(sessionKey));
    }

    @Override
    public Optional<MessageRow> message(long sessionKey, String id) {
        return run(t -> t.messages.byId(sessionKey, id));
    }

    @Override
    public Optional<MessageRow> message(long sessionKey, long seq) {
        return run(t -> t.messages.bySeq(sessionKey, seq));
    }

    @Override
    public Optional<MessageRow> activeLeaf(long sessionKey) {
        return run(t -> t.messages.activeLeaf(sessionKey));
    }

    @Override
    public List<MessageRow> children(long sessionKey, long parentSeq, int limit) {
        return run(t -> t.messages.children(sessionKey, parentSeq, limit));
    }

    @Override
    public List<MessageRow> ancestors(long sessionKey, long seq, int limit) {
        return run(t -> t.messages.ancestors(sessionKey, seq, limit));
    }

    @Override
    public byte[] messageContent(long sessionKey, long seq) {
        return run(t -> t.messages.content(sessionKey, seq));
    }

    @Override
    public long messageCount(long sessionKey) {
        return run(t -> t.messages.count(sessionKey));
    }

    @Override
    public Optional<BlobRow> blob(long sessionKey, String id) {
        return run(t -> t.blobs.byId(sessionKey, id));
    }

    @Override
    public Optional<BlobRow> blob(long key) {
        return run(t -> t.blobs.byKey(key));
    }

    @Override
    public Optional<byte[]> blobPiece(long key, int piece) {
        return run(t -> t.blobs.piece(key, piece));
    }

    @Override
    public Set<String> blobsOf(long sessionKey, long seq) {
        return run(t -> t.blobs.named(sessionKey, seq));
    }

    @Override
    public List<Long> expiredBlobs(long now, int limit) {
        return run(t -> t.blobs.expired(now, limit));
    }

    @Override
    public long nextBlobExpiry() {
        return run(t -> t.blobs.nextExpiry());
    }

    @Override
    public List<WordQuery.Found> find(WordQuery query) {
        return run(t -> t.words.find(query));
    }

    @Override
    public List<MessageRow> withoutWords(int limit) {
        return run(t -> t.words.without(limit));
    }

    @Override
    public Optional<TurnRow> turn(long sessionKey, String id) {
        return run(t -> t.turns.byId(sessionKey, id));
    }

    @Override
    public List<TurnRow> liveTurns(long sessionKey) {
        return run(t -> t.turns.live(sessionKey));
    }

    @Override
    public List<TurnRow> liveTurns(long afterSessionKey, String afterId, int limit) {
        return run(t -> t.turns.live(afterSessionKey, afterId, limit));
    }

    @Override
    public List<TurnRow> turns(long sessionKey, long beforeCreatedAt, String beforeId, int limit) {
        return run(t -> t.turns.list(sessionKey, beforeCreatedAt, beforeId, limit));
    }

    @Override
    public Optional<PropertyRow> property(String owner, String name) {
        return run(t -> t.properties.byName(owner, name));
    }

    @Override
    public List<PropertyRow> properties(String owner, String prefix, String afterName, int limit) {
        return run(t -> t.properties.list(owner, prefix, afterName, limit));
    }

    @Override
    public List<PropertyRow> expiredProperties(long now, int limit) {
        return run(t -> t.properties.expired(now, limit));
    }

    @Override
    public long nextPropertyExpiry() {
        return run(t -> t.properties.nextExpiry());
    }
}
