package dev.holdfast.verification.chat;

import static dev.holdfast.verification.rig.Patience.await;
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
import org.junit.jupiter.api.Tag;
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

    private ServerProcess start(String api, String... more) {
        List<String> options = new ArrayList<>(
                List.of("--model-url", upstream.baseUrl().toString(), "--model-name", "m", "--model-api", api));
        options.addAll(List.of(more));
        return ServerProcess.start(scratch, scratch.resolve("data"), port, options.toArray(String[]::new));
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
    @Tag("row-1")
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
    @Tag("row-10")
    @Tag("recovery-attach")
    @Tag("recovery-retry")
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
    @Tag("recovery-attach")
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
    @Tag("wire-usage")
    @Tag("recovery-retry")
    void a_failure_of_the_provider_that_passes_is_not_seen_in_the_answer_S82(Fault fault) throws Exception {
        providerOf("chat", Pace.unlimited());
        upstream.misbehave(fault);
        try (ServerProcess server = start("chat")) {
            try (ChatPage.Answer answer = page.post(server.uri(), "Hi")) {
                boolean unused = answer.readTo("[DONE]"); // or cut, where the turn is begun anew
            }
            assertWhole(server.uri());
            JsonNode metadata = page.load(server.uri()).get("messages").get(1).get("metadata");
            assertThat(metadata.get("model").stringValue()).isEqualTo("m");
            assertThat(metadata.get("finishReason").stringValue()).isEqualTo("stop");
            assertThat(metadata.get("usage").get("totalTokens").intValue()).isEqualTo(15);
        }
        assertThat(upstream.requests()).hasSize(2);
    }

    @Test
    @Tag("row-7")
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

    /** A client of 7 can be told on its connection that the answer is begun anew; one of 5 is cut, and reads on. */
    @ParameterizedTest
    @ValueSource(ints = {5, 7})
    @Tag("wire-stall")
    @Tag("row-10")
    @Tag("recovery-retry")
    void a_provider_that_hangs_is_given_up_and_asked_again_S90(int major) throws Exception {
        providerOf("chat", Pace.unlimited());
        upstream.misbehave(new Fault.HangAfter(4));
        try (ServerProcess server = start("chat", "--stall-timeout", "3s")) {
            try (ChatPage.Answer answer = page.post(server.uri(), "Hi", major)) {
                List<String> chunks = answer.rest();
                assertThat(chunks.contains("[DONE]") || major == 5)
                        .as(chunks::toString)
                        .isTrue();
            }
            assertWhole(server.uri());
            assertThat(page.incidents(server.uri())).isEmpty();
        }
        assertThat(upstream.requests()).hasSizeGreaterThanOrEqualTo(2);
    }

    @Test
    @Tag("wire-stall")
    @Tag("S59")
    void a_provider_that_hangs_for_good_is_an_incident_that_shows_and_its_turn_can_be_stopped_S90() throws Exception {
        providerOf("chat", Pace.gated());
        upstream.release(4); // and never another one
        try (ServerProcess server = start("chat", "--stall-timeout", "500ms")) {
            try (ChatPage.Answer answer = page.post(server.uri(), "Hi")) {
                assertThat(answer.status()).isEqualTo(200);
                await().until(() -> page.incidents(server.uri()), incidents -> !incidents.isEmpty());
                JsonNode incident = page.incidents(server.uri()).get(0);
                assertThat(incident.get("status").stringValue()).isEqualTo("recovering");
                assertThat(incident.get("cause").stringValue()).isEqualTo("stalled");
                assertThat(page.stop(server.uri()).get("accepted").booleanValue())
                        .isTrue();
            }
            JsonNode loaded = page.outcome(server.uri());
            assertThat(loaded.get("turn").get("state").stringValue()).isEqualTo("stopped");
            assertThat(page.incidents(server.uri())).isEmpty();
        }
    }
}
