package dev.holdfast.client.transport;

import java.net.http.HttpClient;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Server-sent events down, a POST for each command up. Speaks HTTP/1.1, so that a connection that is cut takes nothing else with it. Thread-safe. Each
 * connection has one virtual thread that reads.
 */
public final class SseTransport implements Transport {

    /** How long the connecting of a socket may take. */
    static final Duration CONNECT_LIMIT = Duration.ofSeconds(10);

    private final Endpoint endpoint;
    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpClient client;

    public SseTransport(Endpoint endpoint) {
        this.endpoint = endpoint;
        this.client = client(executor);
    }

    static HttpClient client(ExecutorService executor) {
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER) // an API key goes nowhere else
                .connectTimeout(CONNECT_LIMIT)
                .executor(executor)
                .build();
    }

    @Override
    public Connection connection(Receiver receiver) {
        return new SseConnection(endpoint, client, executor, receiver);
    }

    @Override
    public void close() {
        client.shutdownNow();
        executor.shutdown();
    }
}
