package dev.holdfast.turn;

import dev.holdfast.error.HoldfastException.StoreFailed;
import dev.holdfast.session.PropertyEngine;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.Placement;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.StoreReads;
import dev.holdfast.store.TurnRow;
import dev.holdfast.stream.StreamEngine;
import dev.holdfast.stream.StreamOptions;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Changes of a turn's row, and how an API shows one. */
final class TurnRows {

    static final String STREAM_CONTENT_TYPE = "application/json";

    static final String ANSWER_ROLE = "assistant";

    /** What the names of the properties that turns keep with their session begin with. */
    static final String PROPERTIES = PropertyEngine.RESERVED;

    private TurnRows() {}

    static TurnStatus status(String sessionId, TurnRow row) {
        return new TurnStatus(
                sessionId,
                row.id(),
                state(row.state()),
                row.agent(),
                row.messageId(),
                row.userMessageId(),
                row.streamName(),
                row.attempts(),
                row.stopRequested(),
                row.error(),
                Instant.ofEpochMilli(row.createdAt()),
                row.startsAt() == 0 ? null : Instant.ofEpochMilli(row.startsAt()),
                row.endedAt() == 0 ? null : Instant.ofEpochMilli(row.endedAt()));
    }

    static TurnState state(TurnRow.State state) {
        return switch (state) {
            case ACCEPTED -> TurnState.ACCEPTED;
            case STREAMING -> TurnState.STREAMING;
            case AWAITING -> TurnState.AWAITING;
            case COMPLETED -> TurnState.COMPLETED;
            case STOPPED -> TurnState.STOPPED;
            case FAILED -> TurnState.FAILED;
            case INTERRUPTED -> TurnState.INTERRUPTED;
        };
    }

    static TurnRow.State state(MessageAssembler.End end) {
        return switch (end) {
            case COMPLETED -> TurnRow.State.COMPLETED;
            case AWAITING -> TurnRow.State.AWAITING;
            case STOPPED -> TurnRow.State.STOPPED;
            case FAILED -> TurnRow.State.FAILED;
            case INTERRUPTED -> TurnRow.State.INTERRUPTED;
        };
    }

    /** A turn without an outcome, in a session that was not deleted. */
    static Optional<TurnRow> live(StoreReads reads, long sessionKey, String turnId) {
        return reads.session(sessionKey)
                .filter(session -> !session.deleted())
                .flatMap(session -> reads.turn(sessionKey, turnId))
                .filter(turn -> !turn.state().isOutcome());
    }

    /** The name of a turn's streams: bounded whatever the turn's id, and the same over all attempts, so that cursors meet a restart. */
    static String streamName(long sessionKey, String turnId) {
        return Placement.TURN_PREFIX + sessionKey + "/" + hash(turnId);
    }

