package dev.holdfast.http.session;

import java.io.IOException;

/** The way down of one connection. Owned by the thread that runs the connection's part. */
interface Outlet {

    /** Collects a message; what was collected leaves with {@link #flush} or when it has become much. */
    void add(byte[] json) throws IOException;

    /** Writes what was collected; blocks until the client takes it. Returns whether there was anything. */
    boolean flush() throws IOException;
}
