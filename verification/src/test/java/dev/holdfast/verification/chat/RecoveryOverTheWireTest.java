package dev.holdfast.verification.chat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.models.loopback.Fault;
import dev.holdfast.models.loopback.LoopbackUpstream;
import dev.holdfast.models.loopback.Pace;
import dev.holdfast.models.loopback.Recording;
import dev.holdfast.verification.rig.LastingPort;
import dev.holdfast.verification.rig.ServerProcess;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/**
 * A server process with a provider that outlives it, or that fails: killed at every stage of a turn. A client that comes back ends with the whole
 * answer, once.
 */
final class RecoveryOverTheWireTest {

    private static final int WORDS = 10;
    private static final String ANSWER = "w0 w1 w2 w3 w4 w5 w6 w7 w8 w9 ";

    /** Of one answer: the beginning, the words, and two that end it. */
    private static final int EVENTS = WORDS + 3;

    @TempDir
    private Path scratch;

    private LoopbackUpstream upstream = LoopbackUpstream.start(Pace.gated());
    private final ChatPage page = new ChatPage("c");
    private final int port = LastingPort.find();

    @AfterEach
    void close() {
        upstream.close();
    }

    private ServerProcess start(String api) {
        return ServerProcess.start(
                scratch,
                scratch.resolve("data"),
                port,
                "--model-url",
                upstream.baseUrl().toString(),
                "--model-name",
                "m",
                "--model-api",
                api);
    }

    private void providerOf(String api, Pace pace) {
        upstream.close();
        upstream = LoopbackUpstream.start(pace);
        upstream.script(request -> Optional.of(api.equals("responses") ? responses() : completions()));
    }

    private static Recording responses() {
        List<String> events = new ArrayList<>();
        events.add("{'type':'response.created','sequence_number':0,'response':{'id':'resp_1','model':'m'}}");
        for (int i = 0; i < WORDS; i++) {
            events.add(
                    "{'type':'response.output_text.delta','sequence_number':%d,'item_id':'t','content_index':0,'delta':'w%d '}"
                            .formatted(events.size(), i));
        }
        events.add("{'type':'response.output_text.done','sequence_number':%d,'item_id':'t','content_index':0}"
                .formatted(events.size()));
        events.add("{'type':'response.completed','sequence_number':%d,'response':{}}".formatted(events.size()));
        return recording(events);
    }

    private static Recording completions() {
        List<String> events = new ArrayList<>();
        events.add("{'model':'m','choices':[{'index':0,'delta':{'role':'assistant'}}]}");
        for (int i = 0; i < WORDS; i++) {
            events.add("{'choices':[{'index':0,'delta':{'content':'w%d '}}]}".formatted(i));
        }
        events.add("{'choices':[{'index':0,'delta':{},'finish_reason':'stop'}]}");
        events.add("{'choices':[],'usage':{'prompt_tokens':10,'completion_tokens':5,'total_tokens':15}}");
        return recording(events);
    }

    private static Recording recording(List<String> events) {
        return Recording.of(
                events.stream().map(event -> event.replace('\'', '"')).toList());
    }

    private void assertWhole(URI server) throws Exception {
        JsonNode loaded = page.outcome(server);
        assertThat(loaded.get("turn").get("state").stringValue()).isEqualTo("completed");
        assertThat(ChatPage.texts(loaded)).containsExactly("Hi", ANSWER);
        try (ChatPage.Answer repeated = page.post(server, "Hi")) {
            assertThat(repeated.readTo("[DONE]")).isTrue();
        }
        assertThat(ChatPage.texts(page.load(server))).containsExactly("Hi", ANSWER);
    }

