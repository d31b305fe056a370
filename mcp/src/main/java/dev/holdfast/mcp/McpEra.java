package dev.holdfast.mcp;

import java.io.IOException;

/**
 * The rules of one era of the protocol behind an {@link McpEndpoint}. Returning ends the response; errors before the response began are
 * thrown as {@link McpProblem}, which the endpoint answers as a JSON-RPC error. Thread-safe.
 */
public interface McpEra extends AutoCloseable {

    void post(McpCall call) throws IOException, InterruptedException;

    /** Only an era with streams of their own has an answer. */
    default void get(McpCall call) throws IOException, InterruptedException {
        throw McpProblem.methodNotAllowed("POST");
    }

    /** Only an era with sessions has an answer. */
    default void delete(McpCall call) throws IOException, InterruptedException {
        throw McpProblem.methodNotAllowed("POST");
    }

    /** Ends what runs and every open connection. */
    @Override
    void close();
}
