package dev.holdfast.verification.sessionclient;

import dev.holdfast.client.ClientSettings;
import dev.holdfast.client.SessionClient;
import dev.holdfast.client.transport.Endpoint;
import dev.holdfast.client.transport.SseTransport;
import dev.holdfast.client.transport.Transport;
import dev.holdfast.client.transport.WebSocketTransport;
import java.net.URI;
import java.time.Duration;

/** The two ways to a server. */
enum Way {
    SSE,
    WEB_SOCKET;

    Transport to(Endpoint endpoint) {
        return this == SSE ? new SseTransport(endpoint) : new WebSocketTransport(endpoint);
    }

    /** A client that comes back quickly. It does nothing yet. */
    SessionClient client(URI server) {
        return client(server, ClientSettings.defaults());
    }

    SessionClient client(URI server, ClientSettings settings) {
        return new SessionClient(
                to(Endpoint.of(server)), settings.withPauses(Duration.ofMillis(5), Duration.ofMillis(100)));
    }
}
