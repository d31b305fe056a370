package dev.holdfast.mcp.events;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A stored message.
 *
 * @param id unique in the session; names the session, the stream and the position after the message
 * @param message its bytes, usually a JSON-RPC message; read-only
 */
public record McpEvent(String id, ByteBuffer message) {

    /** The message as UTF-8 text. */
    public String text() {
        return StandardCharsets.UTF_8.decode(message.duplicate()).toString();
    }
}
