package dev.holdfast.store.postgres;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.StoreBusy;
import dev.holdfast.error.HoldfastException.StoreFailed;
import dev.holdfast.error.HoldfastException.StoreTooNew;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationVersion;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at the server, and brings the schema to this version's tables.
 *
 * <p>Nodes that open at once take their turns: each holds a lock, which ends with a transaction that does nothing else, while it works on other
 * connections. Flyway's own lock would not do, as it is taken after the making of the table of its history, which two may not do at once.
 */
final class Migration {

    private static final Logger LOG = LoggerFactory.getLogger(Migration.class);

    private static final String HISTORY_TABLE = "holdfast_schema_history";
    private static final String LOCATION = "classpath:dev/holdfast/store/postgres/migration";

    private static final String LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('holdfast:' || ?, 0))";
    private static final String HAS_SCHEMA = "SELECT 1 FROM pg_namespace WHERE nspname = ?";
    private static final String STATE = """
            SELECT current_setting('server_encoding'), current_setting('synchronous_commit'), current_setting('fsync'),
              pg_is_in_recovery()""";
    private static final String SHARDS = "SELECT value FROM @meta WHERE name = 'shards'";
    private static final String NOTE_SHARDS = "INSERT INTO @meta (name, value) VALUES ('shards', ?)";
    private static final String PART = "SELECT value FROM @meta WHERE name = 'part'";
    private static final String PARTS = "SELECT value FROM @meta WHERE name = 'parts'";
    private static final String NOTE_PART = "INSERT INTO @meta (name, value) VALUES ('part', ?), ('parts', ?)";
    private static final String MAKE_SHARDS =
            "INSERT INTO @shards (shard, epoch, writer) SELECT s, 0, 0 FROM generate_series(0, ? - 1) s";
    private static final String MAKE_KEYS =
            "INSERT INTO @keys (shard, next) SELECT s, 1 FROM generate_series(0, ? - 1) s";
    private static final String MAKE_LOGS =
            "INSERT INTO @log (shard, released, known) SELECT s, 0, 0 FROM generate_series(0, ? - 1) s";

    private final PostgresSettings settings;
    private final SchemaName schema;
    private final DataSource source;

    Migration(PostgresSettings settings, SchemaName schema, DataSource source) {
        this.settings = settings;
        this.schema = schema;
        this.source = source;
    }

    /**
     * @throws StoreFailed if the server or its settings are not such that the store can keep its word, or refuse it
     * @throws StoreBusy if the server cannot be reached
     * @throws StoreTooNew if a newer version of Holdfast has changed the tables
     */
    void run() {
        try {
            try (Connection turn = source.getConnection()) {
                checkServer(turn);
                inTransaction(turn, () -> {
                    boolean unused = exists(turn, LOCK, schema.name());
                    inTurn();
                });
            }
        } catch (SQLException e) {
            throw refusal(e);
        } catch (FlywayException e) {
            throw e.getCause() instanceof SQLException cause
                    ? refusal(cause)
                    : new StoreFailed(
                            "The tables in %s could not be made: %s".formatted(settings.place(), e.getMessage()), e);
        }
    }

    private void inTurn() throws SQLException {
        try (Connection connection = source.getConnection()) {
            makeSchema(connection);
        }
        migrate();
        try (Connection connection = source.getConnection()) {
            inTransaction(connection, () -> makeShards(connection));
        }
    }

    private void checkServer(Connection connection) throws SQLException {
        int version = connection.getMetaData().getDatabaseMajorVersion();
        if (version < PostgresLimits.MIN_SERVER_VERSION) {
            throw failed("%s is PostgreSQL %d; version %d or newer is needed. Upgrade the server."
                    .formatted(settings.place(), version, PostgresLimits.MIN_SERVER_VERSION));
        }
        try (PreparedStatement statement = connection.prepareStatement(STATE);
                ResultSet row = statement.executeQuery()) {
            row.next();
            if (!"UTF8".equals(row.getString(1))) {
                throw failed("%s has the encoding %s. Create the database with the encoding UTF8."
                        .formatted(settings.place(), row.getString(1)));
            }
            if ("off".equals(row.getString(2))) {
                throw failed(
                        "%s acknowledges commits before they are on disk: synchronous_commit is off. Set it to on for the role: ALTER ROLE ... SET synchronous_commit = on."
                                .formatted(settings.place()));
            }
            if (row.getBoolean(4)) {
                throw failed("%s is a standby and takes no writes. Point the store at the primary."
                        .formatted(settings.place()));
            }
            if ("off".equals(row.getString(3))) {
                LOG.warn(
                        "{} runs with fsync off: a crash of its machine loses what was acknowledged, or all of it",
                        settings.place());
            }
        }
    }

    /** {@code CREATE SCHEMA IF NOT EXISTS} would fail for who has no right to do it even if there is one. */
    private void makeSchema(Connection connection) throws SQLException {
        if (!exists(connection, HAS_SCHEMA, schema.name())) {
            run(connection, "CREATE SCHEMA \"" + schema.name() + "\"");
        }
    }

    private void migrate() {
        Flyway flyway = Flyway.configure(Migration.class.getClassLoader())
                .dataSource(source)
                .schemas(schema.name())
                .defaultSchema(schema.name())
                .createSchemas(false)
                .table(HISTORY_TABLE)
                .locations(LOCATION)
                .baselineOnMigrate(true) // the schema may hold tables of the application
                .baselineVersion("0")
                .load();
        MigrationVersion known = newest(flyway.info().all());
        MigrationInfo current = flyway.info().current();
        if (current != null
                && current.getVersion() != null
                && current.getVersion().compareTo(known) > 0) {
            throw new StoreTooNew(
                    "The tables in %s, schema %s, are of version %s, but this version of Holdfast knows %s at most. Open them with the version that made them, or a newer one."
                            .formatted(settings.place(), schema.name(), current.getVersion(), known));
        }
        flyway.migrate();
    }

    /** The newest step that this version brings along. */
    private static MigrationVersion newest(MigrationInfo[] all) {
        MigrationVersion newest = MigrationVersion.fromVersion("0");
        for (MigrationInfo info : all) {
            boolean ours = info.getState().isResolved() && info.getVersion() != null;
            if (ours && info.getVersion().compareTo(newest) > 0) {
                newest = info.getVersion();
            }
        }
        return newest;
    }

    private void makeShards(Connection connection) throws SQLException {
        long there = number(connection, schema.qualify(SHARDS));
        if (there == 0) {
            run(connection, schema.qualify(NOTE_SHARDS), (long) settings.shards());
            PostgresSettings.Part part = settings.part();
            run(connection, schema.qualify(NOTE_PART), (long) part.number(), (long) part.of());
            run(connection, schema.qualify(MAKE_SHARDS), settings.shards());
            run(connection, schema.qualify(MAKE_KEYS), settings.shards());
            run(connection, schema.qualify(MAKE_LOGS), settings.shards());
        } else if (there != settings.shards()) {
            throw failed(
                    "%s, schema %s, was divided into %d shards when it was first opened, and the settings say %d. Set it to %d: the number is part of every key."
                            .formatted(settings.place(), schema.name(), there, settings.shards(), there));
        } else {
            checkPart(connection);
        }
    }

    private void checkPart(Connection connection) throws SQLException {
        PostgresSettings.Part wanted = settings.part();
        long number = number(connection, schema.qualify(PART));
        long of = number(connection, schema.qualify(PARTS));
        if (number != wanted.number() || of != wanted.of()) {
            throw failed(
                    "%s, schema %s, was database %d of %d when it was first opened, and now it is given as %d of %d. Name all databases, in the order of then."
                            .formatted(
                                    settings.place(), schema.name(), number + 1, of, wanted.number() + 1, wanted.of()));
        }
    }

    private interface Work {
        void run() throws SQLException;
    }

    private static void inTransaction(Connection connection, Work work) throws SQLException {
        connection.setAutoCommit(false);
        try {
            work.run();
            connection.commit();
        } catch (SQLException | RuntimeException e) {
            connection.rollback();
            throw e;
        } finally {
            connection.setAutoCommit(true);
        }
    }

    private static void run(Connection connection, String sql, Object... arguments) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < arguments.length; i++) {
                statement.setObject(i + 1, arguments[i]);
            }
            statement.executeUpdate();
        }
    }

    private static boolean exists(Connection connection, String sql, String argument) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, argument);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next();
            }
        }
    }

    private static long number(Connection connection, String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql);
                ResultSet rows = statement.executeQuery()) {
            return rows.next() ? rows.getLong(1) : 0;
        }
    }

    private static StoreFailed failed(String message) {
        return new StoreFailed(message, new IllegalStateException(message));
    }

    private HoldfastException refusal(SQLException e) {
        String state = e.getSQLState() == null ? "" : e.getSQLState();
        String place = settings.place();
        if (state.startsWith("28")) {
            return new StoreFailed("%s refused the user or the password. Check both.".formatted(place), e);
        }
        if (state.equals("3D000")) {
            return new StoreFailed(
                    "There is no such database: %s. Create it with the encoding UTF8.".formatted(place), e);
        }
        if (state.equals("42501")) {
            return new StoreFailed(
                    "The role may not make the tables in %s: %s. Give it a schema \"%s\" of its own, or the right CREATE on the database."
                            .formatted(place, e.getMessage(), schema.name()),
                    e);
        }
        if (state.startsWith("08") || state.startsWith("57P") || state.startsWith("53")) {
            return new StoreBusy(
                    "%s cannot be reached: %s. Start the server, or check its address and whether it has connections left."
                            .formatted(place, e.getMessage()),
                    e);
        }
        return new StoreFailed("%s refused a statement while it was opened: %s".formatted(place, e.getMessage()), e);
    }
}
