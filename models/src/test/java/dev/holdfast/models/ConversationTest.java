package dev.holdfast.models;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.uimessage.AttachmentUrls;
import dev.holdfast.uimessage.UiMessage;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
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

    private static UiMessage file(String id, String url) {
        return message("""
                {"id":"%s","role":"user","parts":[{"type":"file","mediaType":"image/png","filename":"pic.png","url":"%s"}]}""".formatted(id, url));
    }

    private static String urlOf(List<UiMessage> conversation, int index) {
        return conversation.get(index).parts().getFirst().text("url").orElse("");
    }

    @Test
    void models_get_the_bytes_of_attachments_that_the_user_sent() {
        List<UiMessage> history = new ArrayList<>();
        RecordingTurn turn = new RecordingTurn(history);
        history.add(file("u1", turn.attach("image/png", new byte[] {1, 2})));
        history.add(file("u2", "https://example.org/pic.png"));

        List<UiMessage> conversation = Conversation.of(turn, UiMessage.ofUser("own", ""));

        assertThat(urlOf(conversation, 0)).isEqualTo("data:image/png;base64,AQI=");
        assertThat(urlOf(conversation, 1)).isEqualTo("https://example.org/pic.png");
        assertThat(ChatRequest.of(SETTINGS, Toolbox.EMPTY, conversation)
                        .at("/messages/0/content/0/image_url/url")
                        .asString(""))
                .isEqualTo("data:image/png;base64,AQI=");
        assertThat(AnthropicRequest.of(SETTINGS, Toolbox.EMPTY, conversation)
                        .at("/messages/0/content/0/source/data")
                        .asString(""))
                .isEqualTo("AQI=");
        assertThat(LangChain4jConversation.of(null, conversation).getFirst().toString())
                .contains("AQI=");
    }

    @Test
    void the_newest_attachments_are_sent_and_what_is_too_much_or_gone_is_named() {
        List<UiMessage> history = new ArrayList<>();
        RecordingTurn turn = new RecordingTurn(history);
        int half = (int) (ModelLimits.MAX_ATTACHMENT_BYTES / 2) + 1;
        history.add(file("u1", turn.attach("image/png", new byte[half])));
        history.add(file("u2", turn.attach("image/jpeg", new byte[half])));
        history.add(file("u3", AttachmentUrls.of(turn.sessionId(), "0".repeat(64))));

        List<UiMessage> conversation = Conversation.of(turn, UiMessage.ofUser("own", ""));

        assertThat(conversation.get(0).text()).isEqualTo("[pic.png (image/png) is not shown]");
        assertThat(urlOf(conversation, 1)).startsWith("data:image/png;base64,AAAA");
        assertThat(conversation.get(2).text()).isEqualTo("[pic.png (image/png) is not shown]");
    }

    private static UiMessage message(String json) {
        return UiMessage.parse(json.getBytes(StandardCharsets.UTF_8));
    }

    private static JsonNode json(String json) {
        return ModelJson.read(json).orElseThrow();
    }
}
