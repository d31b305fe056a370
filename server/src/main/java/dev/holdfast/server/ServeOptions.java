package dev.holdfast.server;

import dev.holdfast.Holdfast;
import dev.holdfast.access.ApiKeys;
import dev.holdfast.error.HoldfastException;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.HttpListener;
import dev.holdfast.http.Trust;
import dev.holdfast.http.sse.SseSettings;
import dev.holdfast.server.ServerSettings.Model;
import dev.holdfast.server.ServerSettings.ModelApi;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options of {@code serve}, and what they mean together. docs/cli.md describes them. */
@SuppressWarnings("NullAway.Init") // set by picocli
final class ServeOptions {

    /** Below this a summary would cost more than it saves. */
    private static final int MIN_COMPACT_AFTER = 2_000;

    @Option(
            names = "--host",
            paramLabel = "ADDRESS",
            defaultValue = "127.0.0.1",
            description =
                    "Address to listen on (default: ${DEFAULT-VALUE}). One that other machines reach needs an API key.")
    String host;

    @Option(
            names = "--port",
            paramLabel = "PORT",
            defaultValue = "4437",
            description = "Port to listen on; 0 for any that is free (default: ${DEFAULT-VALUE}).")
    String port;

    @Option(
            names = "--data",
            paramLabel = "FOLDER",
            defaultValue = "holdfast-data",
            description = "Folder of the store, made if missing (default: ./${DEFAULT-VALUE}).")
    Path data;

