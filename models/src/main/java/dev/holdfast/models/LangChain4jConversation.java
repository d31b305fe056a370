package dev.holdfast.models;

import dev.holdfast.uimessage.UiMessage;
import dev.holdfast.uimessage.UiPart;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.Content;
import dev.langchain4j.data.message.ImageContent;
import dev.langchain4j.data.message.SystemMessage;
import dev.langchain4j.data.message.TextContent;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A conversation in the words of LangChain4j. Text, images of the user, and tool calls with their results; nothing else. */
final class LangChain4jConversation {

    private final List<ChatMessage> messages = new ArrayList<>();

    private LangChain4jConversation() {}

    static List<ChatMessage> of(@Nullable String instructions, List<UiMessage> conversation) {
        LangChain4jConversation all = new LangChain4jConversation();
        if (instructions != null) {
            all.messages.add(SystemMessage.from(instructions));
        }
        conversation.forEach(all::add);
        return all.messages;
    }

    private void add(UiMessage message) {
        switch (message.role()) {
            case "assistant" -> addAssistant(message);
            case "system" -> messages.add(SystemMessage.from(message.text()));
            default -> addUser(message);
        }
    }

    private void addUser(UiMessage message) {
        List<Content> contents = new ArrayList<>();
        for (UiPart part : message.parts()) {
            switch (part) {
                case UiPart.Text text when !text.text().isBlank() -> contents.add(TextContent.from(text.text()));
                case UiPart.File file when file.mediaType().startsWith("image/") -> contents.add(image(file));
                default -> {}
            }
        }
        if (!contents.isEmpty()) {
            messages.add(UserMessage.from(contents));
        }
    }

    private static ImageContent image(UiPart.File file) {
        String url = file.url();
        int comma = url.indexOf(";base64,");
        return url.startsWith("data:") && comma > 0
                ? ImageContent.from(url.substring(comma + ";base64,".length()), file.mediaType())
                : ImageContent.from(url);
    }

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
        AiMessage.Builder said = AiMessage.builder();
        if (!text.isEmpty()) {
            said.text(text.toString());
        }
        List<ToolExecutionRequest> requests =
                calls.stream().map(LangChain4jConversation::request).toList();
        messages.add(said.toolExecutionRequests(requests).build());
        for (int i = 0; i < calls.size(); i++) {
            messages.add(ToolExecutionResultMessage.from(requests.get(i), Conversation.result(calls.get(i))));
        }
        text.setLength(0);
        calls.clear();
    }

    private static ToolExecutionRequest request(UiPart.Tool call) {
        return ToolExecutionRequest.builder()
                .id(call.toolCallId())
                .name(call.toolName())
                .arguments(Conversation.arguments(call))
                .build();
    }
}
