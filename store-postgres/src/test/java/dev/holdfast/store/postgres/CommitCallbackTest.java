package dev.holdfast.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.StoreFailed;
import dev.holdfast.store.StoreTransaction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The connection that a commit callback of the application gets: its writes share the transaction, which stays the store's. */
final class CommitCallbackTest {

    private final Shard shard = new Shard();
    private final String mine = shard.settings.schema() + ".mine";

    @BeforeEach
    void makeTable() throws SQLException {
        shard.server.run(
                "CREATE TABLE " + mine + " (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, a text UNIQUE)");
    }

    @AfterEach
    void close() {
        shard.close();
    }

    private static Connection connection(StoreTransaction tx) {
        return tx.unwrap(Connection.class).orElseThrow();
    }

    private void insert(StoreTransaction tx, String text) throws SQLException {
        try (PreparedStatement insert = connection(tx).prepareStatement("INSERT INTO " + mine + " (a) VALUES (?)")) {
            insert.setString(1, text);
            assertThat(insert.executeUpdate()).isEqualTo(1);
        }
    }

    private long mine() throws SQLException {
        return shard.server.number("SELECT count(*) FROM " + mine);
    }

    private static void assertRefused(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("not the commit callback's to call");
    }

    @Test
    void what_the_callback_writes_commits_and_rolls_back_with_the_store() throws Exception {
        StoreTransaction kept = shard.begin();
        kept.append(Rows.append(1, 0, "x"));
        kept.insertSession(Rows.session(1, "a", 1));
        insert(kept, "kept");
        kept.insertSession(Rows.session(2, "b", 1));
        insert(kept, "kept too");
        assertThat(kept.commit().position()).isEqualTo(1);

        StoreTransaction dropped = shard.begin();
        dropped.insertSession(Rows.session(3, "c", 1));
        insert(dropped, "dropped");
        dropped.rollback();

        assertThat(mine()).isEqualTo(2);
        assertThat(shard.sees(reads -> reads.session(2).isPresent())).isTrue();
        assertThat(shard.sees(reads -> reads.session(3).isPresent())).isFalse();
    }

    @Test
    void a_transaction_of_which_the_callback_wrote_all_is_committed() throws Exception {
        StoreTransaction tx = shard.begin();
        insert(tx, "alone");
        tx.commit();
        assertThat(mine()).isEqualTo(1);
    }

    @Test
    void the_callback_sees_what_the_store_wrote_and_gets_its_generated_keys() throws Exception {
        StoreTransaction tx = shard.begin();
        tx.insertSession(Rows.session(1, "a", 1));
        try (Statement statement = connection(tx).createStatement()) {
            try (ResultSet result =
                    statement.executeQuery("SELECT count(*) FROM " + shard.settings.schema() + ".holdfast_sessions")) {
                assertThat(result.next()).isTrue();
                assertThat(result.getLong(1)).isEqualTo(1);
            }
            statement.executeUpdate("INSERT INTO " + mine + " (a) VALUES ('x')", Statement.RETURN_GENERATED_KEYS);
            try (ResultSet keys = statement.getGeneratedKeys()) {
                assertThat(keys.next()).isTrue();
                assertThat(keys.getLong(1)).isEqualTo(1);
            }
            assertThat(statement.getConnection()).isSameAs(connection(tx)).isEqualTo(connection(tx));
        }
        tx.commit();
        assertThat(tx.unwrap(String.class)).isEmpty();
    }

