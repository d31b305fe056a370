package dev.holdfast.http;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Writes whole answers. Nothing of it is kept by caches, and no browser guesses another type than the declared one. */
public final class Answers {

    private Answers() {}

    public static void json(Exchange exchange, int status, JsonNode body) throws IOException {
        json(exchange, status, new Headers(), body);
    }

    public static void json(Exchange exchange, int status, Headers headers, JsonNode body) throws IOException {
        whole(exchange, status, headers, "application/json", Json.MAPPER.writeValueAsBytes(body));
    }

    public static void html(Exchange exchange, String page) throws IOException {
        Headers headers = new Headers()
                .set(
                        "Content-Security-Policy",
                        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'");
        whole(exchange, 200, headers, "text/html; charset=utf-8", page.getBytes(StandardCharsets.UTF_8));
    }

    public static void empty(Exchange exchange, int status, Headers headers) {
        exchange.respond(status, headers.set("Cache-Control", "no-store"));
    }

    public static void problem(Exchange exchange, Problem problem) throws IOException {
        Headers headers = new Headers();
        problem.headers().forEach(headers::set);
        whole(exchange, problem.status(), headers, Problem.MEDIA_TYPE, bytes(problem));
    }

    /** A problem's JSON. */
    public static byte[] bytes(Problem problem) {
        return Json.MAPPER.writeValueAsBytes(node(problem));
    }

    public static ObjectNode node(Problem problem) {
        ObjectNode node = Json.MAPPER.createObjectNode();
        node.put("type", Problem.TYPE_PREFIX + problem.type());
        node.put("title", problem.title());
        node.put("status", problem.status());
        node.put("detail", problem.detail());
        problem.members().forEach((name, value) -> node.set(name, Json.MAPPER.valueToTree(value)));
        return node;
    }

    private static void whole(Exchange exchange, int status, Headers headers, String type, byte[] body)
            throws IOException {
        headers.set("Content-Type", type);
        headers.set("Cache-Control", "no-store");
        headers.set("X-Content-Type-Options", "nosniff");
        exchange.answer(status, headers, body);
    }
}
