package dev.holdfast.bench.floor;

import dev.holdfast.store.Varint;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/**
 * The first floor: one row for each group commit, in the order of commits. The row holds, for each append, the number of its stream, its
 * length and its bytes, and nothing else: no checksum, no epoch, no sequence number. One auto-committed INSERT is the whole transaction.
 */
final class RowPerCommit implements Layout {

    private final PreparedStatement insert;
    private long position;

    RowPerCommit(Connection connection) throws SQLException {
        Layout.create(connection, "CREATE TABLE log (id INTEGER PRIMARY KEY, data BLOB NOT NULL)");
        this.insert = connection.prepareStatement("INSERT INTO log (id, data) VALUES (?, ?)");
    }

    @Override
    public int commit(List<Floor.Ticket> batch) throws SQLException {
        int size = 0;
        for (Floor.Ticket ticket : batch) {
            size += Varint.sizeOf(ticket.stream) + Varint.sizeOf(ticket.payload.length) + ticket.payload.length;
        }
        byte[] row = new byte[size];
        int at = 0;
        for (Floor.Ticket ticket : batch) {
            at = Varint.put(row, at, ticket.stream);
            at = Varint.put(row, at, ticket.payload.length);
            System.arraycopy(ticket.payload, 0, row, at, ticket.payload.length);
            at += ticket.payload.length;
        }
        insert.setLong(1, ++position);
        insert.setBytes(2, row);
        Layout.run(insert);
        return 1;
    }

    @Override
    public void close() throws SQLException {
        insert.close();
    }
}
