package dev.holdfast.server;

import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.node.NodeSettings;
import dev.holdfast.server.ServerSettings.Database;
import dev.holdfast.store.postgres.CoordinationSettings;
import dev.holdfast.store.postgres.CoordinationSettings.Hints;
import dev.holdfast.store.postgres.PostgresSettings;
import dev.holdfast.store.postgres.PostgresSettings.Pooler;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options of a server that is a node of a cluster, on a PostgreSQL database instead of a folder. */
@SuppressWarnings("NullAway.Init") // set by picocli
final class DatabaseOptions {

    @Option(
            names = "--database",
            paramLabel = "URL",
            description =
                    "A PostgreSQL database instead of the folder, such as jdbc:postgresql://db.example/app. All servers on it are one cluster. More than one, always in the same order, share the load.",
            split = "\\s+")
    List<String> urls = new ArrayList<>();

    @Option(names = "--database-user", paramLabel = "ROLE", description = "The role to connect as.")
    @Nullable
    String user;

    @Option(
            names = "--database-password",
            paramLabel = "PASSWORD",
            description = "Its password; better given as HOLDFAST_DATABASE_PASSWORD or in a file.")
    @Nullable
    String password;

    @Option(
            names = "--database-password-file",
            paramLabel = "FILE",
            description = "A file whose first line is the password.")
    @Nullable
    Path passwordFile;

    @Option(
            names = "--database-schema",
            paramLabel = "NAME",
            defaultValue = "holdfast",
            description = "The schema of the tables, made if missing (default: ${DEFAULT-VALUE}).")
    String schema;

    @Option(
            names = "--database-pooler",
            paramLabel = "WHETHER",
            defaultValue = "no",
            description =
                    "Whether a pooler that shares connections between transactions, such as PgBouncer, is in between: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}). No hints then.")
    YesNo pooler;

    @Option(
            names = "--shards",
            paramLabel = "COUNT",
            defaultValue = "64",
            description =
                    "Into how many parts sessions and streams are divided; fixed when the database is first used (default: ${DEFAULT-VALUE}).")
    int shards;

    @Option(
            names = "--lease",
            paramLabel = "DURATION",
            defaultValue = "10s",
            converter = Durations.class,
            description =
                    "How long a server that is not heard of keeps its shards; the same for all servers (default: ${DEFAULT-VALUE}).")
    Duration lease;

    @Option(
            names = "--hints",
            paramLabel = "WHETHER",
            defaultValue = "yes",
            description =
                    "Whether servers tell each other of changes at once, by NOTIFY: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    YesNo hints;

    @Option(
            names = "--poll",
            paramLabel = "DURATION",
            defaultValue = "25ms",
            converter = Durations.class,
            description =
                    "How often a server looks for changes of others where no hints come (default: ${DEFAULT-VALUE}).")
    Duration poll;

    @Option(
            names = "--node-name",
            paramLabel = "NAME",
            description = "This server's name in logs of the others (default: its address and port).")
    @Nullable
    String nodeName;

    /** A choice. */
    enum YesNo {
        yes,
        no
    }

    /**
     * @param address the server's, to be named by
     * @throws ParameterException if the options do not fit together
     */
    Optional<Database> settings(CommandLine commandLine, String address) {
        if (urls.isEmpty()) {
            return Optional.empty();
        }
        try {
            boolean hinted = hints == YesNo.yes && pooler == YesNo.no;
            List<PostgresSettings> databases = new ArrayList<>();
            for (String url : urls) {
                databases.add(withRole(
                        commandLine,
                        PostgresSettings.of(url)
                                .withSchema(schema)
                                .withShards(shards)
                                .withPart(databases.size(), urls.size())
                                .withPooler(pooler == YesNo.yes ? Pooler.PER_TRANSACTION : Pooler.NONE)));
            }
            CoordinationSettings coordination = CoordinationSettings.DEFAULTS
                    .withLockTimeout(Duration.ofMillis(Math.max(1, Math.min(2_000, lease.toMillis() / 3))))
                    .withLease(lease)
                    .withHints(hinted ? Hints.NOTIFY : Hints.OFF);
            NodeSettings node =
                    NodeSettings.named(nodeName == null ? address : nodeName).withLease(lease);
            node = node.withPolling(node.pollHinted(), poll);
            return Optional.of(new Database(databases, coordination, hinted ? node : node.withoutHints()));
        } catch (InvalidArgument e) {
            throw new ParameterException(commandLine, String.valueOf(e.getMessage()), e);
        }
    }

    private PostgresSettings withRole(CommandLine commandLine, PostgresSettings database) {
        if (user == null) {
            if (password != null || passwordFile != null) {
                throw new ParameterException(commandLine, "A password of the database needs --database-user.");
            }
            return database;
        }
        return database.withUser(user, secret(commandLine));
    }

    private String secret(CommandLine commandLine) {
        if (passwordFile == null) {
            return password == null ? "" : password;
        }
        try {
            return Files.readString(passwordFile, StandardCharsets.UTF_8)
                    .lines()
                    .findFirst()
                    .orElse("");
        } catch (IOException e) {
            throw new ParameterException(
                    commandLine, "The file of the database's password %s cannot be read.".formatted(passwordFile), e);
        }
    }
}
