package dev.holdfast.client;

import java.util.concurrent.CompletableFuture;

/** What lives by the connection. Called under the client's monitor. */
interface Part {

    /** The client is connected: welcomed, and what it watches attached. */
    void connected(Link link);

    /** The link is lost; another may come. */
    void lost(String why);

    /** No other link comes unless someone asks for it, or, after a close, at all. */
    void ended(ClientException why);

    /** Fails a future after the present change. */
    static void fail(Monitor monitor, CompletableFuture<?> future, ClientException why) {
        monitor.then(() -> future.completeExceptionally(why));
    }
}
