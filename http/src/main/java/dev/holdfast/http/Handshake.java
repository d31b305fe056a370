package dev.holdfast.http;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * What a request for a WebSocket (RFC 6455) says in its head.
 *
 * <p>A page in a browser cannot set header fields of such a request, but it can offer subprotocols. So an API key may come as one:
 * {@value #KEY_PREFIX} with the key's UTF-8 in base64url, without padding. It is never chosen, and wires never see it.
 */
public final class Handshake {

    /** Before a key that is offered as a subprotocol. */
    public static final String KEY_PREFIX = "holdfast.bearer.";

    private static final String VERSION = "13";

    private static final int NONCE_BYTES = 16;

    private Handshake() {}

    /** Whether the request asks for a WebSocket, be it properly or not. */
    public static boolean isAsked(RequestHead head) {
        return head.method().equals("GET")
                && head.value("Upgrade") != null
                && tokens(head, "Upgrade").stream().anyMatch("websocket"::equalsIgnoreCase);
    }

    /**
     * @throws HttpProblem 426 if the request asks for no WebSocket or for another version, 400 if it is malformed
     */
    public static void check(RequestHead head) {
        if (!isAsked(head) || !head.protocol().equals("HTTP/1.1")) {
            throw upgradeRequired(
                    head,
                    "Here is a WebSocket: connect with a WebSocket client, over HTTP/1.1, to ws:// or wss://. A proxy in front must hand on Upgrade and Connection.");
        }
        if (tokens(head, "Connection").stream().noneMatch("upgrade"::equalsIgnoreCase)) {
            throw HttpProblem.badRequest(
                    "The request has \"Upgrade: websocket\" without \"Connection: Upgrade\". A proxy in front must hand both on.");
        }
        if (!head.headers().all("Sec-WebSocket-Version").equals(List.of(VERSION))) {
            throw upgradeRequired(
                    head, "This server speaks version 13 of WebSocket: send \"Sec-WebSocket-Version: 13\".");
        }
        List<String> keys = head.headers().all("Sec-WebSocket-Key");
        if (keys.size() != 1 || !isNonce(keys.getFirst())) {
            throw HttpProblem.badRequest("Sec-WebSocket-Key must be there once, with 16 bytes in base64.");
        }
    }

    private static HttpProblem upgradeRequired(RequestHead head, String detail) {
        Problem problem = Problem.of(426, "upgrade-required", "A WebSocket is needed here", detail)
                .header("Sec-WebSocket-Version", VERSION);
        return new HttpProblem(
                head.protocol().startsWith("HTTP/1")
                        ? problem.header("Upgrade", "websocket").header("Connection", "Upgrade")
                        : problem);
    }

    private static boolean isNonce(String key) {
        try {
            return Base64.getDecoder().decode(key).length == NONCE_BYTES;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** The subprotocols that the client offers, in its order, without keys. */
    public static List<String> subprotocols(RequestHead head) {
        return tokens(head, "Sec-WebSocket-Protocol").stream()
                .filter(offered -> !offered.startsWith(KEY_PREFIX))
                .toList();
    }

    /** The first of the subprotocols that the client offers, or empty if it offers none of them. */
    public static Optional<String> choose(RequestHead head, List<String> subprotocols) {
        List<String> offered = subprotocols(head);
        return subprotocols.stream().filter(offered::contains).findFirst();
    }

    /** The API key that is offered as a subprotocol; empty unless there is exactly one, in a request for a WebSocket. */
    static Optional<String> key(RequestHead head) {
        if (!isAsked(head)) {
            return Optional.empty();
        }
        List<String> keys = tokens(head, "Sec-WebSocket-Protocol").stream()
                .filter(offered -> offered.startsWith(KEY_PREFIX))
                .toList();
        return keys.size() == 1 ? decoded(keys.getFirst().substring(KEY_PREFIX.length())) : Optional.empty();
    }

    private static Optional<String> decoded(String base64) {
        try {
            return Optional.of(new String(Base64.getUrlDecoder().decode(base64), StandardCharsets.UTF_8));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** The members of a list; its values are tokens, which have no commas. */
    private static List<String> tokens(RequestHead head, String name) {
        List<String> tokens = new ArrayList<>();
        for (String value : head.headers().all(name)) {
            for (int from = 0; from <= value.length(); ) {
                int comma = value.indexOf(',', from);
                int end = comma < 0 ? value.length() : comma;
                String token = value.substring(from, end).strip();
                if (!token.isEmpty()) {
                    tokens.add(token);
                }
                from = end + 1;
            }
        }
        return tokens;
    }
}
