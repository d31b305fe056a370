package dev.holdfast.http;

import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Reads whole request bodies, never more than a limit. */
public final class Bodies {

    private Bodies() {}

    /**
     * @throws HttpProblem 413 if there is more; not a byte beyond the limit is kept
     */
    public static byte[] read(Exchange exchange, int maxBytes) throws IOException {
        Optional<String> declared = exchange.head().header("Content-Length");
        if (declared.isPresent() && tooMuch(declared.get(), maxBytes)) {
            throw HttpProblem.bodyTooLarge(maxBytes);
        }
        InputStream body = exchange.body();
        byte[] bytes = body.readNBytes(maxBytes);
        if (bytes.length == maxBytes && body.read() >= 0) {
            throw HttpProblem.bodyTooLarge(maxBytes);
        }
        return bytes;
    }

    private static boolean tooMuch(String declared, int maxBytes) {
        try {
            return Long.parseLong(declared) > maxBytes;
        } catch (NumberFormatException e) {
            throw HttpProblem.badRequest("Content-Length is not a number.");
        }
    }

    /**
     * A JSON object; an absent body is an empty one. The media type must be JSON, which a form of another site cannot send unasked.
     *
     * @throws HttpProblem 400, 413 or 415 if it is none
     */
    public static ObjectNode readObject(Exchange exchange, int maxBytes) throws IOException {
        byte[] bytes = read(exchange, maxBytes);
        if (bytes.length == 0) {
            return Json.MAPPER.createObjectNode();
        }
        String type = exchange.head().header("Content-Type").orElse(null);
        if (type == null || !isJson(type)) {
            throw HttpProblem.unsupportedMediaType(type, "application/json");
        }
        try {
            JsonNode node = Json.MAPPER.readTree(bytes);
            if (node instanceof ObjectNode object) {
                return object;
            }
        } catch (JacksonException e) {
            throw HttpProblem.badRequest(JsonFault.sentence("The body", e));
        }
        throw HttpProblem.badRequest("The body must be a JSON object, in braces.");
    }

    private static boolean isJson(String type) {
        int semicolon = type.indexOf(';');
        String media = (semicolon < 0 ? type : type.substring(0, semicolon)).strip();
        return media.toLowerCase(Locale.ROOT).equals("application/json");
    }
}
