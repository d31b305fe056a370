package dev.holdfast.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.models.loopback.Recording;
import dev.holdfast.uimessage.UiChunk;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class ResponsesMapperTest {

    /** Events of every kind that is mapped, beside those of the recording. */
    static final List<String> EVERY_KIND = List.of(
            "{'type':'response.created','response':{'id':'r','model':'gpt'}}",
            "{'type':'response.output_item.added','item':{'id':'rs','type':'reasoning','summary':[]}}",
            "{'type':'response.reasoning_summary_part.added','item_id':'rs','summary_index':0}",
            "{'type':'response.reasoning_summary_text.delta','item_id':'rs','summary_index':0,'delta':'I think'}",
            "{'type':'response.reasoning_summary_part.done','item_id':'rs','summary_index':0}",
            "{'type':'response.output_item.done','item':{'id':'rs','type':'reasoning','summary':[]}}",
            "{'type':'response.output_item.added','item':{'id':'ws','type':'web_search_call','status':'in_progress'}}",
            "{'type':'response.web_search_call.searching','item_id':'ws'}",
            "{'type':'response.output_item.done','item':{'id':'ws','type':'web_search_call','status':'completed','action':{'query':'q'}}}",
            "{'type':'response.output_item.added','item':{'id':'mc','type':'mcp_call','name':'find','arguments':''}}",
            "{'type':'response.mcp_call_arguments.done','item_id':'mc','arguments':'{}'}",
            "{'type':'response.output_item.done','item':{'id':'mc','type':'mcp_call','name':'find','arguments':'{}','error':'down'}}",
            "{'type':'response.output_text.delta','item_id':'ms','content_index':0,'delta':'Answer'}",
            "{'type':'response.output_text.annotation.added','item_id':'ms','content_index':0,'annotation_index':0,"
                    + "'annotation':{'type':'url_citation','url':'https://example.org','title':'Example'}}",
            "{'type':'response.output_text.annotation.added','item_id':'ms','content_index':0,'annotation_index':1,"
                    + "'annotation':{'type':'file_citation','file_id':'f','filename':'a.txt'}}",
            "{'type':'response.output_text.done','item_id':'ms','content_index':0,'text':'Answer'}",
            "{'type':'response.output_item.added','item':{'id':'fc','type':'function_call','call_id':'call_1','name':'pay','arguments':''}}",
            "{'type':'response.function_call_arguments.delta','item_id':'fc','delta':'{}'}",
            "{'type':'response.output_item.done','item':{'id':'fc','type':'function_call','call_id':'call_1','name':'pay','arguments':'{}'}}",
            "{'type':'response.completed','response':{'usage':{'input_tokens':3,'output_tokens':4,'total_tokens':7}}}");

    @Test
    void every_kind_of_event_becomes_chunks_for_clients_from_5() {
        List<UiChunk> chunks = map(new ResponsesMapper("m1"), EVERY_KIND);
        assertThat(chunks).allMatch(chunk -> chunk.acceptedBy(5));
        assertThat(chunks.stream().map(UiChunk::type))
                .containsExactly(
                        "start",
                        "start-step",
                        "reasoning-start",
                        "reasoning-delta",
                        "reasoning-end",
                        "tool-input-start",
                        "tool-input-available",
                        "tool-output-available",
                        "tool-input-start",
                        "tool-input-available",
                        "tool-output-error",
                        "text-start",
                        "text-delta",
                        "source-url",
                        "source-document",
                        "text-end",
                        "tool-input-start",
                        "tool-input-delta",
                        "tool-input-available",
                        "finish-step",
                        "finish");
        assertThat(json(chunks.get(20)))
                .isEqualTo(
                        "{'type':'finish','finishReason':'tool-calls','messageMetadata':{'finishReason':'tool-calls',"
                                + "'usage':{'inputTokens':3,'outputTokens':4,'totalTokens':7}}}");
    }

    @Test
    void calls_that_the_provider_ran_are_marked_so_that_no_client_runs_them_again() {
        List<UiChunk> chunks = map(
                new ResponsesMapper("m1"),
                Recording.named("openai-responses-mcp-tool").orElseThrow().events());
        assertThat(chunks)
                .filteredOn(UiChunk.ToolInputAvailable.class::isInstance)
                .hasSize(2)
                .allSatisfy(chunk -> assertThat(chunk)
                        .isInstanceOfSatisfying(UiChunk.ToolInputAvailable.class, call -> {
                            assertThat(call.toolName()).isEqualTo("mcp.web_search_exa");
                            assertThat(call.traits().providerExecuted()).isTrue();
                        }));
        assertThat(chunks)
                .filteredOn(UiChunk.ToolOutputAvailable.class::isInstance)
                .hasSize(2);
    }

    @Test
    void a_run_waits_for_the_results_of_functions_but_not_of_calls_that_the_provider_ran() {
        assertThat(finishReason(map(new ResponsesMapper("m1"), EVERY_KIND))).isEqualTo("tool-calls");
        List<String> mcp =
                Recording.named("openai-responses-mcp-tool").orElseThrow().events();
        assertThat(finishReason(map(new ResponsesMapper("m1"), mcp))).isEqualTo("stop");
    }

    private static @Nullable String finishReason(List<UiChunk> chunks) {
        return ((UiChunk.Finish) chunks.get(chunks.size() - 1)).finishReason();
    }

    @Test
    void a_run_that_failed_is_an_error_with_the_reason_of_the_provider() {
        assertThatThrownBy(
                        () -> map(
                                new ResponsesMapper("m1"),
                                List.of(
                                        "{'type':'response.failed','response':{'error':{'code':'server_error','message':'out of luck'}}}")))
                .isInstanceOf(ProviderException.Failed.class)
                .hasMessageContaining("out of luck");
        assertThatThrownBy(() -> map(new ResponsesMapper("m1"), List.of("{'type':'error','message':'overloaded'}")))
                .isInstanceOf(ProviderException.Failed.class)
                .hasMessageContaining("overloaded");
    }

    @Test
    void an_answer_that_is_too_long_ends_with_that_reason() {
        assertThat(
                        map(
                                new ResponsesMapper("m1"),
                                List.of(
                                        "{'type':'response.incomplete','response':{'incomplete_details':{'reason':'max_output_tokens'}}}")))
                .last()
                .isInstanceOfSatisfying(
                        UiChunk.Finish.class,
                        finish -> assertThat(finish.finishReason()).isEqualTo("length"));
    }

    @Test
    void an_approval_that_nobody_can_give_ends_the_call_with_an_error() {
        assertThat(
                        map(
                                new ResponsesMapper("m1"),
                                List.of(
                                        "{'type':'response.output_item.done','item':{'id':'a','type':'mcp_approval_request','name':'pay','arguments':'{}'}}")))
                .singleElement()
                .isInstanceOfSatisfying(
                        UiChunk.ToolInputError.class,
                        call -> assertThat(call.errorText()).contains("require_approval"));
    }

    private static List<UiChunk> map(ResponsesMapper mapper, List<String> events) {
        List<UiChunk> chunks = new ArrayList<>();
        for (String event : events) {
            String json = event.startsWith("{'") ? event.replace('\'', '"') : event;
            chunks.addAll(mapper.accept(ModelJson.event(json.getBytes(StandardCharsets.UTF_8))));
        }
        return chunks;
    }

    private static String json(UiChunk chunk) {
        return new String(chunk.toBytes(), StandardCharsets.UTF_8).replace('"', '\'');
    }
}
