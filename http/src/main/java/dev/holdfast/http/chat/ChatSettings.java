package dev.holdfast.http.chat;

import dev.holdfast.uimessage.ChunkGate;

/**
 * How the chat wire is served.
 *
 * @param path the path of {@code POST}; the others lie below it
 * @param major the major of the AI SDK of clients that do not say theirs, from {@value ChunkGate#OLDEST_MAJOR} to
 *     {@value ChunkGate#NEWEST_MAJOR}
 * @param agent the agent of turns that name none
 */
public record ChatSettings(String path, int major, String agent) {

    public static final String DEFAULT_PATH = "/api/chat";

    /** What every client understands. */
    public static final int DEFAULT_MAJOR = ChunkGate.OLDEST_MAJOR;

    public ChatSettings {
        if (!path.matches("(/[A-Za-z0-9._~-]+)+")) {
            throw new IllegalArgumentException(
                    "The chat path is one such as /api/chat, of plain segments; got \"%s\".".formatted(path));
        }
        if (major < ChunkGate.OLDEST_MAJOR || major > ChunkGate.NEWEST_MAJOR) {
            throw new IllegalArgumentException("The major of chat clients is a number from %d to %d; got %d."
                    .formatted(ChunkGate.OLDEST_MAJOR, ChunkGate.NEWEST_MAJOR, major));
        }
    }

    public static ChatSettings of(String agent) {
        return new ChatSettings(DEFAULT_PATH, DEFAULT_MAJOR, agent);
    }

    public ChatSettings withPath(String other) {
        return new ChatSettings(other, major, agent);
    }

    public ChatSettings withMajor(int other) {
        return new ChatSettings(path, other, agent);
    }
}
