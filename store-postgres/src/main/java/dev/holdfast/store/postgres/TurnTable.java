package dev.holdfast.store.postgres;

import dev.holdfast.store.TurnRow;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Turns. A turn's row is written several times in its life, its input once: an update sends a small input with the row, and a large one only
 * if its hash is another one, which it asks first.
 */
final class TurnTable {

    private static final String COLUMNS =
            "session, id, state, agent, fingerprint, user_message, message, stream, stream_name, parent, epoch, "
                    + "attempts, progress, stop_requested, error, created_at, progress_at, ended_at, kind, starts_at, slot, "
                    + "input_bytes, input_hash, input";
    private static final String SELECT = "SELECT " + COLUMNS + " FROM @turns ";

    private static final String INSERT = "INSERT INTO @turns (shard, live, " + COLUMNS
            + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    private static final String MOVING = """
            live = ?, state = ?, agent = ?, fingerprint = ?, user_message = ?, message = ?, stream = ?, stream_name = ?,
              parent = ?, epoch = ?, attempts = ?, progress = ?, stop_requested = ?, error = ?, created_at = ?, progress_at = ?,
              ended_at = ?, kind = ?, starts_at = ?, slot = ?""";
    private static final String UPDATE =
            Pipeline.mustChange("UPDATE @turns SET " + MOVING + " WHERE shard = ? AND session = ? AND id = ?");
    private static final String UPDATE_WITH_INPUT = Pipeline.mustChange("UPDATE @turns SET " + MOVING
            + ", input_bytes = ?, input_hash = ?, input = ? WHERE shard = ? AND session = ? AND id = ?");
    private static final String SAME_INPUT = """
            SELECT 1 FROM @turns WHERE shard = ? AND session = ? AND id = ? AND input_bytes = ? AND input_hash = ?""";
    private static final String PURGE = """
            WITH gone AS (
              DELETE FROM @turns WHERE shard = ? AND session = ? AND id <= (
                SELECT max(id) FROM (
                  SELECT id FROM @turns WHERE shard = ? AND session = ? ORDER BY id LIMIT ?) least)
              RETURNING id, input_bytes),
            rest AS (
              DELETE FROM @pieces p USING gone
              WHERE gone.input_bytes > ? AND p.shard = ? AND p.session = ? AND p.owner = 't:' || gone.id)
            SELECT count(*) FROM gone""";

    private static final String BY_ID = SELECT + "WHERE shard = ? AND session = ? AND id = ?";
    private static final String LIVE_IN_SESSION =
            SELECT + "WHERE shard = ? AND session = ? AND live ORDER BY created_at, id";
    private static final String LIVE =
            SELECT + "WHERE shard = ? AND live AND (session, id) > (?, ?) ORDER BY session, id LIMIT ?";
    private static final String LIST = SELECT + """
            WHERE shard = ? AND session = ? AND (created_at, id) < (?, ?) ORDER BY created_at DESC, id DESC LIMIT ?""";

    private final Pipeline pipeline;
    private final int shard;
    private final PieceTable pieces;

    TurnTable(Pipeline pipeline, int shard, PieceTable pieces) {
        this.pipeline = pipeline;
        this.shard = shard;
        this.pieces = pieces;
    }

    /** A row as it is stored: only the beginning of the input is in it. */
    private record Stored(TurnRow row, long inputBytes, byte[] inputHash) {}

    void insert(TurnRow t) throws SQLException {
        pipeline.later(
                INSERT,
                shard,
                live(t),
                t.sessionKey(),
                t.id(),
                t.state().code(),
                t.agent(),
                t.fingerprint(),
                t.userMessageId(),
                t.messageId(),
                t.streamKey(),
                t.streamName(),
                t.parentTurn(),
                t.epoch(),
                t.attempts(),
                t.progress(),
                t.stopRequested(),
                t.error(),
                t.createdAt(),
                t.progressAt(),
                t.endedAt(),
                t.kind().code(),
                t.startsAt(),
                t.slot(),
                (long) t.input().length,
                hash(t.input()),
                PieceTable.beginning(t.input()));
        pieces.insertRest(t.sessionKey(), PieceTable.ofTurn(t.id()), t.input());
    }

