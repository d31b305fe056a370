package dev.holdfast.bench.sessions;

import java.net.InetSocketAddress;
import java.nio.channels.Selector;

/** What carries the messages. */
enum Transport {
    SSE("SSE"),
    WEBSOCKET("WebSocket");

    private final String title;

    Transport(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }

    /** Whether there is such a server. */
    boolean isServedBy(Contender contender) {
        return this == SSE || contender == Contender.HOLDFAST;
    }

    /** How the watchers of one thread connect. */
    Link.Opening opening(InetSocketAddress server, Selector selector) {
        return switch (this) {
            case SSE -> SseLink.to(new SseLink.Commands(server, selector));
            case WEBSOCKET -> WebSocketLink.to(server, selector);
        };
    }
}
