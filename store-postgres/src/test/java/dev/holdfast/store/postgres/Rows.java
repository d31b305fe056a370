package dev.holdfast.store.postgres;

import dev.holdfast.store.AppendRecord;
import dev.holdfast.store.BlockFormat;
import dev.holdfast.store.BlockRow;
import dev.holdfast.store.FeedRow;
import dev.holdfast.store.LogEntry;
import dev.holdfast.store.MessageRow;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.Store;
import dev.holdfast.store.StreamRow;
import dev.holdfast.store.TurnRow;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Rows to write in tests. */
final class Rows {

    static final long NOW = 1_700_000_000_000L;

    private Rows() {}

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static byte[] random(int length, long seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    static AppendRecord append(long stream, long firstSeq, String... chunks) {
        List<byte[]> list = new ArrayList<>();
        for (String chunk : chunks) {
            list.add(bytes(chunk));
        }
        return AppendRecord.of(stream, 1, firstSeq, list);
    }

    static BlockRow block(long stream, long fromSeq, int chunks, int chunkBytes) {
        List<byte[]> list = new ArrayList<>();
        for (int i = 0; i < chunks; i++) {
            list.add(random(chunkBytes, stream * 31 + fromSeq + i));
        }
        return new BlockRow(
                stream, fromSeq, fromSeq + chunks, NOW, (fromSeq + chunks) * chunkBytes, BlockFormat.encode(list));
    }

    static StreamRow stream(long key, String name) {
        return stream(key, name, StreamRow.State.LIVE, null, 0, NOW + key, 0);
    }

    static StreamRow stream(
            long key,
            String name,
            StreamRow.State state,
            @Nullable String tag,
            long owner,
            long createdAt,
            long expiresAt) {
        return new StreamRow(
                key,
                "tenant",
                name,
                key * 7919,
                owner,
                state,
                state == StreamRow.State.ERRORED ? "broke" : null,
                tag,
                "application/json",
                bytes("{\"k\":" + key + "}"),
                createdAt,
                createdAt + 1,
                0,
                1,
                0,
                0,
                0,
                0,
                expiresAt == 0 ? 0 : 1000,
                expiresAt,
                new byte[0],
                StreamRow.Kin.NONE,
                StreamRow.Retained.ALL);
    }

    static SessionRow session(long key, String id, long updatedAt) {
        return new SessionRow(key, "tenant", id, false, NOW, updatedAt, 1);
    }

    static MessageRow message(long session, long seq, long parent, int bytes) {
        return new MessageRow(
                session, seq, "m" + seq, parent, seq % 2 == 1 ? "user" : "assistant", bytes, NOW, NOW + seq);
    }

    static FeedRow event(long session, long seq) {
        return new FeedRow(session, seq, FeedRow.Kind.MESSAGE_ADDED, NOW + seq, "m" + seq, null, null);
    }

    static TurnRow turn(long session, String id, TurnRow.State state, long createdAt, byte[] input) {
        return new TurnRow(
                session,
                id,
                state,
                "agent",
                bytes("hash"),
                input,
                "m1",
                "m2",
                5,
                "stream-5",
                null,
                1,
                1,
                0,
                false,
                null,
                createdAt,
                createdAt,
                state.isOutcome() ? createdAt + 5 : 0);
    }

    /** Collects a recovered log. */
    static final class Log implements Store.RecoverySink {
        final List<Long> positions = new ArrayList<>();
        final List<AppendRecord> records = new ArrayList<>();

        @Override
        public void entry(LogEntry entry) {
            positions.add(entry.position());
            records.addAll(entry.records());
        }

        List<String> texts() {
            List<String> texts = new ArrayList<>();
            for (AppendRecord record : records) {
                record.chunks()
                        .forEach(c -> texts.add(record.streamKey() + ":" + new String(c, StandardCharsets.UTF_8)));
            }
            return texts;
        }
    }
}
