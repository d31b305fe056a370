package dev.holdfast.mcp.spring;

import dev.holdfast.mcp.McpEndpoint;
import org.springframework.context.SmartLifecycle;

/**
 * Ends the endpoint's connections before the web server waits for its requests to end, which event streams never do: their clients come back, and
 * go on where they were. An endpoint that was stopped is closed for good: a context that is started again must be a new one.
 */
final class EndpointLifecycle implements SmartLifecycle {

    private final McpEndpoint endpoint;
    private volatile boolean running;

    EndpointLifecycle(McpEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        endpoint.close();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** The first to be stopped. */
    @Override
    public int getPhase() {
        return Integer.MAX_VALUE;
    }
}
