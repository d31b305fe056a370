package dev.holdfast.models;

import dev.holdfast.uimessage.UiMessage;
import dev.holdfast.uimessage.UiPart;
import dev.langchain4j.agent.tool.ToolSpecification;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The body of a request for a response that the provider keeps: in the background, so that it goes on without a reader, and stored, so that it can be
 * read again. Reasoning and calls that the provider ran itself are not sent back.
 */
final class ResponsesRequest {

    private final ArrayNode input = ModelJson.array();

    private ResponsesRequest() {}

    static ObjectNode of(ModelSettings settings, Toolbox tools, List<UiMessage> conversation) {
        ResponsesRequest request = new ResponsesRequest();
        conversation.forEach(request::add);
        ObjectNode body = settings.parameters();
        if (settings.instructions() != null) {
            body.put("instructions", settings.instructions());
        }
        body.put("model", settings.model());
        body.set("input", request.input);
        for (ToolSpecification tool : tools.specifications()) {
            ToolSchemas.describe(tool, body.withArray("tools").addObject().put("type", "function"), "parameters");
        }
        body.put("stream", true);
        body.put("background", true);
        body.put("store", true);
        return body;
    }

    private void add(UiMessage message) {
        if (message.role().equals("assistant")) {
            message.parts().forEach(this::addOfAssistant);
            return;
        }
        ArrayNode content = input.addObject().put("role", message.role()).putArray("content");
        for (UiPart part : message.parts()) {
            switch (part) {
                case UiPart.Text text ->
                    content.addObject().put("type", "input_text").put("text", text.text());
                case UiPart.File file
                when file.mediaType().startsWith("image/") ->
                    content.addObject().put("type", "input_image").put("image_url", file.url());
                case UiPart.File file
                when file.url().startsWith("data:") ->
                    content.addObject()
                            .put("type", "input_file")
                            .put("filename", file.text("filename").orElse("file"))
                            .put("file_data", file.url());
                case UiPart.File file ->
                    content.addObject().put("type", "input_file").put("file_url", file.url());
                default -> {}
            }
        }
    }

    private void addOfAssistant(UiPart part) {
        switch (part) {
            case UiPart.Text text
            when !text.text().isEmpty() ->
                input.addObject()
                        .put("role", "assistant")
                        .putArray("content")
                        .addObject()
                        .put("type", "output_text")
                        .put("text", text.text());
            case UiPart.Tool tool
            when !ServerTools.isOfProvider(tool) -> {
                input.addObject()
                        .put("type", "function_call")
                        .put("call_id", tool.toolCallId())
                        .put("name", tool.toolName())
                        .put("arguments", Conversation.arguments(tool));
                input.addObject()
                        .put("type", "function_call_output")
                        .put("call_id", tool.toolCallId())
                        .put("output", Conversation.result(tool));
            }
            default -> {}
        }
    }
}
