package dev.holdfast.bench.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the server counted of the rows of one table since it was made. */
record DeadRows(
        String table,
        long inserted,
        long updated,
        long updatedInPlace,
        long deleted,
        long dead,
        long vacuums,
        long bytes) {

    /** Every table of a schema in which something was written, the one with the most dead rows first. */
    static List<DeadRows> of(Database database, String schema) throws SQLException {
        List<DeadRows> found = new ArrayList<>();
        try (Connection connection = database.connect();
                PreparedStatement query = connection.prepareStatement(
                        "SELECT relname, n_tup_ins, n_tup_upd, n_tup_hot_upd, n_tup_del, n_dead_tup, autovacuum_count,"
                                + " pg_total_relation_size(relid) FROM pg_stat_user_tables WHERE schemaname = ?"
                                + " AND n_tup_ins + n_tup_upd + n_tup_del > 0 ORDER BY n_dead_tup DESC, relname")) {
            query.setString(1, schema);
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    found.add(new DeadRows(
                            rows.getString(1),
                            rows.getLong(2),
                            rows.getLong(3),
                            rows.getLong(4),
                            rows.getLong(5),
                            rows.getLong(6),
                            rows.getLong(7),
                            rows.getLong(8)));
                }
            }
        }
        return found;
    }

    Map<String, Object> asMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("table", table);
        map.put("inserted", inserted);
        map.put("updated", updated);
        map.put("updatedInPlace", updatedInPlace);
        map.put("deleted", deleted);
        map.put("dead", dead);
        map.put("vacuums", vacuums);
        map.put("bytes", bytes);
        return map;
    }
}
