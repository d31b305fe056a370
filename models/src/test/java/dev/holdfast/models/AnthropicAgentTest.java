package dev.holdfast.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.models.loopback.Fault;
import dev.holdfast.models.loopback.LoopbackRequest;
import dev.holdfast.models.loopback.LoopbackUpstream;
import dev.holdfast.models.loopback.Pace;
import dev.holdfast.models.loopback.Recording;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.MessageAssembler.End;
import dev.holdfast.uimessage.UiChunk;
import dev.holdfast.uimessage.UiMessage;
import dev.holdfast.uimessage.UiPart;
import dev.langchain4j.agent.tool.ToolSpecification;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The agent against a provider over real HTTP. */
final class AnthropicAgentTest {

    private static final String KEY = "sk-ant-secret-0123456789";
    private static final String SEARCH = "anthropic-messages-web-search";
    private static final String PROGRAM = "anthropic-messages-programmatic-tools";
    private static final int SEARCH_EVENTS = 120;
    private static final int ROLLS = 14;

    private LoopbackUpstream upstream = LoopbackUpstream.start(Pace.unlimited());
    private final RecordingTurn turn = new RecordingTurn("Hello?");

    @AfterEach
    void close() {
        upstream.close();
    }

    @Test
    @Tag("row-12")
    void a_search_by_the_provider_is_a_call_with_its_result_and_the_text_with_its_sources() throws Exception {
        assertThat(agent(SEARCH).run(turn)).isInstanceOf(AgentResult.Completed.class);
        assertThat(turn.raw()).allMatch(chunk -> UiChunk.parse(chunk).acceptedBy(5));
        UiMessage message = turn.message(End.COMPLETED);
        List<ArrayNode> sent = AnthropicMessages.contents(SEARCH);
        assertThat(message.text()).isEqualTo(AnthropicMessages.text(sent));
        assertThat(ToolMessages.calls(message)).singleElement().satisfies(call -> {
            assertThat(call.toolName()).isEqualTo("web_search");
            assertThat(call.isProviderExecuted()).isTrue();
            assertThat(call.input()).hasValue(sent.get(0).at("/0/input"));
            assertThat(call.output()).hasValue(sent.get(0).at("/1/content"));
        });
        assertThat(message.parts())
                .filteredOn(UiPart.SourceUrl.class::isInstance)
                .extracting(part -> ((UiPart.SourceUrl) part).url())
                .doesNotHaveDuplicates()
                .contains("https://9to5mac.com/2025/09/22/ios-26-1-beta-1/");
        assertThat(metadata(message).get("model").stringValue()).isEqualTo("claude-sonnet-4-20250514");
        assertThat(metadata(message).get("finishReason").stringValue()).isEqualTo("stop");
        assertThat(metadata(message).get("usage"))
                .isEqualTo(json(
                        "{\"inputTokens\":15665,\"outputTokens\":795,\"totalTokens\":16460,\"cachedInputTokens\":0}"));
    }

    @Test
    void what_the_model_gets_back_later_is_what_it_said() throws Exception {
        // The message equals what the provider sent: blocks, calls, encrypted results and citations.
        agent(SEARCH).run(turn);
        UiMessage message = turn.message(End.COMPLETED);
        JsonNode request = AnthropicRequest.of(
                settings(SEARCH).build(),
                Toolbox.EMPTY,
                List.of(UiMessage.ofUser("u1", "News?"), message, UiMessage.ofUser("u2", "And?")));
        assertThat(request.at("/messages/1/content"))
                .isEqualTo(AnthropicMessages.asSentBack(AnthropicMessages.contents(SEARCH))
                        .get(0));
        assertThat(request.at("/messages")).hasSize(3);
    }

