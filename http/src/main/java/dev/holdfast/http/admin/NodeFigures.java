package dev.holdfast.http.admin;

import java.time.Duration;
import java.util.OptionalLong;

/** What a server knows of itself beside its store, at the moment of each call. Implementations are thread-safe and do not wait for anything slow. */
public interface NodeFigures {

    String version();

    /** Since the process began. */
    Duration uptime();

    /** What is used of the heap. */
    long heapBytes();

    /** Connections of the session transport to this process. */
    int connections();

    /** Sessions that these watch. */
    int watchedSessions();

    /** What the store has on this machine's disk; empty where it is elsewhere. */
    OptionalLong storeBytes();
}
