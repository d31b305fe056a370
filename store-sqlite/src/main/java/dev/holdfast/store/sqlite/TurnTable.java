package dev.holdfast.store.sqlite;

import dev.holdfast.store.TurnRow;
import dev.holdfast.store.sqlite.ContentTable.Place;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Turns, clustered by session. A turn's row is written several times in its life, its input once: the input lies in {@link ContentTable},
 * where no update of the row touches it.
 */
final class TurnTable {

    private static final String COLUMNS =
            "session, id, state, agent, fingerprint, user_message, message, stream, stream_name, parent, epoch, "
                    + "attempts, progress, stop_requested, error, created_at, progress_at, ended_at, input, input_bytes, input_checksum, "
                    + "kind, starts_at, slot";
    private static final String SELECT = "SELECT " + COLUMNS + " FROM holdfast_turns ";

    private static final String INSERT = "INSERT INTO holdfast_turns (" + COLUMNS + ", live) "
            + "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    private static final String UPDATE = """
            UPDATE holdfast_turns SET state = ?, agent = ?, fingerprint = ?, user_message = ?, message = ?, stream = ?, stream_name = ?,
              parent = ?, epoch = ?, attempts = ?, progress = ?, stop_requested = ?, error = ?, progress_at = ?, ended_at = ?,
              input = ?, input_bytes = ?, input_checksum = ?, kind = ?, starts_at = ?, slot = ?
            WHERE session = ? AND id = ?""";
    private static final String UPDATE_INDEXED =
            "UPDATE holdfast_turns SET created_at = ?, live = ? WHERE session = ? AND id = ?";
    private static final String DELETE = "DELETE FROM holdfast_turns WHERE session = ? AND id = ?";

    private static final String BY_ID = SELECT + "WHERE session = ? AND id = ?";
    private static final String LIVE_IN_SESSION = SELECT + "WHERE session = ? AND live = 1 ORDER BY created_at, id";
    private static final String LIVE =
            SELECT + "WHERE live = 1 AND (session, id) > (?, ?) ORDER BY session, id LIMIT ?";
    private static final String LIST = SELECT + """
            WHERE session = ? AND (created_at, id) < (?, ?) ORDER BY created_at DESC, id DESC LIMIT ?""";
    private static final String OF_SESSION =
            "SELECT id, input, input_bytes, input_checksum FROM holdfast_turns WHERE session = ? ORDER BY id LIMIT ?";

    private static final byte[] NOT_READ = {};

    private final Statements statements;
    private final ContentTable contents;

    TurnTable(Statements statements, ContentTable contents) {
        this.statements = statements;
        this.contents = contents;
    }

    /** A row as it is stored: the input's place instead of the input. */
    private record Stored(TurnRow row, Place input) {}

    private record Leftover(String id, Place input) {}

    void insert(TurnRow t) throws SQLException {
        Place input = contents.insert(t.input());
        statements.update(
                INSERT,
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
                input.id(),
                input.bytes(),
                input.checksum(),
                t.kind().code(),
                t.startsAt(),
                t.slot(),
                live(t));
    }

    void update(TurnRow t) throws SQLException {
        Stored before = statements
                .first(TurnTable::stored, BY_ID, t.sessionKey(), t.id())
                .orElseThrow(() -> new SQLException("there is no turn to update: " + t.sessionKey() + ", " + t.id()));
        Place input = before.input();
        if (!Arrays.equals(contents.read(input, whose(t)), t.input())) {
            input = contents.replace(input, t.input());
        }
        statements.updateOne(
                UPDATE,
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
                t.progressAt(),
                t.endedAt(),
                input.id(),
                input.bytes(),
                input.checksum(),
                t.kind().code(),
                t.startsAt(),
                t.slot(),
                t.sessionKey(),
                t.id());
        if (before.row().createdAt() != t.createdAt() || live(before.row()) != live(t)) {
            statements.updateOne(UPDATE_INDEXED, t.createdAt(), live(t), t.sessionKey(), t.id());
        }
    }

    Optional<TurnRow> byId(long sessionKey, String id) throws SQLException {
        Optional<Stored> stored = statements.first(TurnTable::stored, BY_ID, sessionKey, id);
        return stored.isEmpty() ? Optional.empty() : Optional.of(withInput(stored.get()));
    }

    List<TurnRow> live(long sessionKey) throws SQLException {
        return withInputs(statements.list(TurnTable::stored, LIVE_IN_SESSION, sessionKey));
    }

    List<TurnRow> live(long afterSessionKey, String afterId, int limit) throws SQLException {
        return withInputs(statements.list(TurnTable::stored, LIVE, afterSessionKey, afterId, limit));
    }

    List<TurnRow> list(long sessionKey, long beforeCreatedAt, String beforeId, int limit) throws SQLException {
        return withInputs(statements.list(TurnTable::stored, LIST, sessionKey, beforeCreatedAt, beforeId, limit));
    }

    int purge(long sessionKey, int limit) throws SQLException {
        List<Leftover> leftovers = statements.list(
                row -> new Leftover(Statements.text(row, 1), new Place(row.getLong(2), row.getLong(3), row.getLong(4))),
                OF_SESSION,
                sessionKey,
                limit);
        for (Leftover leftover : leftovers) {
            contents.delete(leftover.input());
            statements.update(DELETE, sessionKey, leftover.id());
        }
        return leftovers.size();
    }

    private List<TurnRow> withInputs(List<Stored> stored) throws SQLException {
        List<TurnRow> rows = new ArrayList<>(stored.size());
        for (Stored turn : stored) {
            rows.add(withInput(turn));
        }
        return rows;
    }

    private TurnRow withInput(Stored stored) throws SQLException {
        TurnRow t = stored.row();
        return t.withInput(contents.read(stored.input(), whose(t)));
    }

    private static String whose(TurnRow turn) {
        return "turn \"" + turn.id() + "\" of session key " + turn.sessionKey();
    }

    private static int live(TurnRow turn) {
        return turn.state().isOutcome() ? 0 : 1;
    }

    private static Stored stored(ResultSet row) throws SQLException {
        TurnRow turn = new TurnRow(
                row.getLong(1),
                Statements.text(row, 2),
                TurnRow.State.of(row.getInt(3)),
                Statements.text(row, 4),
                Statements.blob(row, 5),
                NOT_READ,
                row.getString(6),
                Statements.text(row, 7),
                row.getLong(8),
                row.getString(9),
                row.getString(10),
                row.getLong(11),
                row.getInt(12),
                row.getLong(13),
                row.getInt(14) != 0,
                row.getString(15),
                row.getLong(16),
                row.getLong(17),
                row.getLong(18),
                TurnRow.Kind.of(row.getInt(22)),
                row.getLong(23),
                row.getLong(24));
        return new Stored(turn, new Place(row.getLong(19), row.getLong(20), row.getLong(21)));
    }
}
