package dev.holdfast.http.durablestreams.subscriptions;

import dev.holdfast.access.Action;
import dev.holdfast.access.Authorizer;
import dev.holdfast.access.Principal;
import dev.holdfast.access.Resource;
import dev.holdfast.error.HoldfastException.NotAuthorized;
import dev.holdfast.error.HoldfastException.StoreBusy;
import dev.holdfast.http.Bodies;
import dev.holdfast.http.Exchange;
import dev.holdfast.http.Headers;
import dev.holdfast.http.HttpProblem;
import dev.holdfast.http.Json;
import dev.holdfast.http.RequestHead;
import dev.holdfast.http.Router.Identify;
import dev.holdfast.http.durablestreams.ReservedPaths;
import dev.holdfast.http.durablestreams.subscriptions.SubscriptionProblem.Code;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The reserved paths below {@code __ds}. The requests of workers carry the token of their wake, which is all the proof they need; everything
 * else asks who it is, and the authorizer. Errors of the protocol have its own form, all others are thrown for the door to answer.
 * Thread-safe.
 */
public final class SubscriptionRoutes implements ReservedPaths {

    private static final String JSON = "application/json";
    private static final byte[] NOTHING = new byte[0];

    private static final List<String> KEYS = List.of("jwks.json");

    /** What workers do with the token of a wake. */
    private static final Set<String> REPORTS = Set.of("callback", "ack", "release");

    private final Subscriptions subscriptions;
    private final Authorizer authorizer;
    private final SubscriptionViews views;
    private final Workers workers;
    private final FarSubscriptions far;

    public SubscriptionRoutes(Subscriptions subscriptions, Authorizer authorizer) {
        this.subscriptions = subscriptions;
        this.authorizer = authorizer;
        this.views = subscriptions.views();
        this.workers = new Workers(
                subscriptions.wakes(),
                subscriptions.writes(),
                subscriptions.keys().tokens());
        this.far = new FarSubscriptions(subscriptions.peers(), subscriptions.tenant(), new FarSubscriptions.Here() {
            @Override
            public boolean keeps() {
                return subscriptions.keeps();
            }

            @Override
            public long keeper() {
                return subscriptions.keeper();
            }

            @Override
            public void answer(Exchange exchange, @Nullable Principal principal, String base) throws IOException {
                answerHere(exchange, head -> known(principal), base);
            }
        });
        subscriptions.endsWith(far::close);
    }

    private static Principal known(@Nullable Principal principal) {
        if (principal == null) {
            throw new IllegalStateException("The other node did not ask who it is");
        }
        return principal;
    }

    @Override
    public void answer(Exchange exchange, Identify identify, String base) throws IOException {
        if (subscriptions.keeps()) {
            answerHere(exchange, identify, base);
        } else {
            far.answer(exchange, isAnybodys(exchange.head()) ? null : identify.of(exchange.head()), base);
        }
    }

    /** Whether it needs no proof but the token of a wake, if that. */
    private boolean isAnybodys(RequestHead head) {
        List<String> path;
        try {
            path = ControlPath.of(head.rawPath(), subscriptions.prefix().length() + 1);
        } catch (SubscriptionProblem e) {
            return false;
        }
        return path.equals(KEYS)
                || (path.size() == 3 && path.getFirst().equals("subscriptions") && REPORTS.contains(path.getLast()));
    }

    private void answerHere(Exchange exchange, Identify identify, String base) throws IOException {
        try {
            route(new Request(exchange, identify, base));
        } catch (SubscriptionProblem e) {
            if (e.code() == Code.SUBSCRIPTION_NOT_FOUND && !subscriptions.keeps()) {
                throw new StoreBusy("Another node keeps the subscriptions from now on. Try again in a moment.", e);
            }
            json(exchange, e.code().status(), SubscriptionViews.error(e));
        }
    }

    private record Request(Exchange exchange, Identify identify, String base) {

        String method() {
            return exchange.head().method();
        }

        ObjectNode body() throws IOException {
            byte[] bytes = Bodies.read(exchange, SubscriptionLimits.MAX_REQUEST_BYTES);
            if (bytes.length == 0) {
                return Json.MAPPER.createObjectNode();
            }
            try {
                JsonNode node = Json.MAPPER.readTree(bytes);
                if (node instanceof ObjectNode object) {
                    return object;
                }
            } catch (JacksonException e) {
                throw SubscriptionProblem.invalid("The body is not JSON: " + e.getOriginalMessage());
            }
            throw SubscriptionProblem.invalid("The body must be a JSON object.");
        }

        String token() {
            String header = exchange.head().header("Authorization").orElse("");
            if (!header.regionMatches(true, 0, "Bearer ", 0, 7)) {
                throw new SubscriptionProblem(
                        Code.TOKEN_INVALID, "Send the token of the wake as \"Authorization: Bearer TOKEN\".");
            }
            return header.substring(7).strip();
        }
    }

    private void route(Request request) throws IOException {
        List<String> path = ControlPath.of(
                request.exchange().head().rawPath(), subscriptions.prefix().length() + 1);
        if (path.equals(KEYS)) {
            jwks(request);
            return;
        }
        if (path.equals(List.of("keys", "rotate"))) {
            rotate(request);
            return;
        }
        if (path.size() < 2 || !path.getFirst().equals("subscriptions")) {
            throw new SubscriptionProblem(Code.SUBSCRIPTION_NOT_FOUND, "There is nothing at this reserved path.");
        }
        String id = ControlPath.checkedId(path.get(1));
        if (path.size() == 2) {
            subscription(request, id);
        } else if (path.get(2).equals("streams")) {
            streams(request, id, path.subList(3, path.size()));
        } else if (path.size() == 3) {
            worker(request, id, path.get(2));
        } else {
            throw new SubscriptionProblem(Code.SUBSCRIPTION_NOT_FOUND, "There is nothing at this reserved path.");
        }
    }

