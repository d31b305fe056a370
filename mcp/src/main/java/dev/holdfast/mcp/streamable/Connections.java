package dev.holdfast.mcp.streamable;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The open connections of one session, at most one for each of its streams: a new one supersedes the one that was there. Thread-safe. */
final class Connections {

    private final Map<String, SseConnection> open = new ConcurrentHashMap<>();

    /** What is done with a connection that comes when all were ended. */
    private volatile @Nullable Consumer<SseConnection> last;

    void attach(String stream, SseConnection connection) {
        SseConnection stale = open.put(stream, connection);
        if (stale != null) {
            stale.supersede();
        }
        Consumer<SseConnection> end = last;
        if (end != null) {
            end.accept(connection);
        }
    }

    void detach(String stream, SseConnection connection) {
        boolean unused = open.remove(stream, connection);
    }

    /** Another connection, which is on another node, reads the stream from now on. */
    void supersede(String stream) {
        SseConnection connection = open.get(stream);
        if (connection != null) {
            connection.supersede();
        }
    }

    /** Ends the connection of a stream, if there is one. */
    void close(String stream, Duration retry) {
        SseConnection connection = open.get(stream);
        if (connection != null) {
            connection.close(retry);
        }
    }

    /** Ends all, whoever reads them next. */
    void end() {
        endAll(SseConnection::supersede);
    }

    /** Cuts all, so that no client takes the end of its connection for the end of its stream. */
    void abort() {
        endAll(SseConnection::abort);
    }

    private void endAll(Consumer<SseConnection> end) {
        last = end;
        open.values().forEach(end);
    }
}
