package dev.holdfast.bench.floor;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The second floor: the table that comes to mind first, one row for each append, keyed by stream and sequence number. All appends of a
 * group commit share its transaction; the table is clustered by its key, which is the cheaper of the two ways to have such a key.
 */
final class RowPerAppend implements Layout {

    private final PreparedStatement begin;
    private final PreparedStatement insert;
    private final PreparedStatement commit;
    private final Map<Integer, Long> tails = new HashMap<>();

    RowPerAppend(Connection connection) throws SQLException {
        Layout.create(
                connection,
                "CREATE TABLE log (stream INTEGER, seq INTEGER, data BLOB NOT NULL, PRIMARY KEY (stream, seq)) WITHOUT ROWID");
        this.begin = connection.prepareStatement("BEGIN IMMEDIATE");
        this.insert = connection.prepareStatement("INSERT INTO log (stream, seq, data) VALUES (?, ?, ?)");
        this.commit = connection.prepareStatement("COMMIT");
    }

    @Override
    public int commit(List<Floor.Ticket> batch) throws SQLException {
        Layout.run(begin);
        for (Floor.Ticket ticket : batch) {
            insert.setLong(1, ticket.stream);
            insert.setLong(2, tails.merge(ticket.stream, 1L, Long::sum));
            insert.setBytes(3, ticket.payload);
            Layout.run(insert);
        }
        Layout.run(commit);
        return batch.size();
    }

    @Override
    public void close() throws SQLException {
        begin.close();
        insert.close();
        commit.close();
    }
}
