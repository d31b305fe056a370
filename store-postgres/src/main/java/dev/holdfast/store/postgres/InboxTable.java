package dev.holdfast.store.postgres;

import dev.holdfast.cluster.Coordination.Letter;
import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.LimitExceeded;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The nodes' inboxes. Every operation is one statement, and no commit of theirs waits for a disk, as the table is not logged.
 *
 * <p>A letter's place is a number drawn when it is written. Two letters that a sender sends one after the other have places in that order, and
 * the second is never visible without the first.
 */
final class InboxTable {

    /**
     * Letters to nodes that are gone would never be taken, and are not written. The places are drawn in the order of the letters.
     * A letter that is sent again, as the first answer was lost, is not doubled as long as it lies there.
     */
    private static final String SEND = """
            INSERT INTO @inbox (node, sender, id, body)
            SELECT l.node, l.sender, l.id, l.body
            FROM unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::bytea[]) WITH ORDINALITY AS l(node, sender, id, body, place)
            WHERE EXISTS (SELECT 1 FROM @nodes n WHERE n.id = l.node)
            ORDER BY l.place
            ON CONFLICT DO NOTHING""";

    /**
     * The oldest, as many as fit, locked first: one that is being taken or taken back at the moment is passed over. The array is made
     * once, where a subquery with a limit might be run again for each row.
     */
    private static final String TAKE = """
            WITH oldest AS MATERIALIZED (
              SELECT arrival, octet_length(body)::bigint AS bytes FROM @inbox
              WHERE node = ? ORDER BY arrival LIMIT ? FOR UPDATE SKIP LOCKED),
            fitting AS (
              SELECT arrival FROM (SELECT arrival, bytes, sum(bytes) OVER (ORDER BY arrival) AS total FROM oldest) o
              WHERE total <= ? OR total = bytes)
            DELETE FROM @inbox WHERE node = ? AND arrival = ANY (ARRAY(SELECT arrival FROM fitting))
            RETURNING arrival, id, sender, body""";

    private static final String SWEEP = """
            DELETE FROM @inbox i USING (
              SELECT o.node, o.arrival FROM @inbox o
              WHERE NOT EXISTS (SELECT 1 FROM @nodes n WHERE n.id = o.node) LIMIT ?) gone
            WHERE i.node = gone.node AND i.arrival = gone.arrival""";

    private static final byte[] EMPTY = {};

    private final SharedConnections connections;

    InboxTable(SharedConnections connections) {
        this.connections = connections;
    }

    void send(List<Letter> letters) {
        check(letters);
        connections.run(connection -> {
            try (PreparedStatement insert = connections.prepare(connection, SEND)) {
                insert.setArray(1, connection.createArrayOf("bigint", numbers(letters, Column.TO)));
                insert.setArray(2, connection.createArrayOf("bigint", numbers(letters, Column.FROM)));
                insert.setArray(3, connection.createArrayOf("bigint", numbers(letters, Column.ID)));
                insert.setArray(
                        4,
                        connection.createArrayOf(
                                "bytea", letters.stream().map(Letter::body).toArray(byte[][]::new)));
                return insert.executeUpdate();
            }
        });
    }

    List<Letter> take(long node, int limit) {
        if (limit < 1) {
            throw new InvalidArgument("At least one letter can be taken; got the limit " + limit + ".");
        }
        record Taken(long arrival, Letter letter) {}
        List<Taken> taken = connections.run(connection -> {
            try (PreparedStatement delete = connections.prepare(connection, TAKE)) {
                delete.setLong(1, node);
                delete.setInt(2, limit);
                delete.setLong(3, CoordinationLimits.MAX_TAKEN_BYTES);
                delete.setLong(4, node);
                List<Taken> rows = new ArrayList<>();
                try (ResultSet row = delete.executeQuery()) {
                    while (row.next()) {
                        byte[] body = row.getBytes(4);
                        rows.add(new Taken(
                                row.getLong(1),
                                new Letter(node, row.getLong(2), row.getLong(3), body == null ? EMPTY : body)));
                    }
                }
                return rows;
            }
        });
        // what a deletion returns has no order
        return taken.stream()
                .sorted(Comparator.comparingLong(Taken::arrival))
                .map(Taken::letter)
                .toList();
    }

    boolean retract(Letter letter) {
        return connections.run(connection -> {
            try (PreparedStatement delete =
                    connections.prepare(connection, "DELETE FROM @inbox WHERE node = ? AND sender = ? AND id = ?")) {
                delete.setLong(1, letter.to());
                delete.setLong(2, letter.from());
                delete.setLong(3, letter.id());
                return delete.executeUpdate() == 1;
            }
        });
    }

    /**
     * Deletes letters to nodes that are gone, at most {@link CoordinationLimits#MAX_SWEPT_LETTERS}.
     *
     * @return how many
     */
    int sweep() {
        return connections.run(connection -> {
            try (PreparedStatement delete = connections.prepare(connection, SWEEP)) {
                delete.setInt(1, CoordinationLimits.MAX_SWEPT_LETTERS);
                return delete.executeUpdate();
            }
        });
    }

    private enum Column {
        TO,
        FROM,
        ID
    }

    private static Long[] numbers(List<Letter> letters, Column column) {
        return letters.stream()
                .map(letter -> switch (column) {
                    case TO -> letter.to();
                    case FROM -> letter.from();
                    case ID -> letter.id();
                })
                .toArray(Long[]::new);
    }

    private static void check(List<Letter> letters) {
        long sum = 0;
        for (Letter letter : letters) {
            int bytes = letter.body().length;
            if (bytes > Letter.MAX_BODY_BYTES) {
                throw new LimitExceeded(
                        "MAX_BODY_BYTES", Letter.MAX_BODY_BYTES, bytes, "send less in one call to another node");
            }
            sum += bytes;
        }
        if (sum > CoordinationLimits.MAX_SENT_BYTES) {
            throw new LimitExceeded(
                    "MAX_SENT_BYTES", CoordinationLimits.MAX_SENT_BYTES, sum, "send fewer letters at once");
        }
    }
}