    @Test
    @Tag("wire-usage")
    void a_program_of_the_provider_calls_tools_of_the_server_until_it_is_done() throws Exception {
        List<String> rolls = new ArrayList<>();
        Iterator<Integer> die =
                List.of(5, 6, 4, 6, 5, 2, 6, 6, 1, 2, 3, 4, 5, 6).iterator();
        Tool rollDie = Tool.of(ToolSpecification.builder().name("rollDie").build(), call -> {
            rolls.add(call.input().get("player").stringValue());
            return ToolOutput.parsed(String.valueOf(die.next()));
        });
        AnthropicAgent agent = agent(PROGRAM).withTools(Toolbox.of(rollDie));
        assertThat(agent.run(turn)).isInstanceOf(AgentResult.Completed.class);
        assertThat(rolls).hasSize(ROLLS).startsWith("player1", "player2");
        UiMessage message = turn.message(End.COMPLETED);
        List<ArrayNode> sent = AnthropicMessages.contents(PROGRAM);
        assertThat(message.text()).isEqualTo(AnthropicMessages.text(sent));
        UiPart.Tool program = ToolMessages.calls(message).get(0);
        assertThat(program.toolName()).isEqualTo("code_execution");
        assertThat(program.input()).hasValue(sent.get(0).at("/1/input"));
        assertThat(program.output()).hasValue(sent.get(sent.size() - 1).at("/0/content"));
        assertThat(message.parts())
                .filteredOn(UiPart.StepStart.class::isInstance)
                .hasSize(ROLLS + 1);
        assertThat(metadata(message).at("/usage/outputTokens").asInt()).isEqualTo(725 + 197);
        assertThat(metadata(message).at("/usage/inputTokens").asInt()).isEqualTo(3369 + 4551);

        assertThat(upstream.requests()).hasSize(ROLLS + 1);
        ObjectNode last = body(upstream.requests().get(ROLLS));
        assertThat(last.get("container").stringValue()).isEqualTo("container_011CWHPPTDTn1XufeRB9uHeH");
        List<JsonNode> said = new ArrayList<>();
        last.get("messages").forEach(said::add);
        assertThat(said).hasSize(1 + 2 * ROLLS);
        for (int i = 0; i < ROLLS; i++) {
            assertThat(said.get(1 + 2 * i).get("content")).as("answer %d", i).isEqualTo(sent.get(i));
            assertThat(said.get(2 + 2 * i).at("/content/0/type").stringValue()).isEqualTo("tool_result");
        }
    }

    @Test
    void the_result_of_a_program_goes_back_where_it_came() throws Exception {
        Tool rollDie = Tool.of(ToolSpecification.builder().name("rollDie").build(), call -> ToolOutput.text("6"));
        agent(PROGRAM).withTools(Toolbox.of(rollDie)).run(turn);
        JsonNode messages = AnthropicRequest.of(
                        settings(PROGRAM).build(),
                        Toolbox.EMPTY,
                        List.of(
                                UiMessage.ofUser("u1", "Play!"),
                                turn.message(End.COMPLETED),
                                UiMessage.ofUser("u2", "Again!")))
                .get("messages");
        List<ArrayNode> sent = AnthropicMessages.contents(PROGRAM);
        assertThat(messages.get(1 + 2 * ROLLS).get("content")).isEqualTo(sent.get(ROLLS));
    }

