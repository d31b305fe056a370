package dev.holdfast.verification.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/**
 * Asks any of the servers, and another one if that cannot be reached, cuts the answer, or says 503: what a client may do whose requests can be repeated.
 * For one thread.
 */
final class Client implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int PAUSE_MILLIS = 20;
    private static final int MAX_TRIES = 5_000;

    private final IntFunction<URI> servers;
    private final Random random;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final CountDownLatch closed = new CountDownLatch(1);

    Client(IntFunction<URI> servers, long seed) {
        this.servers = servers;
        this.random = new Random(seed);
    }

    int any() {
        return random.nextInt(Servers.COUNT);
    }

    private HttpRequest.Builder request(int server, String path, String... headers) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(servers.apply(server).resolve(path)).timeout(PATIENCE);
        return headers.length == 0 ? request : request.headers(headers);
    }

    /** One request to one server. */
    HttpResponse<String> ask(int server, String method, String path, String body, String... headers)
            throws IOException, InterruptedException {
        HttpRequest request = request(server, path, headers)
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                .build();
        return http.send(request, BodyHandlers.ofString());
    }

    HttpResponse<String> get(int server, String path) throws IOException, InterruptedException {
        return ask(server, "GET", path, "");
    }

    HttpResponse<String> post(int server, String path, String json) throws IOException, InterruptedException {
        return ask(server, "POST", path, json, "Content-Type", "application/json");
    }

    /** Asks until a server says yes or no. */
    HttpResponse<String> insist(String method, String path, String body, String... headers)
            throws InterruptedException {
        for (int i = 0; i < MAX_TRIES; i++) {
            try {
                HttpResponse<String> answer = ask(any(), method, path, body, headers);
                if (answer.statusCode() != 503) {
                    return answer;
                }
            } catch (IOException e) {
                // unreachable, or cut: another one may know
            }
            pause();
        }
        throw new AssertionError("No server answered " + method + " " + path);
    }

    /** Opens an event stream at one server. */
    HttpResponse<InputStream> watch(int server, String path, String... headers)
            throws IOException, InterruptedException {
        return http.send(request(server, path, headers).build(), BodyHandlers.ofInputStream());
    }

    /** Before it tries again. */
    void pause() throws InterruptedException {
        boolean unused = closed.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        closed.countDown();
        http.shutdownNow();
    }
}
