package dev.holdfast.mcp;

import dev.holdfast.access.Principal;
import dev.holdfast.error.HoldfastException;
import dev.holdfast.http.Answers;
import dev.holdfast.http.Bodies;
import dev.holdfast.http.Exchange;
import dev.holdfast.http.FrontDoor;
import dev.holdfast.http.Headers;
import dev.holdfast.http.HttpHandler;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.HttpProblem;
import dev.holdfast.http.Json;
import dev.holdfast.http.JsonFault;
import dev.holdfast.http.Mount;
import dev.holdfast.http.Problem;
import dev.holdfast.http.ProblemTable;
import dev.holdfast.http.RequestHead;
import dev.holdfast.http.Router;
import dev.holdfast.http.Router.Identify;
import dev.holdfast.http.Trust;
import java.io.IOException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * One path that speaks Model Context Protocol: Streamable HTTP of the revisions 2025-03-26 to 2025-11-25, the stateless one of 2026-07-28, or
 * both. Each request says by itself which rules it is under: {@link Eras}. What is refused is answered as a JSON-RPC error with a reason.
 *
 * <p>Host, origin and API key are checked by the {@link FrontDoor} before. Thread-safe.
 */
public final class McpEndpoint implements Mount, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(McpEndpoint.class);

    private static final String JSON = "application/json";
    private static final String EVENTS = "text/event-stream";
    private static final String METHODS = "GET, POST, DELETE, OPTIONS";

    /** What pages of allowed origins send. */
    private static final String REQUEST_HEADERS =
            "Authorization, Content-Type, Last-Event-ID, Mcp-Method, Mcp-Name, MCP-Protocol-Version, Mcp-Session-Id, X-Api-Key";

    private final String path;
    private final Eras eras;
    private final @Nullable Identify identify;
    private final HttpLimits limits;

    private McpEndpoint(Builder builder) {
        this.path = builder.path;
        this.eras = new Eras(builder.legacy, builder.modern);
        this.identify = builder.identify;
        this.limits = builder.limits;
    }

    /**
     * @param path such as {@code /mcp}; {@code /} for an endpoint that is all there is
     */
    public static Builder at(String path) {
        return new Builder(path);
    }

    /** Collects what an endpoint is made of. One thread at a time. */
    public static final class Builder {
        private final String path;
        private @Nullable McpEra legacy;
        private @Nullable McpEra modern;
        private @Nullable Identify identify;
        private HttpLimits limits = HttpLimits.defaults();

        private Builder(String path) {
            if (!path.startsWith("/") || (path.length() > 1 && path.endsWith("/"))) {
                throw new IllegalArgumentException(
                        "A path begins with a slash and ends without one, such as /mcp; got " + path);
            }
            this.path = path;
        }

        /** Serves the revisions 2025-03-26 to 2025-11-25. */
        public Builder legacy(McpEra era) {
            this.legacy = era;
            return this;
        }

        /** Serves the revision 2026-07-28. */
        public Builder modern(McpEra era) {
            this.modern = era;
            return this;
        }

        /** Finds out who asks in another way than the door's API keys, such as by whom the hosting container authenticated. */
        public Builder identifiedBy(Identify who) {
            this.identify = who;
            return this;
        }

        /** Bounds of bodies, and for {@link McpEndpoint#handler} of requests at once. */
        public Builder limits(HttpLimits bounds) {
            this.limits = bounds;
            return this;
        }

        public McpEndpoint build() {
            if (legacy == null && modern == null) {
                throw new IllegalStateException("An endpoint serves at least one era; name legacy or modern, or both.");
            }
            return new McpEndpoint(this);
        }
    }

    /** Adds the endpoint to the routes of a server. */
    public void addTo(Router.Builder routes) {
        routes.mount(this);
    }

    /** The endpoint behind a door of its own: for a server of nothing else, or a servlet in any container. */
    public HttpHandler handler(Trust trust) {
        return new FrontDoor(Router.builder().mount(this).build(), trust, limits);
    }

    @Override
    public String prefix() {
        return path;
    }

    @Override
    public boolean holds(String rawPath) {
        return rawPath.equals(path) || rawPath.equals(path + "/");
    }

    @Override
    public boolean anyOrigin(String rawPath) {
        return false;
    }

    @Override
    public Exchange dress(Exchange exchange) {
        return exchange;
    }

    @Override
    public void answer(Exchange exchange, Identify byDoor) throws IOException, InterruptedException {
        try {
            if (exchange.head().method().equals("OPTIONS")) {
                Answers.empty(exchange, 204, preflight());
            } else {
                route(exchange, (identify == null ? byDoor : identify).of(exchange.head()));
            }
        } catch (McpProblem e) {
            if (exchange.responding()) {
                LOG.debug("A request failed after its answer had begun", e);
                exchange.abort();
            } else {
                refuse(exchange, e);
            }
        } catch (HttpProblem e) {
            refuse(exchange, e.problem());
        } catch (HoldfastException e) {
            Problem problem = ProblemTable.of(e);
            if (problem.status() == 500) {
                LOG.error("{} {} failed", exchange.head().method(), path, e);
            }
            refuse(exchange, problem);
        } catch (RuntimeException e) {
            LOG.error("{} {} failed", exchange.head().method(), path, e);
            if (exchange.responding()) {
                exchange.abort();
            } else {
                refuse(
                        exchange,
                        McpProblem.of(500, McpProblem.INTERNAL_ERROR, "The server failed to answer this request.")
                                .because("internal"));
            }
        }
    }

    private void route(Exchange exchange, Principal principal) throws IOException, InterruptedException {
        RequestHead head = exchange.head();
        switch (head.method()) {
            case "POST" -> {
                JsonNode message = read(exchange);
                eras.of(head, message).post(new McpCall(exchange, principal, message));
            }
            case "GET" -> eras.of(head, null).get(new McpCall(exchange, principal, null));
            case "DELETE" -> eras.of(head, null).delete(new McpCall(exchange, principal, null));
            default -> throw McpProblem.methodNotAllowed(METHODS);
        }
    }

    private JsonNode read(Exchange exchange) throws IOException {
        RequestHead head = exchange.head();
        requireJson(head);
        requireAccept(head, JSON);
        requireAccept(head, EVENTS);
        JsonNode message;
        try {
            message = Json.MAPPER.readTree(Bodies.read(exchange, limits.maxBodyBytes()));
        } catch (JacksonException e) {
            throw McpProblem.of(400, McpProblem.PARSE_ERROR, JsonFault.sentence("The body", e))
                    .because("parse-error");
        }
        if (!message.isObject() && (!message.isArray() || message.isEmpty())) {
            throw McpProblem.of(
                            400,
                            McpProblem.INVALID_REQUEST,
                            "The body must be a JSON-RPC message, or for the revision 2025-03-26 an array of them.")
                    .because("invalid-request");
        }
        return message;
    }

    private static void requireJson(RequestHead head) {
        String type = head.value("Content-Type");
        if (type == null || !mediaType(type).equals(JSON)) {
            throw McpProblem.of(415, McpProblem.INVALID_REQUEST, "Send the body as Content-Type: application/json.")
                    .because("unsupported-media-type");
        }
    }

    /**
     * Refuses a request whose {@code Accept} leaves a media type out; who sends none takes all.
     *
     * @throws McpProblem 406
     */
    public static void requireAccept(RequestHead head, String type) {
        boolean any = true;
        String family = type.substring(0, type.indexOf('/')) + "/*";
        for (String line : head.headers().all("Accept")) {
            any = false;
            for (String range : line.split(",", -1)) {
                String media = mediaType(range);
                if (media.equals(type) || media.equals("*/*") || media.equals(family)) {
                    return;
                }
            }
        }
        if (!any) {
            throw McpProblem.of(
                            406,
                            McpProblem.INVALID_REQUEST,
                            "The answer may be %s; name it in the header Accept.".formatted(type))
                    .because("not-acceptable");
        }
    }

    private static String mediaType(String value) {
        int semicolon = value.indexOf(';');
        return (semicolon < 0 ? value : value.substring(0, semicolon)).strip().toLowerCase(Locale.ROOT);
    }

    private static Headers preflight() {
        return new Headers()
                .set("Access-Control-Allow-Methods", "GET, POST, DELETE")
                .set("Access-Control-Allow-Headers", REQUEST_HEADERS)
                .set("Access-Control-Max-Age", "600");
    }

    private static void refuse(Exchange exchange, McpProblem problem) throws IOException {
        Headers headers = new Headers();
        if (problem.allow() != null) {
            headers.set("Allow", problem.allow());
        }
        if (problem.retryAfterSeconds() > 0) {
            headers.set("Retry-After", Integer.toString(problem.retryAfterSeconds()));
        }
        Answers.json(exchange, problem.status(), headers, problem.body());
    }

    /** An error of the other wires in this one's words; the status says the same. */
    private static void refuse(Exchange exchange, Problem problem) throws IOException {
        if (exchange.responding()) {
            LOG.debug("A request failed after its answer had begun: {}", problem.detail());
            exchange.abort();
            return;
        }
        Headers headers = new Headers();
        problem.headers().forEach(headers::set);
        int code = problem.status() >= 500 ? McpProblem.INTERNAL_ERROR : McpProblem.INVALID_REQUEST;
        McpProblem said =
                McpProblem.of(problem.status(), code, problem.detail()).because(problem.type());
        Answers.json(exchange, problem.status(), headers, said.body());
    }

    /** Ends what runs and every open connection. What is durable stays. */
    @Override
    public void close() {
        eras.close();
    }
}
