package dev.holdfast.store.postgres;

import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.store.Time;
import java.time.Duration;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Where the database is and how it is used. Made by {@link #of(String)} or {@link #of(DataSource)}; each {@code with} method returns a changed
 * copy. Never prints the password.
 *
 * @param jdbcUrl such as {@code jdbc:postgresql://db.example:5432/app}; the driver's parameters may follow it. Empty with a data source
 * @param user the role, or null if the URL names it
 * @param password its password, or null if it needs none or the URL has it
 * @param dataSource the application's own source of connections, or null for pools of the store's own. It must hand out as many at a time as
 *     {@code writers} and {@code readers} together, and three while the database is opened
 * @param schema holds all tables; created if it is missing. Lower-case letters, digits and underscores
 * @param shards into how many parts the database is divided, fixed when it is first opened
 * @param part which of the databases of a cluster this is, fixed when it is first opened
 * @param writers connections for write transactions, over all stores of this process; a store needs one only while it writes
 * @param readers threads, each with a connection, for reads
 * @param connectTimeout how long to wait for a connection
 * @param statementTimeout how long the server may take for one statement
 * @param lockTimeout how long a statement waits for another transaction's lock
 * @param idleInTransactionTimeout after which the server ends a write transaction whose process says nothing, so that a frozen holder of a
 *     lease does not keep it from others; longer than a commit callback may compute
 * @param commitResolution how long the store tries to learn what became of a commit whose answer was lost
 * @param pooler what stands between the store and the server
 * @param time clock and randomness
 */
public record PostgresSettings(
        String jdbcUrl,
        @Nullable String user,
        @Nullable String password,
        @Nullable DataSource dataSource,
        String schema,
        int shards,
        Part part,
        int writers,
        int readers,
        Duration connectTimeout,
        Duration statementTimeout,
        Duration lockTimeout,
        Duration idleInTransactionTimeout,
        Duration commitResolution,
        Pooler pooler,
        Time time) {

    /**
     * One database of several that a cluster's shards lie in (see {@link dev.holdfast.cluster.SeveralDatabases}).
     *
     * @param number from 0; the first one is the nodes' home
     * @param of how many there are
     */
    public record Part(int number, int of) {
        /** The only one. */
        public static final Part WHOLE = new Part(0, 1);

        public Part {
            if (of < 1 || number < 0 || number >= of) {
                throw new InvalidArgument("A database is one of 0 to n-1 of n; got %d of %d.".formatted(number, of));
            }
        }
    }

    private static final String PREFIX = "jdbc:postgresql:";

    /** What stands between the store and the server. */
    public enum Pooler {
        /** Nothing, or something that gives each connection a server of its own. */
        NONE,
        /** A pooler that gives a transaction a server connection and takes it away afterwards, such as PgBouncer's mode {@code transaction}. */
        PER_TRANSACTION
    }

    public PostgresSettings {
        new SchemaName(schema).name();
        if (dataSource == null && !jdbcUrl.startsWith(PREFIX)) {
            throw new InvalidArgument("The URL of the database must begin with \"%s\", as in %s//localhost:5432/app."
                    .formatted(PREFIX, PREFIX));
        }
        if (shards < 1 || shards > PostgresLimits.MAX_SHARDS) {
            throw new InvalidArgument(
                    "There must be 1 to %d shards, not %d.".formatted(PostgresLimits.MAX_SHARDS, shards));
        }
        if (writers < 1 || readers < 1) {
            throw new InvalidArgument("There must be at least one connection to write and one to read.");
        }
        for (Duration timeout : new Duration[] {
            connectTimeout, statementTimeout, lockTimeout, idleInTransactionTimeout, commitResolution
        }) {
            if (timeout.compareTo(Duration.ofMillis(1)) < 0 || timeout.compareTo(Duration.ofDays(1)) > 0) {
                throw new InvalidArgument(
                        "A timeout must be between a millisecond and a day, not %s.".formatted(timeout));
            }
        }
    }

    /** The defaults, with pools of the store's own. */
    public static PostgresSettings of(String jdbcUrl) {
        return defaults(jdbcUrl, null);
    }

    /** The defaults, with the application's own source of connections. */
    public static PostgresSettings of(DataSource dataSource) {
        return defaults("", Objects.requireNonNull(dataSource));
    }

    private static PostgresSettings defaults(String jdbcUrl, @Nullable DataSource dataSource) {
        return new PostgresSettings(
                jdbcUrl,
                null,
                null,
                dataSource,
                "holdfast",
                64,
                Part.WHOLE,
                8,
                4,
                Duration.ofSeconds(5),
                Duration.ofSeconds(30),
                Duration.ofSeconds(5),
                Duration.ofSeconds(15),
                Duration.ofSeconds(30),
                Pooler.NONE,
                Time.system());
    }

    public PostgresSettings withUser(String role, String secret) {
        return copy(role, secret, schema, shards, writers, readers, pooler, time);
    }

    public PostgresSettings withSchema(String name) {
        return copy(user, password, name, shards, writers, readers, pooler, time);
    }

    public PostgresSettings withShards(int count) {
        return copy(user, password, schema, count, writers, readers, pooler, time);
    }

    /** The same for one database of several; {@code number} from 0, in an order that never changes. */
    public PostgresSettings withPart(int number, int of) {
        return new PostgresSettings(
                jdbcUrl,
                user,
                password,
                dataSource,
                schema,
                shards,
                new Part(number, of),
                writers,
                readers,
                connectTimeout,
                statementTimeout,
                lockTimeout,
                idleInTransactionTimeout,
                commitResolution,
                pooler,
                time);
    }

    /** Connections for writes, and threads with a connection each for reads. */
    public PostgresSettings withPools(int writing, int reading) {
        return copy(user, password, schema, shards, writing, reading, pooler, time);
    }

    public PostgresSettings withPooler(Pooler between) {
        return copy(user, password, schema, shards, writers, readers, between, time);
    }

    public PostgresSettings withTime(Time clock) {
        return copy(user, password, schema, shards, writers, readers, pooler, clock);
    }

    /** The server's limits of a statement, of the wait for a lock, and of silence within a transaction. */
    public PostgresSettings withTimeouts(Duration statement, Duration lock, Duration idleInTransaction) {
        return timed(connectTimeout, statement, lock, idleInTransaction, commitResolution);
    }

    public PostgresSettings withConnectTimeout(Duration limit) {
        return timed(limit, statementTimeout, lockTimeout, idleInTransactionTimeout, commitResolution);
    }

    public PostgresSettings withCommitResolution(Duration limit) {
        return timed(connectTimeout, statementTimeout, lockTimeout, idleInTransactionTimeout, limit);
    }

    private PostgresSettings copy(
            @Nullable String role,
            @Nullable String secret,
            String schemaName,
            int shardCount,
            int writing,
            int reading,
            Pooler between,
            Time clock) {
        return new PostgresSettings(
                jdbcUrl,
                role,
                secret,
                dataSource,
                schemaName,
                shardCount,
                part,
                writing,
                reading,
                connectTimeout,
                statementTimeout,
                lockTimeout,
                idleInTransactionTimeout,
                commitResolution,
                between,
                clock);
    }

    private PostgresSettings timed(
            Duration connect, Duration statement, Duration lock, Duration idle, Duration resolution) {
        return new PostgresSettings(
                jdbcUrl,
                user,
                password,
                dataSource,
                schema,
                shards,
                part,
                writers,
                readers,
                connect,
                statement,
                lock,
                idle,
                resolution,
                pooler,
                time);
    }

    /** The place of the database for logs and messages: no user, no password, no parameters. */
    String place() {
        if (dataSource != null) {
            return "the application's data source";
        }
        int parameters = jdbcUrl.indexOf('?');
        String address = parameters < 0 ? jdbcUrl : jdbcUrl.substring(0, parameters);
        int credentials =
                address.indexOf('@'); // some write them as in a web address; the driver refuses that, and names them
        return credentials < 0 ? address : PREFIX + "//" + address.substring(credentials + 1);
    }

    @Override
    public String toString() {
        return "PostgresSettings[%s, schema=%s, shards=%d, writers=%d, readers=%d, pooler=%s]"
                .formatted(place(), schema, shards, writers, readers, pooler);
    }
}
