package dev.holdfast.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.StoreBusy;
import dev.holdfast.error.HoldfastException.StoreFailed;
import dev.holdfast.error.HoldfastException.StoreTooNew;
import dev.holdfast.store.Store;
import dev.holdfast.store.StoreTransaction;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Opening a database: what is made, what is left alone, and what is refused with which words. */
final class OpeningTest {

    private final PostgresServer server = PostgresServer.shared();
    private final PostgresSettings settings = server.settings();

    private static void use(PostgresSettings settings) {
        try (PostgresDatabase database = PostgresDatabase.open(settings);
                Store store = database.store(3, database.claim(3))) {
            store.recover(new Rows.Log());
            StoreTransaction tx = store.begin();
            tx.append(Rows.append(1, 0, "x"));
            tx.insertSession(Rows.session(1, "a", 1));
            tx.commit();
            assertThat(store.<Boolean>read(reads -> reads.session(1).isPresent()))
                    .isTrue();
        }
    }

    @Test
    void a_schema_that_is_there_and_holds_tables_of_the_application_is_shared_and_left_alone() throws Exception {
        String schema = settings.schema();
        server.run(
                "CREATE SCHEMA " + schema,
                "CREATE TABLE " + schema + ".messages (mine int)",
                "INSERT INTO " + schema + ".messages VALUES (7)",
                "CREATE TABLE " + schema + ".flyway_schema_history (mine int)");

        use(settings);

        assertThat(server.number("SELECT mine FROM " + schema + ".messages")).isEqualTo(7);
        assertThat(server.number("SELECT count(*) FROM " + schema + ".flyway_schema_history"))
                .isZero();
    }

    @RepeatedTest(4)
    void nodes_that_open_at_once_do_not_collide() throws Exception {
        List<Callable<Integer>> openers = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            openers.add(() -> {
                try (PostgresDatabase database = PostgresDatabase.open(settings)) {
                    return database.shards();
                }
            });
        }
        try (ExecutorService threads = Executors.newFixedThreadPool(openers.size())) {
            for (Future<Integer> opened : threads.invokeAll(openers)) {
                assertThat(opened.get()).isEqualTo(4);
            }
        }
        use(settings);
    }

    @Test
    void a_data_source_of_the_applications_is_used_as_it_is() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(server.jdbcUrl());
        source.setUser("postgres");
        use(PostgresSettings.of(source).withSchema(settings.schema()).withShards(4));
    }

    @Test
    void another_number_of_shards_is_refused() {
        PostgresDatabase.open(settings).close();
        assertThatThrownBy(() -> PostgresDatabase.open(settings.withShards(8)))
                .isInstanceOf(StoreFailed.class)
                .hasMessageContaining("was divided into 4 shards")
                .hasMessageContaining("Set it to 4");
    }

    @Test
    void tables_of_a_newer_version_are_refused_and_left_alone() throws Exception {
        PostgresDatabase.open(settings).close();
        server.run("INSERT INTO " + settings.schema() + ".holdfast_schema_history "
                + "(installed_rank, version, description, type, script, installed_by, execution_time, success) "
                + "VALUES (99, '99', 'later', 'SQL', 'V99__later.sql', 'x', 1, true)");
        assertThatThrownBy(() -> PostgresDatabase.open(settings))
                .isInstanceOf(StoreTooNew.class)
                .hasMessageContaining("version 99");
    }

    @Test
    void a_wrong_database_is_told() {
        PostgresSettings wrong = server.settings(server.jdbcUrl().replace("/postgres", "/nothing"));
        assertThatThrownBy(() -> PostgresDatabase.open(wrong))
                .isInstanceOf(StoreFailed.class)
                .hasMessageContaining("There is no such database")
                .hasMessageContaining("/nothing");
    }

    @Test
    void a_wrong_user_is_told_and_the_password_is_not() throws Exception {
        server.run("CREATE ROLE " + settings.schema() + " LOGIN PASSWORD 'right'");
        assertThatThrownBy(() -> PostgresDatabase.open(settings.withUser("nobody_" + settings.schema(), "sesame")))
                .isInstanceOf(StoreFailed.class)
                .hasMessageContaining("refused the user or the password")
                .hasMessageNotContaining("sesame");
    }

    @Test
    void a_role_that_may_not_make_a_schema_is_told_what_it_needs_and_works_in_one_that_is_given_to_it()
            throws Exception {
        String role = settings.schema();
        server.run("CREATE ROLE " + role + " LOGIN");
        PostgresSettings poor = settings.withUser(role, "");
        assertThatThrownBy(() -> PostgresDatabase.open(poor))
                .isInstanceOf(StoreFailed.class)
                .hasMessageContaining("Give it a schema \"" + role + "\" of its own");
        server.run("CREATE SCHEMA " + role + " AUTHORIZATION " + role);
        use(poor);
    }

    @Test
    void a_server_that_cannot_be_reached_is_told() throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        assertThatThrownBy(() -> PostgresDatabase.open(server.settings(PostgresServer.jdbcUrl(port))))
                .isInstanceOf(StoreBusy.class)
                .hasMessageContaining("cannot be reached")
                .hasMessageContaining(Integer.toString(port));
    }

    @Test
    void a_role_whose_commits_are_acknowledged_before_they_are_on_disk_is_refused_VISIBLE_IS_DURABLE()
            throws Exception {
        String role = settings.schema();
        server.run("CREATE ROLE " + role + " LOGIN SUPERUSER", "ALTER ROLE " + role + " SET synchronous_commit = off");
        assertThatThrownBy(() -> PostgresDatabase.open(settings.withUser(role, "")))
                .isInstanceOf(StoreFailed.class)
                .hasMessageContaining("synchronous_commit");
    }

    @Test
    void settings_never_print_a_password() {
        PostgresSettings secret = PostgresSettings.of("jdbc:postgresql://host/db?user=u&password=sesame")
                .withUser("u", "sesame");
        assertThat(secret.toString()).doesNotContain("sesame").contains("jdbc:postgresql://host/db");
        assertThat(secret.place()).doesNotContain("sesame");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Upper", "a-b", "a\"b", "pg_x", "1a"})
    void a_schema_that_would_need_quotes_is_refused(String name) {
        assertThatThrownBy(() -> settings.withSchema(name)).isInstanceOf(InvalidArgument.class);
    }

    @Test
    void settings_out_of_range_are_refused() {
        assertThatThrownBy(() -> PostgresSettings.of("jdbc:mysql://host/db"))
                .isInstanceOf(InvalidArgument.class)
                .hasMessageContaining("jdbc:postgresql:");
        assertThatThrownBy(() -> settings.withShards(0)).isInstanceOf(InvalidArgument.class);
        assertThatThrownBy(() -> settings.withPools(0, 1)).isInstanceOf(InvalidArgument.class);
        assertThatThrownBy(() -> settings.withConnectTimeout(Duration.ZERO)).isInstanceOf(InvalidArgument.class);
        assertThatCode(() -> settings.withShards(1)).doesNotThrowAnyException();
    }

    @Test
    void a_shard_that_is_not_there_is_refused() {
        try (PostgresDatabase database = PostgresDatabase.open(settings)) {
            assertThatThrownBy(() -> database.store(4, 1))
                    .isInstanceOf(InvalidArgument.class)
                    .hasMessageContaining("0 to 3");
            assertThatThrownBy(() -> database.follower(-1)).isInstanceOf(InvalidArgument.class);
        }
    }
}