    @Test
    void thinking_goes_back_with_its_signature() throws Exception {
        upstream.answer(Scripts.recording(
                "{'type':'message_start','message':{'model':'claude','content':[],'usage':{'input_tokens':3}}}",
                "{'type':'content_block_start','index':0,'content_block':{'type':'thinking','thinking':'','signature':''}}",
                "{'type':'content_block_delta','index':0,'delta':{'type':'thinking_delta','thinking':'Let me '}}",
                "{'type':'ping'}",
                "{'type':'content_block_delta','index':0,'delta':{'type':'thinking_delta','thinking':'see.'}}",
                "{'type':'content_block_delta','index':0,'delta':{'type':'signature_delta','signature':'c2ln'}}",
                "{'type':'content_block_stop','index':0}",
                "{'type':'content_block_start','index':1,'content_block':{'type':'redacted_thinking','data':'aGlk'}}",
                "{'type':'content_block_stop','index':1}",
                "{'type':'content_block_start','index':2,'content_block':{'type':'tool_use','id':'c1','name':'pay','input':{}}}",
                "{'type':'content_block_delta','index':2,'delta':{'type':'input_json_delta','partial_json':'{`sum`:'}}",
                "{'type':'content_block_delta','index':2,'delta':{'type':'input_json_delta','partial_json':'1}'}}",
                "{'type':'content_block_stop','index':2}",
                "{'type':'message_delta','delta':{'stop_reason':'tool_use'},'usage':{'output_tokens':9}}",
                "{'type':'message_stop'}"));
        assertThat(agent("m").run(turn)).isInstanceOf(AgentResult.Awaiting.class);
        UiMessage message = turn.message(End.AWAITING);
        assertThat(message.parts())
                .extracting(UiPart::type)
                .containsExactly("step-start", "reasoning", "reasoning", "tool-pay");
        assertThat(((UiPart.Reasoning) message.parts().get(1)).text()).isEqualTo("Let me see.");
        JsonNode messages = AnthropicRequest.of(
                        settings("m").build(), Toolbox.EMPTY, List.of(UiMessage.ofUser("u1", "Pay!"), message))
                .get("messages");
        assertThat(messages.get(1).get("content")).isEqualTo(json("""
                        [{"type":"thinking","thinking":"Let me see.","signature":"c2ln"},{"type":"redacted_thinking","data":"aGlk"},
                         {"type":"tool_use","id":"c1","name":"pay","input":{"sum":1}}]
                        """));
        assertThat(messages.get(2)).isEqualTo(json("""
                        {"role":"user","content":[{"type":"tool_result","tool_use_id":"c1",
                         "content":"The tool call was interrupted and has no result.","is_error":true}]}
                        """));
    }

    @Test
    void a_search_that_failed_is_an_error_of_the_call_and_goes_back_as_it_came() throws Exception {
        upstream.answer(Scripts.recording(
                "{'type':'message_start','message':{'content':[]}}",
                "{'type':'content_block_start','index':0,'content_block':{'type':'server_tool_use','id':'s1','name':'web_search','input':{}}}",
                "{'type':'content_block_stop','index':0}",
                "{'type':'content_block_start','index':1,'content_block':{'type':'web_search_tool_result','tool_use_id':'s1','content':{'type':'web_search_tool_result_error','error_code':'max_uses_exceeded'}}}",
                "{'type':'content_block_stop','index':1}",
                "{'type':'message_delta','delta':{'stop_reason':'end_turn'},'usage':{}}",
                "{'type':'message_stop'}"));
        agent("m").run(turn);
        UiMessage message = turn.message(End.COMPLETED);
        assertThat(ToolMessages.calls(message))
                .singleElement()
                .satisfies(call -> assertThat(call.errorText()).hasValue("max_uses_exceeded"));
        JsonNode content = AnthropicRequest.of(
                        settings("m").build(), Toolbox.EMPTY, List.of(UiMessage.ofUser("u1", "?"), message))
                .at("/messages/1/content");
        assertThat(content.get(1))
                .isEqualTo(json("{\"type\":\"web_search_tool_result\",\"tool_use_id\":\"s1\",\"content\":"
                        + "{\"type\":\"web_search_tool_result_error\",\"error_code\":\"max_uses_exceeded\"}}"));
    }

