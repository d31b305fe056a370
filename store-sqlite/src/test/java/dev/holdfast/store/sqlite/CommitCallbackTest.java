package dev.holdfast.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.StoreFailed;
import dev.holdfast.store.StoreTransaction;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The connection that a commit callback of the application gets: its writes share the transaction, which stays the store's. */
final class CommitCallbackTest {

    @TempDir
    Path folder;

    private OpenStore store;

    @BeforeEach
    void open() throws SQLException {
        store = new OpenStore(folder, Rows.settings(2 << 20, Duration.ofSeconds(5)));
        Sql.run(folder, "CREATE TABLE mine (id INTEGER PRIMARY KEY, a TEXT)");
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static Connection connection(StoreTransaction tx) {
        return tx.unwrap(Connection.class).orElseThrow();
    }

    private static void insert(StoreTransaction tx, String text) throws SQLException {
        try (PreparedStatement insert = connection(tx).prepareStatement("INSERT INTO mine (a) VALUES (?)")) {
            insert.setString(1, text);
            assertThat(insert.executeUpdate()).isEqualTo(1);
        }
    }

    private long mine() throws SQLException {
        return Sql.number(folder, "SELECT count(*) FROM mine");
    }

    @Test
    void what_the_callback_writes_commits_and_rolls_back_with_the_store() throws Exception {
        StoreTransaction kept = store.begin();
        kept.append(Rows.append(1, 0, "x"));
        kept.insertSession(Rows.session(1, "a", 1));
        insert(kept, "kept");
        kept.insertSession(Rows.session(2, "b", 1));
        insert(kept, "kept too");
        assertThat(kept.commit().position()).isEqualTo(1);

        StoreTransaction dropped = store.begin();
        dropped.insertSession(Rows.session(3, "c", 1));
        insert(dropped, "dropped");
        dropped.rollback();

        assertThat(mine()).isEqualTo(2);
        store.check(reads -> {
            assertThat(reads.session(2)).isPresent();
            assertThat(reads.session(3)).isEmpty();
        });
    }

    @Test
    void the_callback_sees_what_the_store_wrote_and_gets_its_generated_keys() throws Exception {
        StoreTransaction tx = store.begin();
        tx.insertSession(Rows.session(1, "a", 1));
        try (Statement statement = connection(tx).createStatement()) {
            try (ResultSet result = statement.executeQuery("SELECT count(*) FROM holdfast_sessions")) {
                assertThat(result.getLong(1)).isEqualTo(1);
            }
            statement.executeUpdate("INSERT INTO mine (a) VALUES ('x')");
            try (ResultSet keys = statement.getGeneratedKeys()) {
                assertThat(keys.getLong(1)).isEqualTo(1);
            }
            assertThat(statement.getConnection()).isSameAs(connection(tx)).isEqualTo(connection(tx));
        }
        tx.commit();
        assertThat(tx.unwrap(String.class)).isEmpty();
    }

    private static void assertRefused(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("not the commit callback's to call");
    }

    @Test
    void the_callback_cannot_end_the_transaction_through_jdbc() throws Exception {
        StoreTransaction tx = store.begin();
        Connection connection = connection(tx);
        assertRefused(connection::commit);
        assertRefused(connection::rollback);
        assertRefused(connection::close);
        assertRefused(() -> connection.setAutoCommit(true));
        assertRefused(() -> connection.abort(Runnable::run));
        assertRefused(connection::setSavepoint);
        assertRefused(() -> connection.unwrap(Connection.class));
        assertThat(connection.getAutoCommit()).isFalse();
        assertThat(connection.isClosed()).isFalse();
        insert(tx, "still here");
        tx.commit();
        assertThat(mine()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "COMMIT",
                " commit;",
                "/* x */ END",
                "-- y\nROLLBACK",
                "BEGIN",
                "UPDATE mine SET a = ';'; COMMIT",
                "SELECT ';--' FROM mine;rollback transaction",
                "VACUUM",
                "ATTACH 'x' AS y",
            })
    void the_callback_cannot_end_the_transaction_through_sql(String sql) throws Exception {
        StoreTransaction tx = store.begin();
        try (Statement statement = connection(tx).createStatement()) {
            assertRefused(() -> statement.execute(sql));
            assertRefused(() -> statement.executeUpdate(sql));
            assertRefused(() -> statement.addBatch(sql));
            assertRefused(() -> connection(tx).prepareStatement(sql));
        }
        tx.commit();
    }

    @Test
    void savepoints_of_the_callbacks_own_are_allowed() throws Exception {
        StoreTransaction tx = store.begin();
        try (Statement statement = connection(tx).createStatement()) {
            statement.execute("SAVEPOINT s");
            statement.execute("INSERT INTO mine (a) VALUES ('x')");
            statement.execute("ROLLBACK TO s");
            statement.execute("RELEASE s");
            statement.execute("INSERT INTO mine (a) VALUES ('end; commit')");
        }
        tx.commit();
        assertThat(mine()).isEqualTo(1);
    }

    @Test
    void after_the_callback_its_connection_and_statements_are_of_no_use() throws Exception {
        StoreTransaction tx = store.begin();
        Connection connection = connection(tx);
        Statement statement = connection.createStatement();
        ResultSet open = statement.executeQuery("SELECT * FROM holdfast_meta");
        assertThat(open.next()).isTrue();
        tx.insertSession(Rows.session(1, "a", 1));
        tx.commit();
        assertThat(connection.isClosed()).isTrue();
        assertThatThrownBy(() -> connection.createStatement()).hasMessageContaining("callback is over");
        assertThatThrownBy(() -> statement.executeQuery("SELECT 1")).hasMessageContaining("callback is over");
        store.commit(t -> t.insertSession(Rows.session(2, "b", 1)));
    }

    @Test
    void a_transaction_lost_inside_a_callback_that_kept_silent_is_not_taken_for_committed() throws Exception {
        StoreTransaction tx = store.begin();
        tx.append(Rows.append(1, 0, "x"));
        tx.insertSession(Rows.session(1, "a", 1));
        try (Statement statement = connection(tx).createStatement()) {
            assertThatThrownBy(() -> statement.execute("INSERT INTO mine (a) VALUES (zeroblob(9000000))"))
                    .isInstanceOf(SQLException.class);
        }
        assertThatThrownBy(tx::commit)
                .isInstanceOf(StoreFailed.class)
                .hasMessageContaining("inside the commit callback");
        tx.rollback();
        store.snapshot(reads -> assertThat(reads.session(1)).isEmpty());
        assertThat(store.reopen().positions).isEmpty();
    }
}
