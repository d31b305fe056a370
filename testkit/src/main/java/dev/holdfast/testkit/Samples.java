package dev.holdfast.testkit;

import dev.holdfast.store.AppendRecord;
import dev.holdfast.store.BlockFormat;
import dev.holdfast.store.BlockRow;
import dev.holdfast.store.FeedRow;
import dev.holdfast.store.MessageRow;
import dev.holdfast.store.PropertyRow;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.StreamRow;
import dev.holdfast.store.TurnRow;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Rows for contract tests. Each number differs from the others, so that two columns that were swapped are noticed. */
final class Samples {

    static final String TENANT = "tenant";

    private Samples() {}

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Bytes that no compression and no repetition makes smaller. */
    static byte[] noise(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    static AppendRecord append(long key, long firstSeq, String... chunks) {
        return AppendRecord.of(
                key, 7, firstSeq, Arrays.stream(chunks).map(Samples::bytes).toList());
    }

    static BlockRow block(long key, long fromSeq, String... chunks) {
        List<byte[]> list = Arrays.stream(chunks).map(Samples::bytes).toList();
        return new BlockRow(
                key, fromSeq, fromSeq + chunks.length, 6_000 + fromSeq, 60 + fromSeq, BlockFormat.encode(list));
    }

    static StreamRow stream(long key, String name) {
        return new Stream(key, name).row();
    }

    /** A stream's row, with what a test changes. */
    static final class Stream {
        private final long key;
        private final String name;
        private String tenant = TENANT;
        private long owner;
        private StreamRow.State state = StreamRow.State.LIVE;
        private String tag = "tag";
        private long createdAt = 1_001;
        private long expiresAt;
        private StreamRow.Kin kin = new StreamRow.Kin(16, 17, new byte[] {1, -2});
        private StreamRow.Retained retained = new StreamRow.Retained(18, 19, 20, 0);

        Stream(long key, String name) {
            this.key = key;
            this.name = name;
        }

        Stream tenant(String value) {
            tenant = value;
            return this;
        }

        Stream owner(long value) {
            owner = value;
            return this;
        }

        Stream state(StreamRow.State value) {
            state = value;
            return this;
        }

        Stream tag(String value) {
            tag = value;
            return this;
        }

        Stream createdAt(long value) {
            createdAt = value;
            return this;
        }

        Stream expiresAt(long value) {
            expiresAt = value;
            return this;
        }

        Stream kin(StreamRow.Kin value) {
            kin = value;
            return this;
        }

        Stream trimAt(long value) {
            retained = new StreamRow.Retained(18, 19, 20, value);
            return this;
        }

        StreamRow row() {
            return new StreamRow(
                    key,
                    tenant,
                    name,
                    0x8000_0000_0000_0001L,
                    owner,
                    state,
                    state == StreamRow.State.ERRORED ? "broke" : null,
                    tag,
                    "text/plain",
                    bytes("meta"),
                    createdAt,
                    1_002,
                    state == StreamRow.State.LIVE ? 0 : 1_003,
                    11,
                    12,
                    13,
                    14,
                    1_004,
                    15,
                    expiresAt,
                    new byte[] {0, -1, 5},
                    kin,
                    retained);
        }
    }

    static SessionRow session(long key, String id) {
        return new SessionRow(key, TENANT, id, false, 2_001, 2_002, 21);
    }

    static SessionRow deleted(SessionRow row) {
        return new SessionRow(row.key(), row.tenant(), row.id(), true, row.createdAt(), row.updatedAt(), row.epoch());
    }

    static MessageRow message(long session, long seq, long parent, byte[] content) {
        return new MessageRow(session, seq, "m" + seq, parent, "user", content.length, 3_001, 3_002);
    }

    static FeedRow event(long session, long seq) {
        return new FeedRow(session, seq, FeedRow.Kind.TURN_ENDED, 4_001, "m1", "t1", "completed");
    }

    static TurnRow turn(long session, String id, TurnRow.State state, long createdAt) {
        return new TurnRow(
                session,
                id,
                state,
                "agent",
                bytes("print"),
                bytes("input"),
                "question",
                "answer",
                31,
                "stream",
                "parent/turn",
                32,
                33,
                34,
                true,
                "reason",
                createdAt,
                5_002,
                5_003);
    }

    static PropertyRow property(String owner, String name, long version, long expiresAt) {
        return new PropertyRow(owner, name, version, bytes(name + version), expiresAt);
    }
}
