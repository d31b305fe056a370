package dev.holdfast.mcp.streamable;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The open connections of one session, at most one for each of its streams: a new one supersedes the one that was there. Thread-safe. */
final class Connections {

    private final Map<String, SseConnection> open = new ConcurrentHashMap<>();

    void attach(String stream, SseConnection connection) {
        SseConnection stale = open.put(stream, connection);
        if (stale != null) {
            stale.supersede();
        }
    }

    void detach(String stream, SseConnection connection) {
        boolean unused = open.remove(stream, connection);
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
        open.values().forEach(SseConnection::supersede);
    }

    /** Cuts all, so that no client takes the end of its connection for the end of its stream. */
    void abort() {
        open.values().forEach(SseConnection::abort);
    }
}
