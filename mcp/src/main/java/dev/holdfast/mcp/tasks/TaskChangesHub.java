package dev.holdfast.mcp.tasks;

import io.modelcontextprotocol.modern.server.feature.ServerChange;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/** Where subscriptions find the changes, whichever is there first. Thread-safe. */
final class TaskChangesHub {

    private volatile @Nullable TaskChanges changes;

    void set(TaskChanges there) {
        changes = there;
    }

    Flux<ServerChange> changes() {
        TaskChanges there = changes;
        return there == null ? Flux.never() : there.changes();
    }
}
