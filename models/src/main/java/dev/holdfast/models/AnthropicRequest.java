package dev.holdfast.models;

import dev.holdfast.uimessage.UiMessage;
import dev.holdfast.uimessage.UiPart;
import dev.langchain4j.agent.tool.ToolSpecification;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The body of a request for a message: the conversation as turns of user and assistant that alternate, each with content blocks. */
final class AnthropicRequest {

    private final ArrayNode messages = ModelJson.array();
    private final StringBuilder system = new StringBuilder();
    private @Nullable JsonNode container;

    private AnthropicRequest() {}

    static ObjectNode of(ModelSettings settings, Toolbox tools, List<UiMessage> conversation) {
        AnthropicRequest request = new AnthropicRequest();
        if (settings.instructions() != null) {
            request.system.append(settings.instructions());
        }
        conversation.forEach(request::add);
        ObjectNode body = settings.parameters();
        body.put("model", settings.model());
        if (!body.has("max_tokens")) {
            body.put("max_tokens", AnthropicAgent.DEFAULT_MAX_TOKENS);
        }
        if (!request.system.isEmpty()) {
            body.put("system", request.system.toString());
        }
        if (request.container != null && !body.has("container")) {
            body.set("container", request.container);
        }
        request.beginWithUser();
        body.set("messages", request.messages);
        for (ToolSpecification tool : tools.specifications()) {
            ToolSchemas.describe(tool, body.withArray("tools").addObject(), "input_schema");
        }
        body.put("stream", true);
        return body;
    }

    private void add(UiMessage message) {
        container = null;
        switch (message.role()) {
            case "assistant" -> {
                new AnthropicHistory(this::blocks).add(message);
                JsonNode metadata = message.metadata();
                if (metadata != null && metadata.at("/anthropic/container/id").isString()) {
                    // What runs in it goes on only within its turn: with the newest message.
                    container = metadata.at("/anthropic/container/id");
                }
            }
            case "system" -> system.append(system.isEmpty() ? "" : "\n\n").append(message.text());
            default -> addUser(message);
        }
    }

    private void addUser(UiMessage message) {
        for (UiPart part : message.parts()) {
            switch (part) {
                case UiPart.Text text
                when !text.text().isBlank() ->
                    blocks("user").addObject().put("type", "text").put("text", text.text());
                case UiPart.File file -> addFile(file);
                default -> {}
            }
        }
    }

    private void addFile(UiPart.File file) {
        String type = file.mediaType();
        boolean isImage = type.startsWith("image/");
        if (!isImage && !type.equals("application/pdf")) {
            return;
        }
        ObjectNode source = blocks("user")
                .addObject()
                .put("type", isImage ? "image" : "document")
                .putObject("source");
        int comma = file.url().indexOf(";base64,");
        if (file.url().startsWith("data:") && comma > 0) {
            source.put("type", "base64")
                    .put("media_type", type)
                    .put("data", file.url().substring(comma + ";base64,".length()));
        } else {
            source.put("type", "url").put("url", file.url());
        }
    }

    /** A conversation that was cut to its newest messages begins with what the user said, not with an answer or the result of a call. */
    private void beginWithUser() {
        while (messages.size() > 1 && !isSaidByUser(messages.get(0))) {
            messages.remove(0);
        }
    }

    private static boolean isSaidByUser(JsonNode message) {
        return "user".equals(ModelJson.text(message, "role"))
                && !"tool_result".equals(ModelJson.text(message.path("content").path(0), "type"));
    }

    /** The content of the newest message if it is of this role, else of another one. */
    private ArrayNode blocks(String role) {
        if (!messages.isEmpty()) {
            JsonNode last = messages.get(messages.size() - 1);
            if (role.equals(ModelJson.text(last, "role")) && last.get("content") instanceof ArrayNode content) {
                return content;
            }
        }
        return messages.addObject().put("role", role).putArray("content");
    }
}
