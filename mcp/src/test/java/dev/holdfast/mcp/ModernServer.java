package dev.holdfast.mcp;

import dev.holdfast.Holdfast;
import dev.holdfast.access.ApiKeys;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.Trust;
import dev.holdfast.http.jetty.JettyServer;
import dev.holdfast.mcp.modern.ModernEra;
import dev.holdfast.mcp.modern.RequestStates;
import dev.holdfast.mcp.tasks.DurableTasks;
import io.modelcontextprotocol.modern.McpSchema;
import io.modelcontextprotocol.modern.server.McpFeature;
import io.modelcontextprotocol.modern.server.McpServer;
import io.modelcontextprotocol.modern.server.feature.McpChangeFeed;
import io.modelcontextprotocol.modern.server.feature.ServerChange;
import io.modelcontextprotocol.modern.server.feature.ToolsFeature;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/** A server of the revision 2026-07-28 on a real socket, with tasks if there is a store for them. */
public final class ModernServer implements AutoCloseable {

    /** Principals {@code key-1} and {@code key-2}. */
    public static final List<String> KEYS = List.of("first-key-of-tests", "second-key-of-tests");

    private final @Nullable Holdfast holdfast;
    private final @Nullable DurableTasks tasks;
    private final McpEndpoint endpoint;
    private final JettyServer jetty;
    public final McpChangeFeed feed = new McpChangeFeed();

    /** How many listen at the moment. */
    public final AtomicInteger listeners = new AtomicInteger();

    private ModernServer(
            @Nullable Holdfast holdfast,
            TestTools tools,
            UnaryOperator<DurableTasks.Builder> rules,
            UnaryOperator<ModernEra.Builder> era,
            boolean keys) {
        this.holdfast = holdfast;
        this.tasks = holdfast == null
                ? null
                : rules.apply(DurableTasks.builder(holdfast)).build();
        McpFeature feature = ToolsFeature.ofSync(tools);
        McpServer.Builder server = McpServer.builder()
                .serverInfo(McpSchema.Implementation.builder("test", "1").build())
                .feature(tasks == null ? feature : tasks.of(feature))
                .subscriptions(tasks == null ? this::changes : tasks.changes(this::changes));
        if (holdfast != null) {
            server.requestStateCodec(RequestStates.of(holdfast));
        }
        endpoint = McpEndpoint.at("/mcp")
                .modern(era.apply(ModernEra.builder(server.build())).build())
                .build();
        Trust trust = keys
                ? new Trust("default", ApiKeys.of("default", KEYS), Set.of(), Set.of())
                : Trust.loopback("default");
        jetty = new JettyServer("127.0.0.1", 0, HttpLimits.defaults(), endpoint.handler(trust));
        try {
            jetty.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Flux<ServerChange> changes() {
        return feed.changes()
                .doOnSubscribe(subscription -> listeners.incrementAndGet())
                .doFinally(signal -> listeners.decrementAndGet());
    }

    /** Without tasks. */
    public static ModernServer plain(TestTools tools, UnaryOperator<ModernEra.Builder> era) {
        return new ModernServer(null, tools, UnaryOperator.identity(), era, false);
    }

    /** With tasks; closing it closes the store. */
    public static ModernServer tasks(Holdfast holdfast, TestTools tools, UnaryOperator<DurableTasks.Builder> rules) {
        return new ModernServer(holdfast, tools, rules, UnaryOperator.identity(), false);
    }

    public static ModernServer tasks(
            Holdfast holdfast,
            TestTools tools,
            UnaryOperator<DurableTasks.Builder> rules,
            UnaryOperator<ModernEra.Builder> era) {
        return new ModernServer(holdfast, tools, rules, era, false);
    }

    /** With tasks, for callers with a key of {@link #KEYS}. */
    public static ModernServer keyed(Holdfast holdfast, TestTools tools, UnaryOperator<DurableTasks.Builder> rules) {
        return new ModernServer(holdfast, tools, rules, UnaryOperator.identity(), true);
    }

    /** Ends the era alone: what a server does that is shut down in order. */
    public void closeEndpoint() {
        endpoint.close();
    }

    public URI uri() {
        return URI.create("http://127.0.0.1:" + jetty.port() + "/mcp");
    }

    /** Ends it as a process ends that was killed: what runs is lost, what was committed is not. */
    @Override
    public void close() {
        jetty.close();
        endpoint.close();
        if (tasks != null) {
            tasks.close();
        }
        if (holdfast != null) {
            holdfast.close();
        }
    }
}
