package dev.holdfast.mcp.streamable;

import io.modelcontextprotocol.spec.McpStreamableServerSession;
import io.modelcontextprotocol.spec.McpStreamableServerTransportProvider;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.publisher.Mono;

/** The transport, and how many sessions the SDK has made for it. */
record CountingProvider(StreamableTransport transport, AtomicInteger sessions)
        implements McpStreamableServerTransportProvider {

    @Override
    public void setSessionFactory(McpStreamableServerSession.Factory factory) {
        transport.setSessionFactory(request -> {
            sessions.incrementAndGet();
            return factory.startSession(request);
        });
    }

    @Override
    public Mono<Void> notifyClients(String method, Object params) {
        return transport.notifyClients(method, params);
    }

    @Override
    public Mono<Void> notifyClient(String sessionId, String method, Object params) {
        return transport.notifyClient(sessionId, method, params);
    }

    @Override
    public Mono<Void> closeGracefully() {
        return transport.closeGracefully();
    }

    @Override
    public List<String> protocolVersions() {
        return transport.protocolVersions();
    }
}
