package dev.holdfast.server;

import dev.holdfast.http.chat.ChatSettings;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options of {@code serve} that are about chat clients of the AI SDK. */
@SuppressWarnings("NullAway.Init") // set by picocli
final class ChatOptions {

    @Option(
            names = "--chat-path",
            paramLabel = "PATH",
            defaultValue = ChatSettings.DEFAULT_PATH,
            description = "Path of the chat wire (default: ${DEFAULT-VALUE}).")
    String path;

    @Option(
            names = "--chat-client-major",
            paramLabel = "MAJOR",
            defaultValue = "" + ChatSettings.DEFAULT_MAJOR,
            description =
                    "Major of the npm package ai of clients that do not say theirs: 5, 6 or 7 (default: ${DEFAULT-VALUE}).")
    int major;

    /**
     * @throws ParameterException if the options make no sense
     */
    ChatSettings settings(CommandLine commandLine) {
        if (path.equals("/api/v1") || path.startsWith("/api/v1/")) {
            throw new ParameterException(commandLine, "--chat-path cannot lie below /api/v1, which is the JSON API's.");
        }
        try {
            return new ChatSettings(path, major, Agents.DEFAULT);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(commandLine, String.valueOf(e.getMessage()), e);
        }
    }
}
