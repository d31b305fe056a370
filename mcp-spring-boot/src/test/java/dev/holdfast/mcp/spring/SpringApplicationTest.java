package dev.holdfast.mcp.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.mcp.spring.McpPeer.Event;
import dev.holdfast.mcp.streamable.StreamableTransport;
import io.modelcontextprotocol.server.McpServerFeatures.SyncToolSpecification;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpServerTransportProviderBase;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A Spring Boot application with Spring AI's MCP server and the auto-configuration: nothing of its own code names Holdfast. */
final class SpringApplicationTest {

    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final String CALL = """
            {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"slow","arguments":{}}}""";
    private static final AtomicReference<CountDownLatch> GATE = new AtomicReference<>(new CountDownLatch(0));

    @TempDir
    Path folder;

    /** The application. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        List<SyncToolSpecification> tools() {
            return List.of(SyncToolSpecification.builder()
                    .tool(McpSchema.Tool.builder("slow", Map.of("type", "object"))
                            .build())
                    .callHandler((exchange, request) -> {
                        try {
                            GATE.get().await();
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                        return McpSchema.CallToolResult.builder()
                                .addTextContent("done")
                                .build();
                    })
                    .build());
        }
    }

    private ConfigurableApplicationContext start(String... more) {
        String[] arguments = java.util.stream.Stream.concat(
                        java.util.stream.Stream.of(
                                "--server.port=0",
                                "--server.address=127.0.0.1",
                                "--spring.ai.mcp.server.protocol=STREAMABLE",
                                "--spring.main.banner-mode=off",
                                "--holdfast.mcp.data=" + folder.resolve("data")),
                        java.util.stream.Stream.of(more))
                .toArray(String[]::new);
        return new SpringApplicationBuilder(Application.class).run(arguments);
    }

    private static int port(ConfigurableApplicationContext context) {
        return Objects.requireNonNull(context.getEnvironment().getProperty("local.server.port", Integer.class));
    }

    @Test
    void a_call_goes_on_while_its_client_is_away_and_its_answer_waits_also_after_a_restart() throws Exception {
        GATE.set(new CountDownLatch(1));
        String session;
        String id;
        try (ConfigurableApplicationContext context = start();
                McpPeer peer = new McpPeer(port(context))) {
            assertThat(peer.initialize()).contains("\"protocolVersion\":\"" + McpPeer.VERSION + "\"");
            session = peer.session();
            assertThat(session).isNotBlank();
            try (McpPeer.Reading call = peer.call(CALL)) {
                Event first = Objects.requireNonNull(call.next());
                assertThat(first.data()).isEmpty();
                id = Objects.requireNonNull(first.id());
            }
            GATE.get().countDown();
            try (McpPeer.Reading again = peer.resume(id)) {
                assertThat(again.status()).isEqualTo(200);
                assertThat(again.messages()).singleElement().satisfies(SpringApplicationTest::isTheAnswer);
            }
        }
        try (ConfigurableApplicationContext context = start();
                McpPeer peer = new McpPeer(port(context), session)) {
            try (McpPeer.Reading again = peer.resume(id)) {
                assertThat(again.messages()).singleElement().satisfies(SpringApplicationTest::isTheAnswer);
            }
            try (McpPeer.Reading call = peer.call(CALL)) {
                assertThat(call.messages()).singleElement().satisfies(SpringApplicationTest::isTheAnswer);
            }
        }
    }

    private static void isTheAnswer(Event event) {
        assertThat(event.data()).contains("\"id\":7").contains("\"text\":\"done\"");
    }

    @Test
    void there_is_one_transport_and_nothing_of_the_stock_one() {
        try (ConfigurableApplicationContext context = start()) {
            assertThat(context.getBeansOfType(McpServerTransportProviderBase.class)
                            .values())
                    .singleElement()
                    .isInstanceOf(StreamableTransport.class);
            assertThat(context.containsBean("webMvcStreamableServerRouterFunction"))
                    .isFalse();
        }
    }

    @Test
    void switched_off_it_leaves_the_stock_transport_alone() {
        try (ConfigurableApplicationContext context = start("--holdfast.mcp.enabled=false")) {
            assertThat(context.getBeansOfType(StreamableTransport.class)).isEmpty();
            assertThat(context.containsBean("webMvcStreamableServerRouterFunction"))
                    .isTrue();
            assertThat(folder.resolve("data")).doesNotExist();
        }
    }

    @Test
    void an_application_ends_although_an_event_stream_is_open() throws Exception {
        GATE.set(new CountDownLatch(1));
        ConfigurableApplicationContext context = start("--server.shutdown=graceful");
        try (McpPeer peer = new McpPeer(port(context))) {
            peer.initialize();
            try (McpPeer.Reading call = peer.call(CALL)) {
                assertThat(call.next()).isNotNull();
                Thread closing = Thread.ofPlatform().start(context::close);
                await().atMost(PATIENCE).until(() -> !closing.isAlive());
            }
        } finally {
            GATE.get().countDown();
        }
    }
}
