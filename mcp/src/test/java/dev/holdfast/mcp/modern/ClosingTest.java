package dev.holdfast.mcp.modern;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.mcp.Apart;
import dev.holdfast.mcp.ModernCaller;
import dev.holdfast.mcp.ModernServer;
import dev.holdfast.mcp.TestTools;
import io.modelcontextprotocol.modern.JsonRpc.JSONRPCMessage;
import io.modelcontextprotocol.modern.JsonRpc.JSONRPCResponse;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** Work that is not wanted any more before it begins. */
class ClosingTest {

    @Test
    void a_request_that_is_under_way_when_the_server_closes_is_refused_and_its_tool_does_not_run() {
        TestTools tools = new TestTools();
        tools.open("a");
        CompletableFuture<Boolean> came = new CompletableFuture<>();
        CompletableFuture<Boolean> closed = new CompletableFuture<>();
        try (ModernServer server = ModernServer.plain(
                tools,
                era -> era.context(call -> {
                    came.complete(true);
                    closed.join();
                    return Map.of();
                }))) {
            var answer = Apart.run(() -> new ModernCaller(server.uri()).tool("gate", Map.of("label", "a")));
            came.join();
            server.closeEndpoint();
            closed.complete(true);

            assertThat(answer.join().status()).isEqualTo(503);
            assertThat(answer.join().error().path("data").path("reason").stringValue())
                    .isEqualTo("closing");
            assertThat(answer.join().response().path("id").isNumber()).isTrue();
            assertThat(tools.counted("came a")).isZero();
        }
    }

    @Test
    void work_that_is_cancelled_before_it_begins_does_not_begin() {
        AtomicInteger handled = new AtomicInteger();
        CompletableFuture<@Nullable Throwable> ended = new CompletableFuture<>();
        Work work = new Work(
                () -> {
                    handled.incrementAndGet();
                    return Mono.empty();
                },
                new Work.Listener() {
                    @Override
                    public void answered(JSONRPCResponse response) {}

                    @Override
                    public void streams() {}

                    @Override
                    public void message(JSONRPCMessage message) {}

                    @Override
                    public void ended(@Nullable Throwable failure) {
                        ended.complete(failure);
                    }
                });
        work.cancel();
        work.start();
        assertThat(ended.join()).isInstanceOf(CancellationException.class);
        assertThat(handled).hasValue(0);
    }
}