    @Mixin
    DatabaseOptions database;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "A .properties file with options, named without the dashes.")
    @Nullable
    Path config;

    @Option(
            names = "--api-key",
            paramLabel = "KEY",
            description =
                    "A key that requests must carry; can be repeated. Other users of this machine may see it; --api-key-file is safer.")
    List<String> apiKeys = new ArrayList<>();

    @Option(
            names = "--api-key-file",
            paramLabel = "FILE",
            description = "A file with one key per line; empty lines and lines that begin with # are skipped.")
    @Nullable
    Path apiKeyFile;

    @Option(
            names = "--allow-host",
            paramLabel = "NAME",
            split = ",",
            description = "A host name that requests may be meant for, besides this machine's own; can be repeated.")
    Set<String> hosts = new HashSet<>();

    @Option(
            names = "--allow-origin",
            paramLabel = "ORIGIN",
            split = ",",
            description = "An origin whose web pages may call, such as https://app.example; can be repeated.")
    Set<String> origins = new HashSet<>();

    @Option(
            names = "--model-url",
            paramLabel = "URL",
            description =
                    "Base URL of a model's API, such as https://api.openai.com/v1. Without it a demo answers with a sample.")
    @Nullable
    URI modelUrl;

    @Option(names = "--model-name", paramLabel = "NAME", description = "The model's name.")
    @Nullable
    String modelName;

    @Option(
            names = "--model-key",
            paramLabel = "KEY",
            description = "The key for the model's API; better given as HOLDFAST_MODEL_KEY.")
    @Nullable
    String modelKey;

    @Option(
            names = "--model-api",
            paramLabel = "API",
            defaultValue = "chat",
            description = "The API it speaks: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    ModelApi modelApi;

    @Option(
            names = "--compact-after",
            paramLabel = "TOKENS",
            defaultValue = "100000",
            description =
                    "Estimated tokens of a conversation after which the model reads a summary of its older part; 0 for never (default: ${DEFAULT-VALUE}).")
    long compactAfter;

    @Option(
            names = "--heartbeat",
            paramLabel = "DURATION",
            defaultValue = "15s",
            converter = Durations.class,
            description =
                    "Silence after which an event stream carries a comment; 0 for never (default: ${DEFAULT-VALUE}).")
    Duration heartbeat;

    @Option(
            names = "--rotate-after",
            paramLabel = "DURATION",
            defaultValue = "0",
            converter = Durations.class,
            description =
                    "Age at which an event stream is cut so that its client comes back; 0 for never (default: ${DEFAULT-VALUE}).")
    Duration rotateAfter;

    @Mixin
    StreamWireOptions streamWire;

    @Mixin
    ChatOptions chat;

    @Option(
            names = "--max-connections",
            paramLabel = "COUNT",
            defaultValue = "20000",
            description = "Requests and event streams at once (default: ${DEFAULT-VALUE}).")
    int maxConnections;

    @Option(
            names = "--stall-timeout",
            paramLabel = "DURATION",
            defaultValue = "0",
            converter = Durations.class,
            description =
                    "How long a running turn may show nothing new before its model is given up and asked again; 0 for as long as it likes (default: ${DEFAULT-VALUE}).")
    Duration stallTimeout;

    @Option(
            names = "--drain-grace",
            paramLabel = "DURATION",
            defaultValue = "10s",
            converter = Durations.class,
            description =
                    "How long running turns may go on after SIGTERM; what is left goes on after the next start (default: ${DEFAULT-VALUE}).")
    Duration drainGrace;

    @Option(
            names = "--log-level",
            paramLabel = "LEVEL",
            defaultValue = "INFO",
            description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    Level logLevel;

    @Option(names = "--binding", paramLabel = "NAME", defaultValue = Listeners.JETTY, hidden = true)
    String binding;

    @Option(names = "--verbose", description = "Show the stack trace when the start fails.")
    boolean verbose;

    /** What the server listens with. */
    HttpListener.Factory listener(CommandLine commandLine) {
        return Listeners.named(binding)
                .orElseThrow(() -> new ParameterException(
                        commandLine, "There is no binding \"%s\" on the class path.".formatted(binding)));
    }

    /**
     * @throws ParameterException if the options do not fit together
     */
    ServerSettings settings(CommandLine commandLine) {
        List<String> keys = new ArrayList<>(apiKeys);
        if (apiKeyFile != null) {
            keys.addAll(readKeys(commandLine, apiKeyFile));
        }
        boolean loopback = isLoopback(commandLine);
        if (!loopback && keys.isEmpty()) {
            throw new ParameterException(
                    commandLine,
                    "Other machines could reach %s, so it needs an API key: add --api-key-file, or listen on 127.0.0.1."
                            .formatted(host));
        }
        return new ServerSettings(
                host,
                portNumber(commandLine),
                data,
                database.settings(commandLine, host + ":" + port),
                trust(commandLine, keys, loopback),
                limits(commandLine),
                SseSettings.defaults().withHeartbeat(heartbeat).withRotateAfter(rotateAfter),
                streamWire.settings(commandLine, heartbeat),
                streamWire.subscriptions(commandLine, Holdfast.DEFAULT_TENANT, loopback),
                chat.settings(commandLine),
                model(commandLine),
                stallTimeout,
                drainGrace);
    }

    private boolean isLoopback(CommandLine commandLine) {
        try {
            for (InetAddress address : InetAddress.getAllByName(host)) {
                if (!address.isLoopbackAddress()) {
                    return false;
                }
            }
            return true;
        } catch (UnknownHostException e) {
            throw new ParameterException(commandLine, "There is no address \"%s\" to listen on.".formatted(host));
        }
    }

    private int portNumber(CommandLine commandLine) {
        if (port.startsWith("tcp://")) {
            throw new ParameterException(
                    commandLine,
                    "HOLDFAST_PORT is \"%s\": Kubernetes sets that for a service named \"holdfast\". Rename the service, set enableServiceLinks: false, or pass --port."
                            .formatted(port));
        }
        try {
            int number = Integer.parseInt(port);
            if (number >= 0 && number <= 65_535) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw noPort(commandLine);
        }
        throw noPort(commandLine);
    }

    private ParameterException noPort(CommandLine commandLine) {
        return new ParameterException(commandLine, "A port is a number from 0 to 65535; got \"%s\".".formatted(port));
    }

    private Trust trust(CommandLine commandLine, List<String> keys, boolean loopback) {
        Set<String> names = new HashSet<>(hosts);
        if (!loopback && names.isEmpty()) {
            names.add(Trust.ANY_HOST); // the keys protect it, and nobody told its names
        }
        try {
            return new Trust(Holdfast.DEFAULT_TENANT, ApiKeys.of(Holdfast.DEFAULT_TENANT, keys), names, origins);
        } catch (HoldfastException e) {
            throw new ParameterException(commandLine, String.valueOf(e.getMessage()), e);
        }
    }

    private HttpLimits limits(CommandLine commandLine) {
        if (maxConnections < 1) {
            throw new ParameterException(commandLine, "--max-connections is at least 1; got " + maxConnections + ".");
        }
        HttpLimits limits = HttpLimits.defaults().withMaxExchanges(maxConnections);
        Duration patience = heartbeat.multipliedBy(4);
        return patience.compareTo(limits.idleTimeout()) > 0 ? limits.withIdleTimeout(patience) : limits;
    }

    private Optional<Model> model(CommandLine commandLine) {
        if (modelUrl == null) {
            if (modelName != null) {
                throw new ParameterException(commandLine, "--model-name needs --model-url.");
            }
            return Optional.empty();
        }
        if (modelName == null) {
            throw new ParameterException(commandLine, "--model-url needs --model-name.");
        }
        if (compactAfter < 0 || (compactAfter > 0 && compactAfter < MIN_COMPACT_AFTER)) {
            throw new ParameterException(
                    commandLine, "--compact-after is 0 for never, or at least %d.".formatted(MIN_COMPACT_AFTER));
        }
        if (!"http".equals(modelUrl.getScheme()) && !"https".equals(modelUrl.getScheme())) {
            throw new ParameterException(commandLine, "--model-url begins with http:// or https://.");
        }
        return Optional.of(new Model(modelUrl, modelName, Optional.ofNullable(modelKey), modelApi, compactAfter));
    }

    private static List<String> readKeys(CommandLine commandLine, Path file) {
        try {
            return Files.readAllLines(file, StandardCharsets.UTF_8).stream()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                    .toList();
        } catch (IOException e) {
            throw new ParameterException(commandLine, "The file of API keys %s cannot be read.".formatted(file), e);
        }
    }
}
