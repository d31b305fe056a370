package dev.holdfast.store.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.error.HoldfastException.InvalidArgument;
import java.time.Duration;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Makes the sources of connections that the settings ask for. */
final class Connections {

    private final PostgresSettings settings;
    private final DataSource plain;

    Connections(PostgresSettings settings) {
        this.settings = settings;
        DataSource given = settings.dataSource();
        this.plain = given != null ? given : driver(settings);
    }

    /** Connections without a pool, for opening. */
    DataSource plain() {
        return plain;
    }

    /** Connections without a pool that hear a notification as soon as it arrives. */
    DataSource listening() {
        if (settings.dataSource() != null) {
            return plain;
        }
        PGSimpleDataSource driver = driver(settings);
        driver.setSocketFactory(PromptSockets.class.getName());
        return driver;
    }

    /** So many connections. Two pools, so that readers who are many never keep a writer waiting. */
    Pool pool(String name, int size) {
        return pool(name, size, plain, networkTimeoutMillis(settings));
    }

    /**
     * Connections for what nodes share. A beat on a connection that hangs must fail when the lease is over, or the node would not know.
     *
     * @param lease how long an answer is waited for, but not less than {@link PostgresLimits#MIN_BEAT_TIMEOUT_MILLIS}
     */
    Pool cluster(int size, Duration lease) {
        long millis = Math.max(lease.toMillis(), PostgresLimits.MIN_BEAT_TIMEOUT_MILLIS);
        int timeout = (int) Math.min(millis, networkTimeoutMillis(settings));
        if (settings.dataSource() != null) {
            return pool("cluster", size, plain, timeout);
        }
        PGSimpleDataSource driver = driver(settings);
        driver.setSocketTimeout(seconds(Duration.ofMillis(timeout)));
        return pool("cluster", size, driver, timeout);
    }

    private Pool pool(String name, int size, DataSource source, int networkTimeoutMillis) {
        if (settings.dataSource() != null) {
            return Pool.foreign(source, networkTimeoutMillis);
        }
        HikariConfig config = new HikariConfig();
        config.setPoolName("holdfast-" + name);
        config.setDataSource(source);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(1);
        config.setConnectionTimeout(Math.max(250, settings.connectTimeout().toMillis()));
        config.setValidationTimeout(Math.max(250, settings.connectTimeout().toMillis() / 2));
        config.setInitializationFailTimeout(-1); // the server was asked already, with better words when it fails
        config.setKeepaliveTime(0); // an idle store is silent; a connection that slept is looked at before it is used
        return Pool.owned(new HikariDataSource(config));
    }

    private static PGSimpleDataSource driver(PostgresSettings settings) {
        PGSimpleDataSource driver = new PGSimpleDataSource();
        try {
            driver.setUrl(settings.jdbcUrl());
        } catch (IllegalArgumentException e) {
            throw new InvalidArgument(
                    "The driver does not understand the URL of the database. Write it as jdbc:postgresql://host:port/database, without user and password.");
        }
        if (settings.user() != null) {
            driver.setUser(settings.user());
        }
        if (settings.password() != null) {
            driver.setPassword(settings.password());
        }
        driver.setApplicationName("holdfast");
        driver.setTcpKeepAlive(true);
        driver.setConnectTimeout(seconds(settings.connectTimeout()));
        driver.setLoginTimeout(seconds(settings.connectTimeout()));
        driver.setSocketTimeout(networkTimeoutMillis(settings) / 1000);
        if (settings.pooler() == PostgresSettings.Pooler.PER_TRANSACTION) {
            driver.setPrepareThreshold(0); // a statement that was prepared is on another server connection next time
        }
        return driver;
    }

    /** The server ends a statement first; only a server that cannot be reached lets it come to this. */
    private static int networkTimeoutMillis(PostgresSettings settings) {
        long millis = settings.statementTimeout().toMillis() + PostgresLimits.NETWORK_MARGIN_MILLIS;
        return (int) Math.min(millis, Integer.MAX_VALUE);
    }

    private static int seconds(Duration duration) {
        return (int) Math.max(1, (duration.toMillis() + 999) / 1000);
    }
}
