package dev.holdfast.models;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.uimessage.UiMessage;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What a model is told of a conversation. */
final class ConversationTest {

    private static final ModelSettings SETTINGS =
            ModelSettings.builder(URI.create("http://localhost/v1"), "m").build();
    private static final List<UiMessage> CONVERSATION = List.of(message("""
                    {"id":"u","role":"user","parts":[{"type":"text","text":"Look."},
                     {"type":"file","mediaType":"image/png","url":"data:image/png;base64,AA"}]}
                    """), message("""
                    {"id":"a","role":"assistant","parts":[{"type":"step-start"},{"type":"reasoning","text":"hm"},{"type":"text","text":"I call."},
                     {"type":"tool-pay","toolCallId":"c1","state":"output-available","input":{"sum":1},"output":{"ok":true}},
                     {"type":"tool-pay","toolCallId":"c2","state":"output-error","rawInput":"{oops","errorText":"interrupted"},
                     {"type":"dynamic-tool","toolName":"mcp.find","toolCallId":"c3","state":"output-available","providerExecuted":true,"input":{},"output":1},
                     {"type":"tool-pay","toolCallId":"c4","state":"input-available","input":{}},
                     {"type":"step-start"},{"type":"text","text":"Done."}]}
                    """));

    @Test
    void chat_completions_get_a_message_per_step_and_a_result_for_every_call() {
        // Pain: a conversation with a call that has no result is refused by models for good.
        assertThat(ChatRequest.of(SETTINGS, Toolbox.EMPTY, CONVERSATION).get("messages"))
                .isEqualTo(json("""
                        [{"role":"user","content":[{"type":"text","text":"Look."},
                          {"type":"image_url","image_url":{"url":"data:image/png;base64,AA"}}]},
                         {"role":"assistant","content":"I call.","tool_calls":[
                          {"id":"c1","type":"function","function":{"name":"pay","arguments":"{\\"sum\\":1}"}},
                          {"id":"c2","type":"function","function":{"name":"pay","arguments":"{\\"raw\\":\\"{oops\\"}"}},
                          {"id":"c4","type":"function","function":{"name":"pay","arguments":"{}"}}]},
                         {"role":"tool","tool_call_id":"c1","content":"{\\"ok\\":true}"},
                         {"role":"tool","tool_call_id":"c2","content":"interrupted"},
                         {"role":"tool","tool_call_id":"c4","content":"The tool call was interrupted and has no result."},
                         {"role":"assistant","content":"Done."}]
                        """));
    }

    @Test
    void responses_get_an_item_per_part_and_run_where_they_can_be_read_again() {
        JsonNode body = ResponsesRequest.of(SETTINGS, Toolbox.EMPTY, CONVERSATION);
        assertThat(body.get("background").booleanValue()).isTrue();
        assertThat(body.get("store").booleanValue()).isTrue();
        assertThat(body.get("input")).isEqualTo(json("""
                        [{"role":"user","content":[{"type":"input_text","text":"Look."},
                          {"type":"input_image","image_url":"data:image/png;base64,AA"}]},
                         {"role":"assistant","content":[{"type":"output_text","text":"I call."}]},
                         {"type":"function_call","call_id":"c1","name":"pay","arguments":"{\\"sum\\":1}"},
                         {"type":"function_call_output","call_id":"c1","output":"{\\"ok\\":true}"},
                         {"type":"function_call","call_id":"c2","name":"pay","arguments":"{\\"raw\\":\\"{oops\\"}"},
                         {"type":"function_call_output","call_id":"c2","output":"interrupted"},
                         {"type":"function_call","call_id":"c4","name":"pay","arguments":"{}"},
                         {"type":"function_call_output","call_id":"c4","output":"The tool call was interrupted and has no result."},
                         {"role":"assistant","content":[{"type":"output_text","text":"Done."}]}]
                        """));
    }

    @Test
    void a_turn_that_goes_on_after_a_wait_tells_what_it_wrote() {
        RecordingTurn turn = new RecordingTurn("Pay!");
        assertThat(Conversation.of(turn, CONVERSATION.get(1)))
                .extracting(UiMessage::id)
                .containsExactly("u1", "a");
    }

    private static UiMessage message(String json) {
        return UiMessage.parse(json.getBytes(StandardCharsets.UTF_8));
    }

    private static JsonNode json(String json) {
        return ModelJson.read(json).orElseThrow();
    }
}
