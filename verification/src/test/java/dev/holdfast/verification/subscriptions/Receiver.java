package dev.holdfast.verification.subscriptions;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.holdfast.verification.rig.Patience;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A server that webhooks are sent to: keeps what came, and answers as the test says. */
public final class Receiver implements AutoCloseable {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** What came. */
    public record Wake(String signature, String rawBody) {

        public JsonNode body() {
            return JSON.readTree(rawBody);
        }

        public String id() {
            return body().path("wake_id").stringValue();
        }

        public long generation() {
            return body().path("generation").longValue();
        }

        public String token() {
            return body().path("callback_token").stringValue();
        }

        /** The offset told as the tail of a stream. */
        public String tail(String stream) {
            return stream(stream).path("tail_offset").stringValue();
        }

        public JsonNode stream(String path) {
            for (JsonNode each : body().path("streams")) {
                if (each.path("path").stringValue().equals(path)) {
                    return each;
                }
            }
            throw new AssertionError("no stream " + path + " in " + rawBody);
        }
    }

    /**
     * What is answered.
     *
     * @param location where to, for a redirect, or empty
     */
    public record Reply(int status, String body, String location) {
        public static final Reply DONE = new Reply(200, "{\"done\":true}", "");
        public static final Reply TAKEN = new Reply(200, "", "");
        public static final Reply BROKEN = new Reply(500, "no", "");
    }

    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<Wake> wakes = new CopyOnWriteArrayList<>();
    private volatile Function<Wake, Reply> answering;

    public Receiver(Function<Wake, Reply> answering) {
        this.answering = answering;
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            Wake wake = new Wake(exchange.getRequestHeaders().getFirst("Webhook-Signature"), body);
            wakes.add(wake);
            Reply reply = answering.apply(wake);
            if (!reply.location().isEmpty()) {
                exchange.getResponseHeaders().add("Location", reply.location());
            }
            byte[] bytes = reply.body().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(reply.status(), bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    public void answer(Function<Wake, Reply> how) {
        answering = how;
    }

    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/hook";
    }

    public List<Wake> wakes() {
        return wakes;
    }

    /** The nth wake, from 0, once it is there. */
    public Wake wake(int n) {
        Patience.await().until(() -> wakes.size() > n);
        return wakes.get(n);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
