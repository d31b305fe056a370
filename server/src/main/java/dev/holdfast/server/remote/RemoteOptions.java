package dev.holdfast.server.remote;

import dev.holdfast.client.transport.Endpoint;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Which server a command talks to, and with which key. */
@SuppressWarnings("NullAway.Init") // set by picocli
final class RemoteOptions {

    @Option(
            names = "--server",
            paramLabel = "URL",
            defaultValue = "http://127.0.0.1:4437",
            description = "The server's address (default: ${DEFAULT-VALUE}); also HOLDFAST_SERVER.")
    String server;

    @Option(
            names = "--key",
            paramLabel = "KEY",
            description = "The API key, where the server wants one; better given as HOLDFAST_KEY or with --key-file.")
    @Nullable
    String key;

    @Option(
            names = "--key-file",
            paramLabel = "FILE",
            description = "A file whose first line is the API key, but for lines that are empty or begin with #.")
    @Nullable
    Path keyFile;

    /**
     * What they come to.
     *
     * @throws ParameterException if they make no sense
     */
    Endpoint endpoint(CommandLine commandLine) {
        try {
            Endpoint endpoint = Endpoint.of(new URI(server));
            String known = key == null ? keyOfFile(commandLine) : key;
            return known == null ? endpoint : endpoint.withKey(known);
        } catch (URISyntaxException e) {
            throw new ParameterException(
                    commandLine,
                    "\"%s\" is no address of a server; write for example http://127.0.0.1:4437.".formatted(server),
                    e);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(commandLine, String.valueOf(e.getMessage()), e);
        }
    }

    private @Nullable String keyOfFile(CommandLine commandLine) {
        if (keyFile == null) {
            return null;
        }
        try (Stream<String> lines = Files.lines(keyFile, StandardCharsets.UTF_8)) {
            Optional<String> first = lines.map(String::strip)
                    .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                    .findFirst();
            return first.orElseThrow(
                    () -> new ParameterException(commandLine, "The file %s holds no API key.".formatted(keyFile)));
        } catch (IOException | java.io.UncheckedIOException e) {
            throw new ParameterException(
                    commandLine, "The file of the API key %s cannot be read.".formatted(keyFile), e);
        }
    }
}
