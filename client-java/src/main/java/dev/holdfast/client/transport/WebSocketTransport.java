package dev.holdfast.client.transport;

import java.net.http.HttpClient;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A WebSocket with the subprotocol {@code holdfast.v1}; the key goes in the header of its opening. Thread-safe. */
public final class WebSocketTransport implements Transport {

    /** The subprotocol. */
    public static final String PROTOCOL = "holdfast.v1";

    private final Endpoint endpoint;
    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpClient client = SseTransport.client(executor);

    public WebSocketTransport(Endpoint endpoint) {
        this.endpoint = endpoint;
    }

    @Override
    public Connection connection(Receiver receiver) {
        return new WebSocketConnection(endpoint, client, executor, receiver);
    }

    @Override
    public void close() {
        client.shutdownNow();
        executor.shutdown();
    }
}