    void update(TurnRow t) throws SQLException {
        List<@Nullable Object> arguments = moving(t);
        byte[] hash = hash(t.input());
        boolean withInput = t.input().length <= PostgresLimits.MAX_INLINE_INPUT_BYTES || !hasInput(t, hash);
        if (withInput) {
            arguments.addAll(List.of((long) t.input().length, hash, PieceTable.beginning(t.input())));
        }
        arguments.addAll(List.of(shard, t.sessionKey(), t.id()));
        pipeline.later(withInput ? UPDATE_WITH_INPUT : UPDATE, arguments.toArray());
        if (withInput) {
            pieces.replaceRest(t.sessionKey(), PieceTable.ofTurn(t.id()), t.input());
        }
    }

    private static List<@Nullable Object> moving(TurnRow t) {
        List<@Nullable Object> arguments = new ArrayList<>();
        Collections.addAll(
                arguments,
                live(t),
                t.state().code(),
                t.agent(),
                t.fingerprint(),
                t.userMessageId(),
                t.messageId(),
                t.streamKey(),
                t.streamName(),
                t.parentTurn(),
                t.epoch(),
                t.attempts(),
                t.progress(),
                t.stopRequested(),
                t.error(),
                t.createdAt(),
                t.progressAt(),
                t.endedAt(),
                t.kind().code(),
                t.startsAt(),
                t.slot());
        return arguments;
    }

    private boolean hasInput(TurnRow t, byte[] hash) throws SQLException {
        return pipeline.number(SAME_INPUT, shard, t.sessionKey(), t.id(), (long) t.input().length, hash) == 1;
    }

    Optional<TurnRow> byId(long sessionKey, String id) throws SQLException {
        Optional<Stored> stored = pipeline.first(TurnTable::stored, BY_ID, shard, sessionKey, id);
        return stored.isEmpty() ? Optional.empty() : Optional.of(whole(stored.get()));
    }

    List<TurnRow> live(long sessionKey) throws SQLException {
        return whole(pipeline.list(TurnTable::stored, LIVE_IN_SESSION, shard, sessionKey));
    }

    List<TurnRow> live(long afterSessionKey, String afterId, int limit) throws SQLException {
        return whole(pipeline.list(TurnTable::stored, LIVE, shard, afterSessionKey, afterId, limit));
    }

    List<TurnRow> list(long sessionKey, long beforeCreatedAt, String beforeId, int limit) throws SQLException {
        return whole(pipeline.list(TurnTable::stored, LIST, shard, sessionKey, beforeCreatedAt, beforeId, limit));
    }

    int purge(long sessionKey, int limit) throws SQLException {
        return Math.toIntExact(pipeline.number(
                PURGE,
                shard,
                sessionKey,
                shard,
                sessionKey,
                limit,
                (long) PostgresLimits.MAX_PIECE_BYTES,
                shard,
                sessionKey));
    }

    private List<TurnRow> whole(List<Stored> stored) throws SQLException {
        List<TurnRow> rows = new ArrayList<>(stored.size());
        for (Stored turn : stored) {
            rows.add(whole(turn));
        }
        return rows;
    }

    private TurnRow whole(Stored stored) throws SQLException {
        TurnRow t = stored.row();
        String whose = "turn \"" + t.id() + "\" of session key " + t.sessionKey();
        byte[] input = pieces.whole(t.input(), stored.inputBytes(), t.sessionKey(), PieceTable.ofTurn(t.id()), whose);
        if (!Arrays.equals(hash(input), stored.inputHash())) {
            throw PieceTable.changed(whose);
        }
        return t.withInput(input);
    }

    private static byte[] hash(byte[] input) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(input);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    private static boolean live(TurnRow turn) {
        return !turn.state().isOutcome();
    }

    private static Stored stored(ResultSet row) throws SQLException {
        TurnRow turn = new TurnRow(
                row.getLong(1),
                Pipeline.text(row, 2),
                TurnRow.State.of(row.getInt(3)),
                Pipeline.text(row, 4),
                Pipeline.blob(row, 5),
                Pipeline.blob(row, 24),
                row.getString(6),
                Pipeline.text(row, 7),
                row.getLong(8),
                row.getString(9),
                row.getString(10),
                row.getLong(11),
                row.getInt(12),
                row.getLong(13),
                row.getBoolean(14),
                row.getString(15),
                row.getLong(16),
                row.getLong(17),
                row.getLong(18),
                TurnRow.Kind.of(row.getInt(19)),
                row.getLong(20),
                row.getLong(21));
        return new Stored(turn, row.getLong(22), Pipeline.blob(row, 23));
    }
}
