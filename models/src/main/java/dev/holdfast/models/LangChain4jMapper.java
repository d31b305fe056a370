package dev.holdfast.models;

import dev.holdfast.models.LangChain4jStream.Signal;
import dev.holdfast.uimessage.ToolTraits;
import dev.holdfast.uimessage.UiChunk;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.output.FinishReason;
import dev.langchain4j.model.output.TokenUsage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Turns what a model of LangChain4j calls back with into chunks that clients of the AI SDK from major 5 accept. Owned by one thread. */
final class LangChain4jMapper {

    private final String messageId;
    /** What the ids of calls are made of that the model gives none. */
    private final String callPrefix;

    private final OpenParts open = new OpenParts();
    private final Map<Integer, String> calls = new HashMap<>();
    private int texts;
    private int reasonings;
    private int announced;
    private boolean started;
    private boolean done;

    LangChain4jMapper(String messageId, String callPrefix) {
        this.messageId = messageId;
        this.callPrefix = callPrefix;
    }

    boolean isDone() {
        return done;
    }

    /** @throws ProviderException if the model failed, or ended the answer without saying why */
    List<UiChunk> accept(Signal signal) {
        List<UiChunk> out = new ArrayList<>();
        switch (signal) {
            case Signal.Text s -> text(s.text(), out);
            case Signal.Thinking s -> thinking(s.text(), out);
            case Signal.ToolInput s -> {
                String id = begin(s.index(), s.id(), s.name() == null ? "" : s.name(), out);
                if (!s.delta().isEmpty()) {
                    out.add(new UiChunk.ToolInputDelta(id, s.delta()));
                }
            }
            case Signal.ToolCall s -> announce(s, out);
            case Signal.Done s -> end(s.response(), out);
            case Signal.Failed s -> throw failed(s.cause());
            case Signal.Stopped s -> {}
        }
        return out;
    }

    private void start(List<UiChunk> out) {
        if (!started) {
            started = true;
            out.add(new UiChunk.Start(messageId));
            out.add(new UiChunk.StartStep());
        }
    }

    private void text(String text, List<UiChunk> out) {
        if (text.isEmpty()) {
            return;
        }
        start(out);
        open.closeReasonings(out);
        if (!open.hasText()) {
            open.openText("text-" + texts++, out);
        }
        out.add(new UiChunk.TextDelta("text-" + (texts - 1), text));
    }

    private void thinking(String text, List<UiChunk> out) {
        if (text.isEmpty()) {
            return;
        }
        start(out);
        open.closeTexts(out);
        if (!open.hasReasoning()) {
            open.openReasoning("reasoning-" + reasonings++, out);
        }
        out.add(new UiChunk.ReasoningDelta("reasoning-" + (reasonings - 1), text));
    }

    private String begin(int index, @Nullable String id, String name, List<UiChunk> out) {
        String known = calls.get(index);
        if (known != null) {
            return known;
        }
        if (calls.size() == ModelLimits.MAX_TOOL_CALLS) {
            throw new ProviderException.Malformed(
                    "The model made more than %d tool calls in one answer.".formatted(ModelLimits.MAX_TOOL_CALLS));
        }
        start(out);
        open.closeReasonings(out);
        open.closeTexts(out);
        String callId = id == null || id.isEmpty() ? callPrefix + "-call-" + index : id;
        calls.put(index, callId);
        out.add(new UiChunk.ToolInputStart(callId, name, ToolTraits.NONE));
        return callId;
    }

    private void announce(Signal.ToolCall call, List<UiChunk> out) {
        String id = begin(call.index(), call.id(), call.name(), out);
        String text = call.input().isBlank() ? "{}" : call.input();
        JsonNode input = ModelJson.read(text).orElse(null);
        announced++;
        out.add(
                input != null
                        ? new UiChunk.ToolInputAvailable(id, call.name(), input, ToolTraits.NONE)
                        : new UiChunk.ToolInputError(
                                id,
                                call.name(),
                                ModelJson.textNode(text),
                                "The model's input for the tool is not JSON.",
                                ToolTraits.NONE));
    }

    private void end(ChatResponse response, List<UiChunk> out) {
        FinishReason reason = response.finishReason();
        if (reason == null) {
            throw new ProviderException.Cut("The model's stream ended without a reason, so the answer may be cut.");
        }
        start(out);
        if (announced == 0) {
            // Models that do not stream tool calls tell them at the end.
            int index = 0;
            for (ToolExecutionRequest call : response.aiMessage().toolExecutionRequests()) {
                announce(new Signal.ToolCall(index++, call.id(), call.name(), call.arguments()), out);
            }
        }
        open.closeReasonings(out);
        open.closeTexts(out);
        String finishReason = announced > 0 ? "tool-calls" : name(reason);
        out.add(new UiChunk.FinishStep());
        out.add(new UiChunk.Finish(finishReason, metadata(response, finishReason), Map.of()));
        done = true;
    }

    private static ObjectNode metadata(ChatResponse response, String finishReason) {
        ObjectNode metadata = ModelJson.object();
        if (response.modelName() != null) {
            metadata.put("model", response.modelName());
        }
        metadata.put("finishReason", finishReason);
        TokenUsage usage = response.tokenUsage();
        if (usage != null) {
            ObjectNode tokens = metadata.putObject("usage");
            tokens.put("inputTokens", usage.inputTokenCount());
            tokens.put("outputTokens", usage.outputTokenCount());
            tokens.put("totalTokens", usage.totalTokenCount());
        }
        return metadata;
    }

    private static String name(FinishReason reason) {
        return switch (reason) {
            case STOP -> "stop";
            case LENGTH -> "length";
            case TOOL_EXECUTION -> "tool-calls";
            case CONTENT_FILTER -> "content-filter";
            case OTHER -> "other";
        };
    }

    private static ProviderException.Failed failed(Throwable cause) {
        String message = cause.getMessage();
        return new ProviderException.Failed(
                "The model failed: " + (message == null ? cause.getClass().getSimpleName() : message), cause);
    }
}
