package dev.holdfast.testkit;

import dev.holdfast.store.BlobRow;
import dev.holdfast.store.BlockRow;
import dev.holdfast.store.FeedRow;
import dev.holdfast.store.MessageRow;
import dev.holdfast.store.PropertyRow;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.StreamRow;
import dev.holdfast.store.TurnRow;
import java.util.List;
import java.util.function.Function;

/** One table: the type of its rows, and where a row lies in it. */
record Table<R extends Record>(int id, Class<R> type, Function<R, Key> place) {

    /** A log entry: the frame of one commit's appends. */
    record LogRow(long position, byte[] frame) {}

    /** A message's content, apart from its place in the tree. */
    record ContentRow(long sessionKey, long seq, byte[] content) {}

    /** The words of a message, at their position in the search. */
    record IndexRow(long sessionKey, long seq, long position, String words) {}

    /** A piece of a binary. */
    record PieceRow(long key, long piece, byte[] bytes) {}

    /** That a message names a binary. */
    record NameRow(long sessionKey, long seq, String blob) {}

    /** A number of the store's own. */
    record MetaRow(String name, long value) {}

    static final Table<LogRow> LOG = new Table<>(0, LogRow.class, r -> Key.of(r.position()));
    static final Table<StreamRow> STREAMS = new Table<>(1, StreamRow.class, r -> Key.of(r.key()));
    static final Table<BlockRow> BLOCKS = new Table<>(2, BlockRow.class, r -> Key.of(r.streamKey(), r.fromSeq()));
    static final Table<SessionRow> SESSIONS = new Table<>(3, SessionRow.class, r -> Key.of(r.key()));
    static final Table<MessageRow> MESSAGES = new Table<>(4, MessageRow.class, r -> Key.of(r.sessionKey(), r.seq()));
    static final Table<ContentRow> CONTENTS = new Table<>(5, ContentRow.class, r -> Key.of(r.sessionKey(), r.seq()));
    static final Table<FeedRow> FEED = new Table<>(6, FeedRow.class, r -> Key.of(r.sessionKey(), r.seq()));
    static final Table<TurnRow> TURNS = new Table<>(7, TurnRow.class, r -> Key.of(r.sessionKey(), r.id()));
    static final Table<PropertyRow> PROPERTIES = new Table<>(8, PropertyRow.class, r -> Key.of(r.owner(), r.name()));
    static final Table<MetaRow> META = new Table<>(9, MetaRow.class, r -> Key.of("", r.name()));
    static final Table<SimStore.ApplicationRow> APPLICATION =
            new Table<>(10, SimStore.ApplicationRow.class, r -> Key.of("", r.name()));
    static final Table<IndexRow> WORDS = new Table<>(11, IndexRow.class, r -> Key.of(r.sessionKey(), r.seq()));

    static final Table<BlobRow> BLOBS = new Table<>(12, BlobRow.class, r -> Key.of(r.key()));
    static final Table<PieceRow> PIECES = new Table<>(13, PieceRow.class, r -> Key.of(r.key(), r.piece()));
    static final Table<NameRow> NAMES =
            new Table<>(14, NameRow.class, r -> new Key("", r.sessionKey(), r.seq(), r.blob()));

    static final List<Table<?>> ALL = List.of(
            LOG,
            STREAMS,
            BLOCKS,
            SESSIONS,
            MESSAGES,
            CONTENTS,
            FEED,
            TURNS,
            PROPERTIES,
            META,
            APPLICATION,
            WORDS,
            BLOBS,
            PIECES,
            NAMES);
}