    /** Stands for a text in names, whose length is bounded. */
    static String hash(String text) {
        byte[] hash = sha256().digest(text.getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().formatHex(hash, 0, 16);
    }

    /** How a nested turn names its parent. */
    static String parentName(TurnRow parent) {
        return parent.sessionKey() + "/" + parent.id();
    }

    /** The tag of the streams of turns nested in this parent, over all its attempts. */
    static String nestedTag(String parentName) {
        return "nested/" + hash(parentName);
    }

    /** Opens the turn's stream, which readers find under the same name over all its attempts. */
    static StreamEngine.Opened openStream(StreamEngine streams, CommitScope scope, SessionRow session, TurnRow row) {
        StreamOptions options = StreamOptions.DEFAULTS.withContentType(STREAM_CONTENT_TYPE);
        String parent = row.parentTurn();
        if (parent != null) {
            options = options.withTag(nestedTag(parent));
        }
        return streams.open(scope, session.tenant(), streamName(session.key(), row.id()), options, session.key(), true);
    }

    /** The first attempt of a turn that was accepted. */
    static TurnRow started(TurnRow accepted, StreamEngine.Opened stream, long now) {
        return edit(accepted).state(TurnRow.State.STREAMING).stream(
                        stream.key(), streamName(accepted.sessionKey(), accepted.id()))
                .nextEpoch()
                .attempts(1)
                .progress(0, now)
                .startsAt(0)
                .row();
    }

    /** How the feed tells of a turn's outcome. */
    static String outcome(TurnRow row) {
        return row.state().name().toLowerCase(Locale.ROOT) + (row.error() == null ? "" : ":" + row.error());
    }

    /** Hash of what a turn is started with, to tell a repeat from a conflict. */
    static byte[] fingerprint(TurnRequest request) {
        MessageDigest digest = sha256();
        update(digest, request.agent().getBytes(StandardCharsets.UTF_8));
        update(digest, request.input());
        if (request.message() != null) {
            update(digest, request.message().id().getBytes(StandardCharsets.UTF_8));
            update(digest, request.message().role().getBytes(StandardCharsets.UTF_8));
            update(digest, request.message().content());
            update(digest, request.message().placement().toString().getBytes(StandardCharsets.UTF_8));
        }
        if (request.again() != null) {
            update(digest, ("again:" + request.again()).getBytes(StandardCharsets.UTF_8));
        }
        if (request.messageId() != null) {
            update(digest, request.messageId().getBytes(StandardCharsets.UTF_8));
        }
        return digest.digest();
    }

    private static void update(MessageDigest digest, byte[] part) {
        int length = part.length;
        digest.update(
                new byte[] {(byte) (length >>> 24), (byte) (length >>> 16), (byte) (length >>> 8), (byte) length});
        digest.update(part);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new StoreFailed("This Java has no SHA-256, which every Java must have", e);
        }
    }

    static Edit edit(TurnRow row) {
        return new Edit(row);
    }

    /** A row with some fields replaced. */
    static final class Edit {
        private final TurnRow base;
        private TurnRow.State state;
        private byte[] input;
        private long streamKey;
        private @Nullable String streamName;
        private long epoch;
        private int attempts;
        private long progress;
        private boolean stopRequested;
        private @Nullable String error;
        private long progressAt;
        private long endedAt;
        private long startsAt;
        private long slot;

        private Edit(TurnRow row) {
            base = row;
            state = row.state();
            input = row.input();
            streamKey = row.streamKey();
            streamName = row.streamName();
            epoch = row.epoch();
            attempts = row.attempts();
            progress = row.progress();
            stopRequested = row.stopRequested();
            error = row.error();
            progressAt = row.progressAt();
            endedAt = row.endedAt();
            startsAt = row.startsAt();
            slot = row.slot();
        }

        Edit state(TurnRow.State value) {
            state = value;
            return this;
        }

        Edit input(byte[] value) {
            input = value;
            return this;
        }

        Edit stream(long key, String name) {
            streamKey = key;
            streamName = name;
            return this;
        }

        Edit nextEpoch() {
            epoch++;
            return this;
        }

        Edit attempts(int value) {
            attempts = value;
            return this;
        }

        Edit progress(long tail, long at) {
            progress = tail;
            progressAt = at;
            return this;
        }

        Edit stopRequested() {
            stopRequested = true;
            return this;
        }

        Edit error(@Nullable String value) {
            error = value;
            return this;
        }

        Edit endedAt(long value) {
            endedAt = value;
            return this;
        }

        Edit startsAt(long value) {
            startsAt = value;
            return this;
        }

        Edit slot(long value) {
            slot = value;
            return this;
        }

        TurnRow row() {
            return new TurnRow(
                    base.sessionKey(),
                    base.id(),
                    state,
                    base.agent(),
                    base.fingerprint(),
                    input,
                    base.userMessageId(),
                    base.messageId(),
                    streamKey,
                    streamName,
                    base.parentTurn(),
                    epoch,
                    attempts,
                    progress,
                    stopRequested,
                    error,
                    base.createdAt(),
                    progressAt,
                    endedAt,
                    base.kind(),
                    startsAt,
                    slot);
        }
    }
}
