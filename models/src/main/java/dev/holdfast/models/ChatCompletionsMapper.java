package dev.holdfast.models;

import dev.holdfast.uimessage.ToolTraits;
import dev.holdfast.uimessage.UiChunk;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Turns the events of chat completions into chunks that clients of the AI SDK from major 5 accept: the wire ({@code POST /chat/completions} with {@code stream}), as OpenAI and the many servers in its manner
 * speak it.
 *
 * <p>A pure state machine: the same events give the same chunks, and its state follows from the chunks alone, so that it can be made again from durable
 * ones and goes on as if nothing had happened (EVERY-CURSOR). Owned by one thread.
 *
 * <p>The reason why the answer ended and its usage come in events of their own before the stream's end. They are given out at once, as metadata
 * of the message, since a state that no chunk shows would be lost in a crash.
 */
final class ChatCompletionsMapper {

    /** A tool call whose input is coming. */
    private record Call(String id, String name, StringBuilder input) {}

    private final String messageId;
    /** What the ids of calls are made of that the provider gives none. */
    private final String callPrefix;

    private final OpenParts open = new OpenParts();
    private final List<Call> calls = new ArrayList<>();
    private final Set<String> sources = new HashSet<>();
    private int texts;
    private int reasonings;
    private boolean started;
    private @Nullable String finishReason;
    private boolean done;

    ChatCompletionsMapper(String messageId) {
        this(messageId, messageId);
    }

    ChatCompletionsMapper(String messageId, String callPrefix) {
        this.messageId = messageId;
        this.callPrefix = callPrefix;
    }

    /**
     * As it was after these chunks. Calls are told apart by their order, so the provider must number them from 0, as the API says.
     */
    static ChatCompletionsMapper after(String messageId, List<UiChunk> chunks) {
        ChatCompletionsMapper mapper = new ChatCompletionsMapper(messageId);
        chunks.forEach(mapper::note);
        return mapper;
    }

    private void note(UiChunk chunk) {
        open.note(chunk);
        switch (chunk) {
            case UiChunk.Start c -> started = true;
            case UiChunk.TextStart c -> texts++;
            case UiChunk.ReasoningStart c -> reasonings++;
            case UiChunk.SourceUrl c -> sources.add(c.url());
            case UiChunk.ToolInputStart c -> calls.add(new Call(c.toolCallId(), c.toolName(), new StringBuilder()));
            case UiChunk.ToolInputDelta c ->
                calls.stream()
                        .filter(call -> call.id().equals(c.toolCallId()))
                        .forEach(call -> call.input().append(c.inputTextDelta()));
            case UiChunk.MessageMetadata c
            when c.messageMetadata() != null -> {
                String reason = ModelJson.text(c.messageMetadata(), "finishReason");
                finishReason = reason == null ? finishReason : reason;
            }
            case UiChunk.Finish c -> done = true;
            default -> {}
        }
    }

    /** Whether the answer is complete. */
    boolean isDone() {
        return done;
    }

    /** Whether the provider has said why the answer ended; then the stream may end without its mark. */
    boolean isFinished() {
        return finishReason != null;
    }

    /**
     * The chunks of the next event, possibly none.
     *
     * @throws ProviderException if the event says that the run failed, or is not one of this wire
     */
    List<UiChunk> accept(ObjectNode json) {
        if (done) {
            return List.of();
        }
        List<UiChunk> out = new ArrayList<>();
        failOnError(json);
        start(json, out);
        for (JsonNode choice : json.path("choices")) {
            if (choice.path("index").asInt(0) == 0) {
                delta(choice.path("delta"), out);
                finish(ModelJson.text(choice, "finish_reason"), out);
            }
        }
        for (JsonNode url : json.path("citations")) {
            if (url.isString()) {
                source(url.stringValue(), null, out);
            }
        }
        if (finishReason != null && json.path("usage").isObject()) {
            ObjectNode metadata = ModelJson.object();
            metadata.set("usage", Usage.ofChat(json.get("usage")));
            out.add(new UiChunk.MessageMetadata(metadata));
        }
        return out;
    }

    /** The last chunks, when the stream has ended with its mark. */
    List<UiChunk> end() {
        if (done) {
            return List.of();
        }
        if (!started) {
            throw new ProviderException.Malformed("The provider ended the answer before it began.");
        }
        List<UiChunk> out = new ArrayList<>();
        finish("unknown", out);
        out.add(new UiChunk.FinishStep());
        out.add(new UiChunk.Finish(finishReason == null ? "other" : finishReason));
        done = true;
        return out;
    }

    private void failOnError(ObjectNode json) {
        JsonNode error = json.get("error");
        if (error != null && !error.isNull()) {
            String message = ModelJson.text(error, "message");
            throw new ProviderException.Failed(
                    "The provider failed: " + (message == null ? error.toString() : message));
        }
    }

