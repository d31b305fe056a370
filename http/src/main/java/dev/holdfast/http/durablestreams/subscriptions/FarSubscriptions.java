package dev.holdfast.http.durablestreams.subscriptions;

import dev.holdfast.access.Principal;
import dev.holdfast.cluster.Peers;
import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.StoreBusy;
import dev.holdfast.http.Bodies;
import dev.holdfast.http.Exchange;
import dev.holdfast.http.Headers;
import dev.holdfast.http.HttpProblem;
import dev.holdfast.http.Json;
import dev.holdfast.http.ProblemCodec;
import dev.holdfast.http.ProblemTable;
import dev.holdfast.http.RequestHead;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Requests about subscriptions that came to another node than the one that keeps them: there they are answered as if they had come there, and the answer is
 * handed on. Thread-safe.
 */
final class FarSubscriptions implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration PAUSE = Duration.ofMillis(50);

    private final Peers peers;
    private final String topic;
    private final Runnable ending;

    /** Answers a request on this node. */
    interface Here {

        /** Whether it is this node that answers. */
        boolean keeps();

        /** The node that does, or 0 if none does at the moment. */
        long keeper();

        void answer(Exchange exchange, @Nullable Principal principal, String base) throws IOException;
    }

    private final Here here;

    FarSubscriptions(Peers peers, String tenant, Here here) {
        this.peers = peers;
        this.topic = Keeping.TOPIC + tenant + "/requests";
        this.here = here;
        this.ending = peers.answer(topic, this::answer);
    }

    /**
     * Has a request answered by the node that keeps the subscriptions, this one perhaps by then.
     *
     * @param principal who asks; null for a request that needs to be nobody's
     * @throws StoreBusy if no node did anything
     * @throws HoldfastException.OutcomeUnknown if one may have
     */
    void answer(Exchange exchange, @Nullable Principal principal, String base) throws IOException {
        byte[] body = Bodies.read(exchange, SubscriptionLimits.MAX_REQUEST_BYTES);
        byte[] question = question(exchange.head(), body, principal, base);
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            if (here.keeps()) {
                here.answer(new Whole(exchange.head(), body, exchange), principal, base);
                return;
            }
            long node = here.keeper();
            Optional<JsonNode> answer = node == 0 || node == peers.self()
                    ? Optional.empty()
                    : peers.ask(node, topic, question)
                            .map(bytes -> Json.MAPPER.readTree(bytes))
                            .filter(said -> !said.isNull());
            if (answer.isPresent()) {
                write(exchange, answer.get());
                return;
            }
            if (System.nanoTime() - deadline > 0) {
                throw new StoreBusy(
                        "No node keeps the subscriptions at this moment, so nothing was done. Try again in a few seconds.",
                        new IllegalStateException("no keeper"));
            }
            LockSupport.parkNanos(this, PAUSE.toNanos());
        }
    }

    private static byte[] question(RequestHead head, byte[] body, @Nullable Principal principal, String base) {
        ObjectNode question = Json.MAPPER.createObjectNode();
        question.put("method", head.method())
                .put("mount", head.mount())
                .put("path", head.rawPath())
                .put("query", head.rawQuery())
                .put("base", base)
                .put("body", body);
        if (principal != null) {
            question.put("tenant", principal.tenant()).put("principal", principal.name());
        }
        ArrayNode headers = question.putArray("headers");
        add(headers, head, "Content-Type");
        if (principal == null) {
            add(headers, head, "Authorization"); // the token of a wake; the key of a principal goes nowhere
        }
        return Json.MAPPER.writeValueAsBytes(question);
    }

    private static void add(ArrayNode headers, RequestHead head, String name) {
        head.header(name)
                .ifPresent(value -> headers.addObject().put("name", name).put("value", value));
    }

    private static void write(Exchange exchange, JsonNode answer) throws IOException {
        if (answer.path("problem") instanceof ObjectNode problem) {
            throw new HttpProblem(ProblemCodec.read(problem));
        }
        Headers headers = new Headers();
        answer.path("headers")
                .forEach(header -> headers.set(
                        header.path("name").asString(""), header.path("value").asString("")));
        exchange.answer(
                answer.path("status").intValue(), headers, answer.path("body").binaryValue());
    }

    private byte[] answer(byte[] question) {
        if (!here.keeps()) {
            return Json.MAPPER.writeValueAsBytes(null);
        }
        JsonNode asked = Json.MAPPER.readTree(question);
        Headers headers = new Headers();
        asked.path("headers")
                .forEach(header -> headers.set(
                        header.path("name").asString(""), header.path("value").asString("")));
        RequestHead head = new RequestHead(
                asked.path("method").asString(""),
                asked.path("mount").asString(""),
                asked.path("path").asString(""),
                asked.path("query").isString() ? asked.path("query").asString() : null,
                headers,
                "HTTP/1.1",
                "http",
                "",
                null);
        Principal principal = asked.path("principal").isString()
                ? new Principal(
                        asked.path("tenant").asString(""),
                        asked.path("principal").asString(""))
                : null;
        Whole whole = new Whole(head, asked.path("body").binaryValue(), null);
        ObjectNode answer = Json.MAPPER.createObjectNode();
        try {
            here.answer(whole, principal, asked.path("base").asString(""));
            whole.writeTo(answer);
        } catch (HttpProblem e) {
            answer.set("problem", ProblemCodec.write(e.problem()));
        } catch (HoldfastException e) {
            answer.set("problem", ProblemCodec.write(ProblemTable.of(e)));
        } catch (IOException e) {
            throw new IllegalStateException("Nothing here is written to a client", e);
        }
        return Json.MAPPER.writeValueAsBytes(answer);
    }

    @Override
    public void close() {
        ending.run();
    }
}