    @Test
    void the_callback_cannot_end_the_transaction_through_jdbc() throws Exception {
        StoreTransaction tx = shard.begin();
        Connection connection = connection(tx);
        assertRefused(connection::commit);
        assertRefused(connection::rollback);
        assertRefused(connection::close);
        assertRefused(() -> connection.setAutoCommit(true));
        assertRefused(() -> connection.abort(Runnable::run));
        assertRefused(connection::setSavepoint);
        assertRefused(() -> connection.setSchema("public"));
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
                "/* x /* y */ z */ END",
                "-- y\nROLLBACK",
                "BEGIN",
                "START TRANSACTION",
                "ABORT",
                "SELECT ';'; COMMIT",
                "SELECT E'\\';--'; rollback",
                "SELECT $x$;$x$; COMMIT",
                "SELECT ';--';rollback transaction",
                "VACUUM",
                "PREPARE TRANSACTION 'x'",
                "SET search_path TO public",
                "SET SESSION lock_timeout = 1",
                "RESET ALL",
                "DISCARD ALL",
                "LISTEN x",
            })
    void the_callback_cannot_end_the_transaction_or_change_the_session_through_sql(String sql) throws Exception {
        StoreTransaction tx = shard.begin();
        try (Statement statement = connection(tx).createStatement()) {
            assertRefused(() -> statement.execute(sql));
            assertRefused(() -> statement.executeUpdate(sql));
            assertRefused(() -> statement.addBatch(sql));
            assertRefused(() -> connection(tx).prepareStatement(sql));
        }
        tx.commit();
    }

    @Test
    void savepoints_and_local_settings_of_the_callbacks_own_are_allowed() throws Exception {
        StoreTransaction tx = shard.begin();
        try (Statement statement = connection(tx).createStatement()) {
            statement.execute("SET LOCAL work_mem = '8MB'");
            statement.execute("SET CONSTRAINTS ALL IMMEDIATE");
            statement.execute("SAVEPOINT s");
            statement.execute("INSERT INTO " + mine + " (a) VALUES ('x')");
            statement.execute("ROLLBACK TO s");
            statement.execute("RELEASE s");
            statement.execute("INSERT INTO " + mine + " (a) VALUES ('end; commit')");
        }
        tx.commit();
        assertThat(mine()).isEqualTo(1);
    }

    @Test
    void after_the_callback_its_connection_and_statements_are_of_no_use() throws Exception {
        StoreTransaction tx = shard.begin();
        Connection connection = connection(tx);
        Statement statement = connection.createStatement();
        tx.insertSession(Rows.session(1, "a", 1));
        tx.commit();
        assertThat(connection.isClosed()).isTrue();
        assertThatThrownBy(connection::createStatement).hasMessageContaining("callback is over");
        assertThatThrownBy(() -> statement.executeQuery("SELECT 1")).hasMessageContaining("callback is over");
        shard.commit(t -> t.insertSession(Rows.session(2, "b", 1)));
    }

    @Test
    void a_transaction_lost_inside_a_callback_that_kept_silent_is_not_taken_for_committed() throws Exception {
        StoreTransaction first = shard.begin();
        insert(first, "taken");
        first.commit();
        StoreTransaction tx = shard.begin();
        tx.append(Rows.append(1, 0, "x"));
        tx.insertSession(Rows.session(1, "a", 1));
        assertThatThrownBy(() -> insert(tx, "taken")).isInstanceOf(SQLException.class);

        assertThatThrownBy(tx::commit)
                .isInstanceOf(StoreFailed.class)
                .hasMessageContaining("inside the commit callback");
        tx.rollback();

        assertThat(shard.sees(reads -> reads.session(1).isPresent())).isFalse();
        assertThat(shard.reopen().positions).isEmpty();
    }

    @Test
    void a_constraint_that_the_application_deferred_to_the_commit_rolls_everything_back() throws Exception {
        shard.server.run(
                "ALTER TABLE " + mine + " ADD CONSTRAINT later UNIQUE (a) DEFERRABLE INITIALLY DEFERRED",
                "ALTER TABLE " + mine + " DROP CONSTRAINT mine_a_key");
        StoreTransaction tx = shard.begin();
        tx.append(Rows.append(1, 0, "x"));
        insert(tx, "twice");
        insert(tx, "twice");

        assertThatThrownBy(tx::commit).isInstanceOf(StoreFailed.class).hasMessageContaining("later");

        assertThat(mine()).isZero();
        shard.commit(t -> t.append(Rows.append(1, 0, "X")));
        assertThat(shard.reopen().texts()).containsExactly("1:X");
    }
}
