package dev.holdfast.mcp.tasks;

import io.modelcontextprotocol.modern.server.McpAsyncNotifier;
import reactor.core.publisher.Mono;

/** Where a tool tells of its progress: its caller first, and its task's log from the moment on that it is one. Thread-safe. */
final class ChangingNotifier implements McpAsyncNotifier {

    private volatile McpAsyncNotifier to;

    ChangingNotifier(McpAsyncNotifier caller) {
        this.to = caller;
    }

    void change(McpAsyncNotifier next) {
        to = next;
    }

    @Override
    public Mono<Void> progress(double progress, Double total, String message) {
        return Mono.defer(() -> to.progress(progress, total, message));
    }

    @Override
    public Mono<Void> notify(String method, Object params) {
        return Mono.defer(() -> to.notify(method, params));
    }
}
