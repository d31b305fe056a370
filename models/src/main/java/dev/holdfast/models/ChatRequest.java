package dev.holdfast.models;

import dev.holdfast.uimessage.UiMessage;
import dev.holdfast.uimessage.UiPart;
import dev.langchain4j.agent.tool.ToolSpecification;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The body of a request for chat completions. Reasoning and calls that a provider ran itself are not sent back. */
final class ChatRequest {

    private final ArrayNode messages = ModelJson.array();

    private ChatRequest() {}

    static ObjectNode of(ModelSettings settings, Toolbox tools, List<UiMessage> conversation) {
        ChatRequest request = new ChatRequest();
        if (settings.instructions() != null) {
            request.add("system").put("content", settings.instructions());
        }
        conversation.forEach(request::add);
        ObjectNode body = settings.parameters();
        body.put("model", settings.model());
        body.set("messages", request.messages);
        for (ToolSpecification tool : tools.specifications()) {
            ObjectNode function =
                    body.withArray("tools").addObject().put("type", "function").putObject("function");
            ToolSchemas.describe(tool, function, "parameters");
        }
        body.put("stream", true);
        if (!body.has("stream_options")) {
            body.putObject("stream_options").put("include_usage", true);
        }
        return body;
    }

    private void add(UiMessage message) {
        if (message.role().equals("user")) {
            addUser(message);
        } else if (message.role().equals("assistant")) {
            addAssistant(message);
        } else {
            add(message.role()).put("content", message.text());
        }
    }

    private void addUser(UiMessage message) {
        ArrayNode content = ModelJson.array();
        for (UiPart part : message.parts()) {
            switch (part) {
                case UiPart.Text text -> content.addObject().put("type", "text").put("text", text.text());
                case UiPart.File file
                when file.mediaType().startsWith("image/") ->
                    content.addObject()
                            .put("type", "image_url")
                            .putObject("image_url")
                            .put("url", file.url());
                case UiPart.File file ->
                    content.addObject()
                            .put("type", "file")
                            .putObject("file")
                            .put("filename", file.text("filename").orElse("file"))
                            .put("file_data", file.url());
                default -> {}
            }
        }
        boolean textOnly = message.parts().stream().noneMatch(UiPart.File.class::isInstance);
        if (textOnly) {
            add("user").put("content", message.text());
        } else {
            add("user").set("content", content);
        }
    }

    /** One message per step: what the assistant said and called, then the results. */
    private void addAssistant(UiMessage message) {
        StringBuilder text = new StringBuilder();
        List<UiPart.Tool> calls = new ArrayList<>();
        for (UiPart part : message.parts()) {
            switch (part) {
                case UiPart.StepStart step -> addStep(text, calls);
                case UiPart.Text t -> text.append(t.text());
                case UiPart.Tool tool when !ServerTools.isOfProvider(tool) -> calls.add(tool);
                default -> {}
            }
        }
        addStep(text, calls);
    }

    private void addStep(StringBuilder text, List<UiPart.Tool> calls) {
        if (text.isEmpty() && calls.isEmpty()) {
            return;
        }
        ObjectNode assistant = add("assistant");
        if (text.isEmpty()) {
            assistant.putNull("content");
        } else {
            assistant.put("content", text.toString());
        }
        if (!calls.isEmpty()) {
            ArrayNode toolCalls = assistant.putArray("tool_calls");
            for (UiPart.Tool call : calls) {
                ObjectNode toolCall = toolCalls.addObject();
                toolCall.put("id", call.toolCallId()).put("type", "function");
                toolCall.putObject("function")
                        .put("name", call.toolName())
                        .put("arguments", Conversation.arguments(call));
            }
        }
        for (UiPart.Tool call : calls) {
            add("tool").put("tool_call_id", call.toolCallId()).put("content", Conversation.result(call));
        }
        text.setLength(0);
        calls.clear();
    }

    private ObjectNode add(String role) {
        return messages.addObject().put("role", role);
    }
}