    @Test
    void an_answer_that_the_provider_paused_goes_on_in_the_next_step() throws Exception {
        upstream.answer(
                Scripts.recording(
                        "{'type':'message_start','message':{'content':[]}}",
                        "{'type':'content_block_start','index':0,'content_block':{'type':'text','text':'Searching. '}}",
                        "{'type':'content_block_stop','index':0}",
                        "{'type':'message_delta','delta':{'stop_reason':'pause_turn'},'usage':{'output_tokens':2}}",
                        "{'type':'message_stop'}"),
                Scripts.recording(
                        "{'type':'message_start','message':{'content':[]}}",
                        "{'type':'content_block_start','index':0,'content_block':{'type':'text','text':'Found.'}}",
                        "{'type':'content_block_stop','index':0}",
                        "{'type':'message_delta','delta':{'stop_reason':'end_turn'},'usage':{'output_tokens':3}}",
                        "{'type':'message_stop'}"));
        assertThat(agent("m").run(turn)).isInstanceOf(AgentResult.Completed.class);
        UiMessage message = turn.message(End.COMPLETED);
        assertThat(message.text()).isEqualTo("Searching. Found.");
        assertThat(metadata(message).at("/usage/outputTokens").asInt()).isEqualTo(5);
        assertThat(body(upstream.requests().get(1)).at("/messages/1/role").stringValue())
                .isEqualTo("assistant");
    }

    @Test
    void the_request_says_what_was_asked_and_carries_the_key() throws Exception {
        ModelSettings settings = settings(SEARCH)
                .instructions("Be brief.")
                .header("anthropic-beta", "code-execution-2025-08-25")
                .parameter("tools", json("[{\"type\":\"web_search_20250305\",\"name\":\"web_search\"}]"))
                .build();
        new AnthropicAgent(settings)
                .withTools(Toolbox.of(Tool.ofClient(ToolSpecification.builder()
                        .name("pay")
                        .description("Pays.")
                        .build())))
                .run(turn);
        LoopbackRequest request = upstream.requests().get(0);
        assertThat(request.path()).isEqualTo("/v1/messages");
        assertThat(request.headers())
                .containsEntry("x-api-key", KEY)
                .containsEntry("anthropic-version", "2023-06-01")
                .containsEntry("anthropic-beta", "code-execution-2025-08-25")
                .doesNotContainKey("authorization");
        assertThat(body(request)).isEqualTo(json("""
                                {"model": "anthropic-messages-web-search", "stream": true, "max_tokens": 8192, "system": "Be brief.",
                                 "tools": [{"type": "web_search_20250305", "name": "web_search"},
                                  {"name": "pay", "description": "Pays.", "input_schema": {"type": "object", "properties": {}}}],
                                 "messages": [{"role": "user", "content": [{"type": "text", "text": "Hello?"}]}]}
                                """));
    }

    @ParameterizedTest
    @CsvSource({"401, check the key", "429, too many requests", "404, base URL", "500, server", "529, overloaded"})
    void an_error_status_becomes_an_error_that_names_the_address_and_not_the_key(int status, String hint) {
        upstream.misbehave(new Fault.Refuse(status, "{\"error\":\"server overloaded, says no to " + KEY + "\"}"));
        assertThatThrownBy(() -> agent(SEARCH).run(turn))
                .isInstanceOf(ProviderException.Refused.class)
                .hasMessageContaining(upstream.baseUrl() + "/messages")
                .hasMessageContaining(String.valueOf(status))
                .hasMessageContaining(hint)
                .hasMessageContaining("says no to ***")
                .hasMessageNotContaining(KEY);
        assertThat(turn.chunks()).isEmpty();
    }