    private void start(ObjectNode json, List<UiChunk> out) {
        if (started) {
            return;
        }
        started = true;
        String model = ModelJson.text(json, "model");
        ObjectNode metadata = ModelJson.object();
        if (model != null) {
            metadata.put("model", model);
        }
        out.add(new UiChunk.Start(messageId, metadata.isEmpty() ? null : metadata, Map.of()));
        out.add(new UiChunk.StartStep());
    }

    private void delta(JsonNode delta, List<UiChunk> out) {
        String thought = ModelJson.textOrEmpty(delta, "reasoning_content");
        if (thought.isEmpty()) {
            thought = ModelJson.textOrEmpty(delta, "reasoning");
        }
        if (!thought.isEmpty()) {
            open.closeTexts(out);
            if (!open.hasReasoning()) {
                open.openReasoning("reasoning-" + reasonings++, out);
            }
            out.add(new UiChunk.ReasoningDelta("reasoning-" + (reasonings - 1), thought));
        }
        String said = ModelJson.textOrEmpty(delta, "content") + ModelJson.textOrEmpty(delta, "refusal");
        if (!said.isEmpty()) {
            open.closeReasonings(out);
            if (!open.hasText()) {
                open.openText("text-" + texts++, out);
            }
            out.add(new UiChunk.TextDelta("text-" + (texts - 1), said));
        }
        for (JsonNode annotation : delta.path("annotations")) {
            JsonNode citation = annotation.path("url_citation");
            String url = ModelJson.text(citation, "url");
            if (url != null) {
                source(url, ModelJson.text(citation, "title"), out);
            }
        }
        for (JsonNode call : delta.path("tool_calls")) {
            toolCall(call, out);
        }
    }

    private void toolCall(JsonNode json, List<UiChunk> out) {
        open.closeReasonings(out);
        open.closeTexts(out);
        String id = ModelJson.textOrEmpty(json, "id");
        int index = index(json, id);
        if (index >= calls.size()) {
            if (calls.size() == ModelLimits.MAX_TOOL_CALLS) {
                throw new ProviderException.Malformed("The provider sent more than %d tool calls in one answer."
                        .formatted(ModelLimits.MAX_TOOL_CALLS));
            }
            index = calls.size();
            Call call = new Call(
                    id.isEmpty() ? callPrefix + "-call-" + index : id,
                    ModelJson.textOrEmpty(json.path("function"), "name"),
                    new StringBuilder());
            calls.add(call);
            out.add(new UiChunk.ToolInputStart(call.id(), call.name(), ToolTraits.NONE));
        }
        String input = ModelJson.textOrEmpty(json.path("function"), "arguments");
        if (!input.isEmpty()) {
            Call call = calls.get(index);
            call.input().append(input);
            out.add(new UiChunk.ToolInputDelta(call.id(), input));
        }
    }

    /** Which call a delta belongs to; some servers leave the number out, and a new id is then a new call. */
    private int index(JsonNode json, String id) {
        if (json.path("index").isIntegralNumber()) {
            return json.get("index").asInt();
        }
        for (int i = 0; i < calls.size(); i++) {
            if (calls.get(i).id().equals(id)) {
                return i;
            }
        }
        return id.isEmpty() && !calls.isEmpty() ? calls.size() - 1 : calls.size();
    }

    private void source(String url, @Nullable String title, List<UiChunk> out) {
        if (sources.add(url)) {
            out.add(new UiChunk.SourceUrl("source-" + (sources.size() - 1), url, title));
        }
    }

    private void finish(@Nullable String reason, List<UiChunk> out) {
        if (reason == null || finishReason != null) {
            return;
        }
        finishReason = switch (reason) {
            case "stop" -> "stop";
            case "length" -> "length";
            case "content_filter" -> "content-filter";
            case "tool_calls", "function_call" -> "tool-calls";
            default -> "other";
        };
        open.closeReasonings(out);
        open.closeTexts(out);
        for (Call call : calls) {
            announce(call, out);
        }
        ObjectNode metadata = ModelJson.object();
        metadata.put("finishReason", finishReason);
        out.add(new UiChunk.MessageMetadata(metadata));
    }

    private static void announce(Call call, List<UiChunk> out) {
        String text = call.input().isEmpty() ? "{}" : call.input().toString();
        ModelJson.read(text)
                .ifPresentOrElse(
                        input ->
                                out.add(new UiChunk.ToolInputAvailable(call.id(), call.name(), input, ToolTraits.NONE)),
                        () -> out.add(new UiChunk.ToolInputError(
                                call.id(),
                                call.name(),
                                ModelJson.textNode(text),
                                "The model's input for the tool is not JSON.",
                                ToolTraits.NONE)));
    }
}
