package dev.holdfast.mcp;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** What tests do beside what they do. Each on a thread of its own: the common pool may have one, which HTTP clients need. */
public final class Apart {

    private Apart() {}

    public static <T> CompletableFuture<T> run(Supplier<T> doing) {
        return CompletableFuture.supplyAsync(doing, task -> Thread.ofVirtual().start(task));
    }
}