    private void jwks(Request request) throws IOException {
        require(request, "GET");
        Headers headers = new Headers()
                .set("Content-Type", "application/jwk-set+json")
                .set("Cache-Control", "public, max-age=" + SubscriptionLimits.KEYS_CACHED.toSeconds());
        request.exchange()
                .answer(
                        200,
                        headers,
                        Json.MAPPER.writeValueAsBytes(
                                subscriptions.keys().signing().jwks()));
    }

    private void rotate(Request request) throws IOException {
        require(request, "POST");
        allow(request, Action.WRITE);
        SigningKeys keys = subscriptions.keys().signing();
        SigningKeys.Held next = Fields.flag(request.body(), "revoke") ? keys.revoke() : keys.replace();
        long signsFrom = Math.max(next.madeAt(), next.signsFrom());
        ObjectNode node = Json.MAPPER.createObjectNode();
        node.put("kid", next.key().id());
        node.put("signs_from", Instant.ofEpochMilli(signsFrom).toString());
        json(request.exchange(), 200, node);
    }

    private void subscription(Request request, String id) throws IOException {
        switch (request.method()) {
            case "PUT" -> {
                allow(request, Action.WRITE);
                boolean created = subscriptions.create(id, CreateRequest.of(request.body()), request.base());
                json(request.exchange(), created ? 201 : 200, views.subscription(subscriptions.get(id)));
            }
            case "GET" -> {
                allow(request, Action.READ);
                json(request.exchange(), 200, views.subscription(subscriptions.get(id)));
            }
            case "DELETE" -> {
                allow(request, Action.DELETE);
                subscriptions.delete(id);
                empty(request.exchange());
            }
            default -> throw HttpProblem.methodNotAllowed(request.method(), "GET, PUT, DELETE");
        }
    }

    private void streams(Request request, String id, List<String> rest) throws IOException {
        require(request, rest.isEmpty() ? "POST" : "DELETE");
        allow(request, Action.WRITE);
        Subscription subscription = subscriptions.get(id);
        if (rest.isEmpty()) {
            subscriptions.addStreams(subscription, CreateRequest.streams(request.body()));
        } else {
            subscriptions.removeStream(subscription, StreamPath.checked("stream", String.join("/", rest)));
        }
        empty(request.exchange());
    }

    private void worker(Request request, String id, String action) throws IOException {
        switch (action) {
            case "claim" -> {
                require(request, "POST");
                allow(request, Action.WRITE);
                claim(request, id);
            }
            case "callback" -> report(request, id, Definition.Type.WEBHOOK);
            case "ack" -> report(request, id, Definition.Type.PULL_WAKE);
            case "release" -> {
                require(request, "POST");
                String token = request.token();
                workers.release(subscriptions.get(id), token, ProgressRequest.of(request.body()));
                empty(request.exchange());
            }
            default ->
                throw new SubscriptionProblem(Code.SUBSCRIPTION_NOT_FOUND, "There is nothing at this reserved path.");
        }
    }

    private void claim(Request request, String id) throws IOException {
        String worker = Fields.text(request.body(), "worker", SubscriptionLimits.MAX_WORKER_CHARS);
        if (worker == null) {
            throw SubscriptionProblem.invalid("\"worker\" must be the name of who claims.");
        }
        Subscription subscription = subscriptions.get(id);
        Workers.Claim claim = workers.claim(subscription, worker);
        json(request.exchange(), 200, views.claim(subscription, claim.wake(), claim.streams()));
    }

    private void report(Request request, String id, Definition.Type type) throws IOException {
        require(request, "POST");
        String token = request.token();
        Subscription subscription = subscriptions.get(id);
        Workers.require(subscription, type);
        Workers.Progress progress = workers.report(subscription, token, ProgressRequest.of(request.body()));
        ObjectNode node = Json.MAPPER.createObjectNode();
        node.put("ok", true);
        node.put("next_wake", progress.nextWake());
        if (progress.token() != null) {
            node.put("token", progress.token());
        }
        json(request.exchange(), 200, node);
    }

    private void allow(Request request, Action action) {
        Principal principal = request.identify().of(request.exchange().head());
        if (!principal.tenant().equals(subscriptions.tenant())) {
            throw new NotAuthorized("The subscriptions of this server belong to another tenant.");
        }
        authorizer.authorize(principal, action, new Resource.AllStreams());
    }

    private static void require(Request request, String method) {
        if (!request.method().equals(method)) {
            throw HttpProblem.methodNotAllowed(request.method(), method);
        }
    }

    private static void empty(Exchange exchange) throws IOException {
        exchange.answer(204, new Headers().set("Cache-Control", "no-store"), NOTHING);
    }

    private static void json(Exchange exchange, int status, ObjectNode node) throws IOException {
        Headers headers = new Headers().set("Content-Type", JSON).set("Cache-Control", "no-store");
        exchange.answer(status, headers, Json.MAPPER.writeValueAsBytes(node));
    }
}
