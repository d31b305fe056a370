package dev.holdfast.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.models.loopback.Recording;
import dev.holdfast.turn.MessageAssembler.End;
import dev.holdfast.uimessage.UiChunk;
import dev.holdfast.uimessage.UiMessage;
import dev.holdfast.uimessage.UiPart;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ChatCompletionsMapperTest {

    @ParameterizedTest
    @ValueSource(
            strings = {"openai-chat-text", "deepseek-chat-reasoning", "deepseek-chat-tool-call", "xai-chat-tool-call"})
    void an_answer_begins_and_ends_as_clients_from_5_expect(String name) {
        List<UiChunk> chunks = map(Recording.named(name).orElseThrow().events());
        assertThat(chunks).allMatch(chunk -> chunk.acceptedBy(5));
        assertThat(chunks.get(0))
                .isInstanceOfSatisfying(
                        UiChunk.Start.class,
                        start -> assertThat(start.messageId()).isEqualTo("m1"));
        assertThat(chunks.get(1)).isInstanceOf(UiChunk.StartStep.class);
        assertThat(chunks.get(chunks.size() - 2)).isInstanceOf(UiChunk.FinishStep.class);
        assertThat(chunks.get(chunks.size() - 1)).isInstanceOf(UiChunk.Finish.class);
    }

    @Test
    void reasoning_comes_before_the_answer_and_both_are_done() {
        UiMessage message = message("deepseek-chat-reasoning");
        assertThat(message.parts()).extracting(UiPart::type).containsExactly("step-start", "reasoning", "text");
        assertThat(((UiPart.Reasoning) message.parts().get(1)).text())
                .startsWith("We need")
                .hasSizeGreaterThan(100);
        assertThat(message.text()).isNotBlank();
        assertThat(String.valueOf(message.metadata())).contains("\"reasoningTokens\":205", "\"finishReason\":\"stop\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"deepseek-chat-tool-call", "xai-chat-tool-call"})
    void a_tool_call_has_its_input_whether_it_comes_in_pieces_or_at_once(String name) {
        UiMessage message = message(name);
        assertThat(message.parts())
                .filteredOn(UiPart.Tool.class::isInstance)
                .singleElement()
                .isInstanceOfSatisfying(UiPart.Tool.class, tool -> {
                    assertThat(tool.toolName()).isEqualTo("weather");
                    assertThat(tool.state()).isEqualTo("input-available");
                    assertThat(tool.input())
                            .hasValueSatisfying(
                                    input -> assertThat(input.isObject()).isTrue());
                });
    }

    @Test
    void input_that_is_not_json_is_an_error_of_the_call_and_not_of_the_answer() {
        List<UiChunk> chunks = map(List.of(
                "{'choices':[{'index':0,'delta':{'tool_calls':[{'index':0,'id':'c','function':{'name':'w','arguments':'{oops'}}]}}]}",
                "{'choices':[{'index':0,'delta':{},'finish_reason':'tool_calls'}]}"));
        assertThat(chunks)
                .filteredOn(UiChunk.ToolInputError.class::isInstance)
                .singleElement()
                .isInstanceOfSatisfying(
                        UiChunk.ToolInputError.class,
                        call -> assertThat(String.valueOf(call.input())).contains("{oops"));
    }

    @Test
    void calls_without_numbers_or_ids_are_told_apart() {
        List<UiChunk> chunks = map(List.of(
                "{'choices':[{'delta':{'tool_calls':[{'id':'a','function':{'name':'x','arguments':'{}'}},{'id':'b','function':{'name':'y'}}]}}]}",
                "{'choices':[{'delta':{'tool_calls':[{'function':{'arguments':'[1]'}}]}}]}",
                "{'choices':[{'delta':{},'finish_reason':'stop'}]}"));
        assertThat(chunks)
                .filteredOn(UiChunk.ToolInputAvailable.class::isInstance)
                .extracting(chunk -> ((UiChunk.ToolInputAvailable) chunk).toolCallId() + " "
                        + ((UiChunk.ToolInputAvailable) chunk).input())
                .containsExactly("a {}", "b [1]");
    }

    @Test
    void sources_are_given_out_once() {
        List<UiChunk> chunks = map(
                List.of(
                        "{'citations':['https://a.org'],'choices':[{'delta':{'content':'x'}}]}",
                        "{'citations':['https://a.org','https://b.org'],'choices':[{'delta':{'content':'y'}}]}",
                        "{'choices':[{'delta':{'annotations':[{'type':'url_citation','url_citation':{'url':'https://c.org','title':'C'}}]}}]}"));
        assertThat(chunks)
                .filteredOn(UiChunk.SourceUrl.class::isInstance)
                .extracting(chunk -> ((UiChunk.SourceUrl) chunk).url())
                .containsExactly("https://a.org", "https://b.org", "https://c.org");
    }

    @Test
    void an_error_within_the_stream_ends_it_as_failed() {
        assertThatThrownBy(() -> map(List.of("{'error':{'message':'overloaded','code':503}}")))
                .isInstanceOf(ProviderException.Failed.class)
                .hasMessageContaining("overloaded");
    }

    private static UiMessage message(String name) {
        RecordingTurn turn = new RecordingTurn("?");
        turn.emit(Emission.bytes(map(Recording.named(name).orElseThrow().events())));
        return turn.message(End.AWAITING);
    }

    private static List<UiChunk> map(List<String> events) {
        ChatCompletionsMapper mapper = new ChatCompletionsMapper("m1");
        List<UiChunk> chunks = new ArrayList<>();
        for (String event : events) {
            String json = event.startsWith("{'") ? event.replace('\'', '"') : event;
            chunks.addAll(mapper.accept(ModelJson.event(json.getBytes(StandardCharsets.UTF_8))));
        }
        chunks.addAll(mapper.end());
        return chunks;
    }
}
