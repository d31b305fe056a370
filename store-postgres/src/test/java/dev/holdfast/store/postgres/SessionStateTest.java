package dev.holdfast.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.store.Store;
import dev.holdfast.store.StoreTransaction;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** What a store leaves behind on a connection: nothing, so that a pooler may give it to anybody after each transaction. */
final class SessionStateTest {

    private static final String STATE = """
            SELECT name, setting FROM pg_settings WHERE name NOT IN ('transaction_isolation', 'transaction_read_only')
            UNION ALL SELECT 'locks', count(*)::text FROM pg_locks WHERE pid = pg_backend_pid() AND locktype IN ('advisory', 'transactionid')
            UNION ALL SELECT 'channels', count(*)::text FROM pg_listening_channels()
            UNION ALL SELECT 'temporary tables', count(*)::text FROM pg_class WHERE relpersistence = 't'""";

    private static Map<String, String> state(Connection connection) throws SQLException {
        Map<String, String> state = new TreeMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(STATE)) {
            while (rows.next()) {
                state.put(rows.getString(1), String.valueOf(rows.getString(2)));
            }
        }
        return state;
    }

    @Test
    void the_sessions_are_as_new_after_reads_writes_refusals_and_a_lost_lease() throws Exception {
        PostgresServer server = PostgresServer.shared();
        PostgresSettings settings = server.settings();
        PGSimpleDataSource driver = new PGSimpleDataSource();
        driver.setUrl(server.jdbcUrl());
        driver.setUser("postgres");
        HikariConfig config = new HikariConfig();
        config.setDataSource(driver);
        config.setMaximumPoolSize(4);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            Map<String, String> fresh;
            try (Connection connection = driver.getConnection()) {
                fresh = state(connection);
            }
            try (PostgresDatabase database = PostgresDatabase.open(
                    PostgresSettings.of(pool).withSchema(settings.schema()).withShards(4))) {
                use(database);
            }
            List<Connection> all = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                all.add(pool.getConnection());
            }
            for (Connection connection : all) {
                assertThat(connection.getAutoCommit()).isTrue();
                assertThat(state(connection)).isEqualTo(fresh);
                connection.close();
            }
        }
    }

    private static void use(PostgresDatabase database) {
        try (Store store = database.store(0, database.claim(0))) {
            store.recover(new Rows.Log());
            StoreTransaction tx = store.begin();
            tx.append(Rows.append(1, 0, "x"));
            tx.insertSession(Rows.session(1, "a", 1));
            Connection lent = tx.unwrap(Connection.class).orElseThrow();
            assertThat(lent).isNotNull();
            tx.commit();
            StoreTransaction doomed = store.begin();
            doomed.insertSession(Rows.session(1, "a", 1));
            assertThat(refused(doomed::commit)).isTrue();
            doomed.rollback();
            assertThat(store.<Boolean>read(reads -> reads.session(1).isPresent()))
                    .isTrue();
            long unused = database.claim(0);
            StoreTransaction late = store.begin();
            late.append(Rows.append(1, 1, "y"));
            assertThat(refused(late::commit)).isTrue();
        }
    }

    private static boolean refused(Runnable work) {
        try {
            work.run();
            return false;
        } catch (RuntimeException e) {
            return true;
        }
    }
}