    @Test
    void an_error_within_the_stream_is_an_error_and_what_came_before_is_kept() {
        upstream.answer(Scripts.recording(
                "{'type':'message_start','message':{'content':[]}}",
                "{'type':'content_block_start','index':0,'content_block':{'type':'text','text':'Well'}}",
                "{'type':'error','error':{'type':'overloaded_error','message':'Overloaded'}}"));
        assertThatThrownBy(() -> agent("m").run(turn))
                .isInstanceOf(ProviderException.Failed.class)
                .hasMessageContaining("overloaded_error")
                .hasMessageContaining("Overloaded");
        assertThat(turn.message(End.FAILED).text()).isEqualTo("Well");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 15, 60, SEARCH_EVENTS - 1})
    void a_stream_that_ends_early_is_never_taken_for_an_answer(int events) {
        List<String> whole = expected();
        for (Fault fault :
                List.of(new Fault.CutAfter(events), new Fault.CutInside(events), new Fault.EndAfter(events))) {
            RecordingTurn partial = new RecordingTurn("Hello?");
            upstream.misbehave(fault);
            assertThatThrownBy(() -> agent(SEARCH).run(partial))
                    .as(fault.toString())
                    .isInstanceOfAny(brokenOff(events));
            assertThat(partial.chunks())
                    .as(fault.toString())
                    .isEqualTo(whole.subList(0, partial.chunks().size()));
        }
    }

    /** Where the connection ends with the answer's head, the client may not have seen an answer at all. */
    private static Class<?>[] brokenOff(int events) {
        return events > 0
                ? new Class<?>[] {ProviderException.Cut.class}
                : new Class<?>[] {ProviderException.Cut.class, ProviderException.Unreachable.class};
    }

    @Test
    void garbage_within_the_stream_is_an_error() {
        upstream.misbehave(new Fault.GarbageAfter(20));
        assertThatThrownBy(() -> agent(SEARCH).run(turn))
                .isInstanceOf(ProviderException.Malformed.class)
                .hasMessageContaining("not JSON");
    }

    @Test
    void a_stop_cuts_the_connection_at_once() throws Exception {
        upstream.close();
        upstream = LoopbackUpstream.start(Pace.gated());
        CountDownLatch begun = new CountDownLatch(1);
        turn.onEmit(chunks -> {
            if (chunks >= 3) {
                begun.countDown();
            }
        });
        upstream.release(2);
        CompletableFuture<AgentResult> result = AgentRuns.start(agent(SEARCH), turn);
        begun.await();
        turn.stop();
        assertThatThrownBy(result::join).hasCauseInstanceOf(InterruptedException.class);
        upstream.awaitLostReaders(1);
    }

    @Test
    void files_of_the_user_are_sent_as_images_and_documents() {
        JsonNode content = AnthropicRequest.of(
                        ModelSettings.builder(URI.create("http://localhost/v1"), "m")
                                .build(),
                        Toolbox.EMPTY,
                        List.of(UiMessage.parse("""
                                {"id":"u","role":"user","parts":[{"type":"text","text":"Look."},
                                 {"type":"file","mediaType":"image/png","url":"data:image/png;base64,AA"},
                                 {"type":"file","mediaType":"application/pdf","url":"https://a.org/b.pdf"},
                                 {"type":"file","mediaType":"audio/wav","url":"https://a.org/b.wav"}]}
                                """.getBytes(StandardCharsets.UTF_8))))
                .at("/messages/0/content");
        assertThat(content).isEqualTo(json("""
                        [{"type":"text","text":"Look."},
                         {"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA"}},
                         {"type":"document","source":{"type":"url","url":"https://a.org/b.pdf"}}]
                        """));
    }

    private static JsonNode metadata(UiMessage message) {
        return Objects.requireNonNull(message.metadata());
    }

    private ModelSettings.Builder settings(String model) {
        return ModelSettings.builder(upstream.baseUrl(), model).apiKey(KEY);
    }

    private AnthropicAgent agent(String model) {
        return new AnthropicAgent(settings(model).build());
    }

    private static ObjectNode body(LoopbackRequest request) {
        return ModelJson.event(request.body().getBytes(StandardCharsets.UTF_8));
    }

    private static JsonNode json(String json) {
        return ModelJson.read(json).orElseThrow();
    }

    private static List<String> expected() {
        AnthropicMapper mapper = new AnthropicMapper("m1", 1);
        List<UiChunk> chunks = new ArrayList<>();
        for (String event : Recording.named(SEARCH).orElseThrow().events()) {
            chunks.addAll(mapper.accept(ModelJson.event(event.getBytes(StandardCharsets.UTF_8))));
        }
        return chunks.stream()
                .map(chunk -> new String(chunk.toBytes(), StandardCharsets.UTF_8))
                .toList();
    }
}