    @ParameterizedTest
    @ValueSource(strings = {"chat", "responses"})
    void a_server_that_is_killed_before_the_first_chunk_answers_all_the_same_S92(String api) throws Exception {
        providerOf(api, Pace.gated());
        try (ServerProcess server = start(api);
                ChatPage.Answer answer = page.post(server.uri(), "Hi")) {
            assertThat(answer.status()).isEqualTo(200);
            server.kill();
            assertThat(answer.readTo("[DONE]")).isFalse();
        }
        upstream.release(2 * EVENTS);
        try (ServerProcess server = start(api)) {
            assertWhole(server.uri());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"chat", "responses"})
    void a_server_that_is_killed_within_the_text_answers_all_the_same_S92(String api) throws Exception {
        providerOf(api, Pace.gated());
        try (ServerProcess server = start(api);
                ChatPage.Answer answer = page.post(server.uri(), "Hi")) {
            upstream.release(5);
            assertThat(answer.readTo("w3")).isTrue();
            server.kill();
            assertThat(answer.readTo("[DONE]")).isFalse();
        }
        upstream.release(2 * EVENTS);
        try (ServerProcess server = start(api)) {
            assertWhole(server.uri());
        }
    }

    @Test
    void ten_kills_in_a_row_within_one_turn_lose_and_repeat_nothing_S92() throws Exception {
        providerOf("responses", Pace.gated());
        upstream.release(1);
        for (int i = 0; i < WORDS; i++) {
            try (ServerProcess server = start("responses");
                    ChatPage.Answer answer = i == 0 ? page.post(server.uri(), "Hi") : page.resume(server.uri())) {
                upstream.release(1);
                assertThat(answer.readTo("w" + i + " ")).as("word " + i).isTrue();
                server.kill();
            }
        }
        upstream.release(2);
        try (ServerProcess server = start("responses")) {
            assertWhole(server.uri());
        }
    }

    /** Somewhere in the cutover, or right before or behind it: which, depends on the machine, and must not matter. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5})
    void a_server_that_is_killed_as_the_turn_ends_has_the_message_once_S92(int lines) throws Exception {
        providerOf("responses", Pace.gated());
        try (ServerProcess server = start("responses");
                ChatPage.Answer answer = page.post(server.uri(), "Hi")) {
            upstream.release(EVENTS - 2);
            assertThat(answer.readTo("w9")).isTrue();
            upstream.release(2);
            for (int i = 0; i < lines; i++) {
                boolean unused = answer.readTo("");
            }
            server.kill();
        }
        try (ServerProcess server = start("responses")) {
            assertWhole(server.uri());
        }
    }

    static Stream<Fault> passing() {
        return Stream.of(
                new Fault.CutAfter(0),
                new Fault.CutAfter(4),
                new Fault.CutInside(4),
                new Fault.EndAfter(4),
                new Fault.Refuse(429, "{}"),
                new Fault.Refuse(500, "{}"));
    }

    @ParameterizedTest
    @MethodSource("passing")
    void a_failure_of_the_provider_that_passes_is_not_seen_in_the_answer_S82(Fault fault) throws Exception {
        providerOf("chat", Pace.unlimited());
        upstream.misbehave(fault);
        try (ServerProcess server = start("chat")) {
            try (ChatPage.Answer answer = page.post(server.uri(), "Hi")) {
                boolean unused = answer.readTo("[DONE]"); // or cut, where the turn is begun anew
            }
            assertWhole(server.uri());
        }
        assertThat(upstream.requests()).hasSize(2);
    }

    @Test
    void what_is_no_answer_at_all_ends_the_turn_with_an_error_and_keeps_what_came_S82() throws Exception {
        providerOf("chat", Pace.unlimited());
        upstream.misbehave(new Fault.GarbageAfter(4));
        try (ServerProcess server = start("chat")) {
            try (ChatPage.Answer answer = page.post(server.uri(), "Hi")) {
                assertThat(answer.readTo("\"type\":\"error\"")).isTrue();
                assertThat(answer.readTo("[DONE]")).isTrue();
            }
            JsonNode loaded = page.outcome(server.uri());
            assertThat(loaded.get("turn").get("state").stringValue()).isEqualTo("failed");
            assertThat(loaded.get("turn").get("error").stringValue()).isNotBlank();
            assertThat(ChatPage.texts(loaded)).containsExactly("Hi", "w0 w1 w2 ");
        }
    }
}
