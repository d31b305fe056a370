package dev.holdfast.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.models.loopback.Fault;
import dev.holdfast.models.loopback.LoopbackRequest;
import dev.holdfast.models.loopback.LoopbackUpstream;
import dev.holdfast.models.loopback.Pace;
import dev.holdfast.models.loopback.Recording;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.uimessage.UiChunk;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.ObjectNode;

/** The agent against a provider over real HTTP. */
final class OpenAiChatAgentTest {

    private static final String KEY = "sk-secret-0123456789";

    private LoopbackUpstream upstream = LoopbackUpstream.start(Pace.unlimited());
    private final RecordingTurn turn = new RecordingTurn("Hello?");

    @AfterEach
    void close() {
        upstream.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"openai-chat-text", "deepseek-chat-reasoning", "deepseek-chat-tool-call", "xai-chat-tool-call"})
    void the_whole_answer_arrives_in_order(String model) throws Exception {
        AgentResult result = agent(model).run(turn);
        assertThat(turn.chunks()).isEqualTo(expected(model));
        assertThat(result)
                .isInstanceOf(model.endsWith("tool-call") ? AgentResult.Awaiting.class : AgentResult.Completed.class);
    }

    @Test
    void the_request_says_what_was_asked_and_carries_the_key() throws Exception {
        ModelSettings settings = ModelSettings.builder(upstream.baseUrl(), "openai-chat-text")
                .apiKey(KEY)
                .instructions("Be brief.")
                .header("X-Team", "one")
                .parameter("temperature", ModelJson.read("0.5").orElseThrow())
                .build();
        new OpenAiChatAgent(settings).run(turn);
        LoopbackRequest request = upstream.requests().get(0);
        assertThat(request.headers())
                .containsEntry("authorization", "Bearer " + KEY)
                .containsEntry("x-team", "one");
        ObjectNode body = ModelJson.event(request.body().getBytes(StandardCharsets.UTF_8));
        assertThat(body).isEqualTo(ModelJson.read("""
                                {"model": "openai-chat-text", "stream": true, "stream_options": {"include_usage": true}, "temperature": 0.5,
                                 "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello?"}]}
                                """).orElseThrow());
        assertThat(settings.toString()).doesNotContain(KEY);
    }

    @ParameterizedTest
    @CsvSource({"401, check the key", "429, too many requests", "404, base URL", "500, server"})
    void an_error_status_becomes_an_error_that_names_the_address_and_not_the_key(int status, String hint) {
        upstream.misbehave(new Fault.Refuse(status, "{\"error\":\"server says no to " + KEY + "\"}"));
        assertThatThrownBy(() -> agent("openai-chat-text").run(turn))
                .isInstanceOf(ProviderException.Refused.class)
                .hasMessageContaining(upstream.baseUrl() + "/chat/completions")
                .hasMessageContaining(String.valueOf(status))
                .hasMessageContaining(hint)
                .hasMessageContaining("says no to ***")
                .hasMessageNotContaining(KEY);
        assertThat(turn.chunks()).isEmpty();
    }

    @Test
    void an_answer_that_is_not_a_stream_is_an_error() {
        upstream.misbehave(new Fault.Refuse(200, "{\"choices\":[]}"));
        assertThatThrownBy(() -> agent("openai-chat-text").run(turn))
                .isInstanceOf(ProviderException.Malformed.class)
                .hasMessageContaining("application/json");
    }

    @Test
    void a_provider_that_is_not_there_is_an_error() {
        upstream.close();
        assertThatThrownBy(() -> agent("openai-chat-text").run(turn))
                .isInstanceOf(ProviderException.Unreachable.class)
                .hasMessageContaining(upstream.baseUrl().toString());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 150, 301})
    void a_stream_that_ends_early_is_never_taken_for_an_answer(int events) {
        for (Fault fault :
                List.of(new Fault.CutAfter(events), new Fault.CutInside(events), new Fault.EndAfter(events))) {
            RecordingTurn partial = new RecordingTurn("Hello?");
            upstream.misbehave(fault);
            assertThatThrownBy(() -> agent("openai-chat-text").run(partial))
                    .as(fault.toString())
                    .isInstanceOfAny(brokenOff(events));
            List<String> whole = expected("openai-chat-text");
            assertThat(partial.chunks())
                    .as(fault.toString())
                    .isEqualTo(whole.subList(0, partial.chunks().size()));
            if (fault instanceof Fault.EndAfter) {
                // A cut may take what the HTTP client had not handed over yet; a proper end takes nothing.
                assertThat(partial.chunks()).hasSize(events == 0 ? 0 : events == 1 ? 2 : events + 2);
            }
        }
    }

    /** Where the connection ends with the answer's head, the client may not have seen an answer at all. */
    private static Class<?>[] brokenOff(int events) {
        return events > 0
                ? new Class<?>[] {ProviderException.Cut.class}
                : new Class<?>[] {ProviderException.Cut.class, ProviderException.Unreachable.class};
    }

    @Test
    void a_server_that_leaves_out_the_mark_at_the_end_is_understood_once_it_gave_the_reason() throws Exception {
        upstream.misbehave(new Fault.EndAfter(302));
        assertThat(agent("openai-chat-text").run(turn)).isInstanceOf(AgentResult.Completed.class);
        assertThat(turn.chunks()).last().asString().contains("\"finish\"", "\"stop\"");
    }

    @Test
    void a_stop_cuts_the_connection_at_once() throws Exception {
        upstream.close();
        upstream = LoopbackUpstream.start(Pace.gated());
        CountDownLatch begun = new CountDownLatch(1);
        turn.onEmit(chunks -> {
            if (chunks >= 7) {
                begun.countDown();
            }
        });
        upstream.release(5);
        CompletableFuture<AgentResult> result = AgentRuns.start(agent("openai-chat-text"), turn);
        begun.await();
        turn.stop();
        assertThatThrownBy(result::join).hasCauseInstanceOf(InterruptedException.class);
        upstream.awaitLostReaders(1);
        assertThat(turn.chunks()).hasSize(7);
    }

    @Test
    void a_stop_cuts_the_connection_even_before_the_answer_begins() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            URI url = URI.create("http://127.0.0.1:" + silent.getLocalPort() + "/v1");
            OpenAiChatAgent agent =
                    new OpenAiChatAgent(ModelSettings.builder(url, "m").build());
            CompletableFuture<AgentResult> result = AgentRuns.start(agent, turn);
            try (Socket connection = silent.accept()) {
                assertThat(connection.getInputStream().read()).isEqualTo('P');
                turn.stop();
                assertThatThrownBy(result::join).hasCauseInstanceOf(InterruptedException.class);
                assertThat(endOf(connection)).isEqualTo("ended");
            }
        }
    }

    @Test
    void an_interrupt_ends_the_run_like_a_stop() throws Exception {
        upstream.close();
        upstream = LoopbackUpstream.start(Pace.gated());
        Thread[] runner = new Thread[1];
        CompletableFuture<Throwable> error = new CompletableFuture<>();
        CountDownLatch begun = new CountDownLatch(1);
        turn.onEmit(chunks -> begun.countDown());
        upstream.release(1);
        runner[0] = Thread.ofVirtual().start(() -> {
            try {
                agent("openai-chat-text").run(turn);
            } catch (Throwable e) {
                error.complete(e);
            }
        });
        begun.await();
        runner[0].interrupt();
        assertThat(error.join()).isInstanceOf(InterruptedException.class);
        upstream.awaitLostReaders(1);
    }

    private static String endOf(Socket connection) {
        try {
            while (connection.getInputStream().read() >= 0) {
                // The rest of the request.
            }
        } catch (IOException e) {
            // Cut hard.
        }
        return "ended";
    }

    private OpenAiChatAgent agent(String model) {
        return new OpenAiChatAgent(
                ModelSettings.builder(upstream.baseUrl(), model).apiKey(KEY).build());
    }

    private static List<String> expected(String model) {
        ChatCompletionsMapper mapper = new ChatCompletionsMapper("m1");
        List<UiChunk> chunks = new ArrayList<>();
        for (String event : Recording.named(model).orElseThrow().events()) {
            chunks.addAll(mapper.accept(ModelJson.event(event.getBytes(StandardCharsets.UTF_8))));
        }
        chunks.addAll(mapper.end());
        return chunks.stream()
                .map(chunk -> new String(chunk.toBytes(), StandardCharsets.UTF_8))
                .toList();
    }
}
