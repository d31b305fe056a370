package dev.holdfast.bench.http.wire;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Whole requests as bytes, with the few headers that every client sends. */
public final class Requests {

    private Requests() {}

    public static byte[] get(String path) {
        return bytes("GET", path, "Accept: */*\r\n", new byte[0]);
    }

    /** Asks for a WebSocket (RFC 6455); the nonce is the same each time, and the answer to it is not looked at. */
    public static byte[] upgrade(String path, String subprotocol) {
        return bytes(
                "GET",
                path,
                "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: %s\r\n"
                        .formatted(subprotocol),
                new byte[0]);
    }

    public static byte[] post(String path, String contentType, byte[] body) {
        return bytes(
                "POST", path, "Content-Type: %s\r\nContent-Length: %d\r\n".formatted(contentType, body.length), body);
    }

    /** A POST with more headers. */
    public static byte[] post(String path, String contentType, Map<String, String> more, byte[] body) {
        StringBuilder headers = new StringBuilder();
        more.forEach(
                (name, value) -> headers.append(name).append(": ").append(value).append("\r\n"));
        return bytes(
                "POST",
                path,
                "%sContent-Type: %s\r\nContent-Length: %d\r\n".formatted(headers, contentType, body.length),
                body);
    }

    /** A POST behind whose answer the server closes the connection. */
    public static byte[] lastPost(String path, String contentType, byte[] body) {
        return bytes(
                "POST",
                path,
                "Connection: close\r\nContent-Type: %s\r\nContent-Length: %d\r\n".formatted(contentType, body.length),
                body);
    }

    private static byte[] bytes(String method, String path, String headers, byte[] body) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes("%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\n%s\r\n"
                .formatted(method, path, headers)
                .getBytes(StandardCharsets.US_ASCII));
        out.writeBytes(body);
        return out.toByteArray();
    }
}
