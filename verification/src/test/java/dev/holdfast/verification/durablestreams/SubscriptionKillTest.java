package dev.holdfast.verification.durablestreams;

import static dev.holdfast.verification.rig.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.holdfast.verification.rig.ServerProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A server that is killed again and again while streams grow and their webhooks are delivered. In the end the receiver was told of every
 * append that was acknowledged, and no generation was given to two wakes.
 */
final class SubscriptionKillTest {

    private static final int KILLS = 6;
    private static final int WRITERS = 3;
    private static final int APPENDS_PER_STREAM = 3;

    @TempDir
    private Path scratch;

    private final Random random = new Random(Long.getLong("holdfast.seed", System.nanoTime()));
    private final HttpClient client = HttpClient.newHttpClient();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Map<String, Long> acknowledged = new ConcurrentHashMap<>();
    private final Map<String, Long> told = new ConcurrentHashMap<>();
    private final Map<Long, String> wakeOfGeneration = new ConcurrentHashMap<>();
    private final Set<String> wrong = new CopyOnWriteArraySet<>();
    private HttpServer receiver;

    @BeforeEach
    void listen() throws IOException {
        receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        receiver.setExecutor(threads);
        receiver.createContext("/", this::take);
        receiver.start();
    }

    @AfterEach
    void close() {
        receiver.stop(0);
        threads.shutdownNow();
        client.shutdownNow();
    }

    private void take(HttpExchange exchange) throws IOException {
        try (exchange) {
            JsonNode body =
                    JsonMapper.shared().readTree(exchange.getRequestBody().readAllBytes());
            long generation = body.get("generation").asLong();
            String wake = body.get("wake_id").asString();
            if (!wakeOfGeneration.computeIfAbsent(generation, g -> wake).equals(wake)) {
                wrong.add("generation " + generation + " has two wakes");
            }
            for (JsonNode stream : body.get("streams")) {
                told.merge(stream.get("path").asString(), position(stream.get("tail_offset")), Math::max);
            }
            byte[] answer = "{\"done\":true}".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
        }
    }

    private static long position(JsonNode offset) {
        return Long.parseLong(offset.asString().substring(17));
    }

    @Test
    @Timeout(900)
    void every_acknowledged_append_is_told_whenever_the_server_is_killed_VISIBLE_IS_DURABLE() throws Exception {
        Path data = scratch.resolve("data");
        String key = "";
        for (int kill = 0; kill < KILLS; kill++) {
            try (ServerProcess server = ServerProcess.start(scratch, data, 0)) {
                assertThat(subscribe(server)).isEqualTo(kill == 0 ? 201 : 200);
                String published = get(server, "/__ds/jwks.json").body();
                assertThat(key).isIn("", published);
                key = published;
                growUntilKilled(server, kill);
            }
        }
        try (ServerProcess server = ServerProcess.start(scratch, data, 0)) {
            await().atMost(Duration.ofMinutes(4)).until(() -> untold().isEmpty());
            await().until(() -> unacked(server).isEmpty());
        }
        assertThat(wrong).isEmpty();
        assertThat(acknowledged.size()).isGreaterThan(KILLS);
    }

    private int subscribe(ServerProcess server) throws IOException, InterruptedException {
        String body = """
                {"type":"webhook","pattern":"events/**","webhook":{"url":"http://127.0.0.1:%d/"},"lease_ttl_ms":1000}""".formatted(receiver.getAddress().getPort());
        return send(server, "PUT", "/__ds/subscriptions/sub", body).statusCode();
    }

    private void growUntilKilled(ServerProcess server, int round) throws Exception {
        AtomicInteger appends = new AtomicInteger();
        int enough = 20 + random.nextInt(200);
        List<Future<?>> writers = new ArrayList<>();
        for (int w = 0; w < WRITERS; w++) {
            String prefix = "events/" + round + "/" + w + "-";
            writers.add(threads.submit(() -> grow(server, prefix, appends)));
        }
        await().until(() -> appends.get() >= enough);
        server.kill();
        for (Future<?> writer : writers) {
            writer.get();
        }
    }

    private void grow(ServerProcess server, String prefix, AtomicInteger appends) {
        try {
            for (int n = 0; ; n++) {
                String stream = prefix + n;
                for (int i = 1; i <= APPENDS_PER_STREAM; i++) {
                    HttpResponse<String> answer = send(server, i == 1 ? "PUT" : "POST", "/" + stream, "{}");
                    if (answer.statusCode() / 100 != 2) {
                        wrong.add(stream + ": " + answer.statusCode());
                        return;
                    }
                    acknowledged.put(stream, (long) i);
                    appends.incrementAndGet();
                }
            }
        } catch (IOException e) {
            return; // killed
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private List<String> untold() {
        return acknowledged.entrySet().stream()
                .filter(each -> told.getOrDefault(each.getKey(), 0L) < each.getValue())
                .map(Map.Entry::getKey)
                .toList();
    }

    private List<String> unacked(ServerProcess server) throws IOException, InterruptedException {
        Map<String, Long> acked = new ConcurrentHashMap<>();
        for (JsonNode link : JsonMapper.shared()
                .readTree(get(server, "/__ds/subscriptions/sub").body())
                .get("streams")) {
            acked.put(link.get("path").asString(), position(link.get("acked_offset")));
        }
        return acknowledged.entrySet().stream()
                .filter(each -> acked.getOrDefault(each.getKey(), 0L) < each.getValue())
                .map(Map.Entry::getKey)
                .toList();
    }

    private HttpResponse<String> get(ServerProcess server, String path) throws IOException, InterruptedException {
        return client.send(HttpRequest.newBuilder(at(server, path)).build(), BodyHandlers.ofString());
    }

    private HttpResponse<String> send(ServerProcess server, String method, String path, String body)
            throws IOException, InterruptedException {
        return client.send(
                HttpRequest.newBuilder(at(server, path))
                        .header("Content-Type", "application/json")
                        .method(method, BodyPublishers.ofString(body))
                        .build(),
                BodyHandlers.ofString());
    }

    private static URI at(ServerProcess server, String path) {
        return URI.create(server.uri() + "/v1/stream" + path);
    }
}
