package dev.holdfast.models;

import dev.holdfast.uimessage.UiChunk;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Turns the events of Anthropic's messages ({@code POST /messages} with {@code stream}) into chunks that clients of the AI SDK from major 5 accept.
 * Events that say nothing to a reader, and types that this version does not know, give none.
 *
 * <p>What the model has to get back later is in the {@code providerMetadata} of the parts under {@code anthropic}: signatures of thinking, citations of texts,
 * who called a tool, and of which type a result is. Owned by one thread.
 */
final class AnthropicMapper {

    /** A content block that is coming. */
    private sealed interface Block {
        /** @param citations as they came */
        record Text(String id, ArrayNode citations) implements Block {}

        record Thinking(String id, StringBuilder signature) implements Block {}

        record Call(AnthropicTools.Call call, StringBuilder input) implements Block {}

        /** One that is whole from its beginning, or says nothing to a reader. */
        record Whole() implements Block {}
    }

    private final String messageId;
    private final AnthropicTools tools;
    private final Map<Integer, Block> blocks = new HashMap<>();
    private final Set<String> sources = new HashSet<>();
    private final ObjectNode usage = ModelJson.object();
    private @Nullable String stopReason;
    private @Nullable JsonNode container;
    private int parts;
    private boolean started;
    private boolean done;

    /** @param stepNumber the number of the step in its message, from 1 */
    AnthropicMapper(String messageId, int stepNumber) {
        this.messageId = messageId;
        this.tools = new AnthropicTools(stepNumber);
    }

    /** Whether the answer is complete. */
    boolean isDone() {
        return done;
    }

    /** Whether the provider interrupted its own tools and wants to be asked again with what it said. */
    boolean isPaused() {
        return "pause_turn".equals(stopReason);
    }

    /**
     * The chunks of the next event, possibly none.
     *
     * @throws ProviderException if the event says that the answer failed, or is not one of this wire
     */
    List<UiChunk> accept(ObjectNode json) {
        if (done) {
            return List.of();
        }
        List<UiChunk> out = new ArrayList<>();
        switch (ModelJson.textOrEmpty(json, "type")) {
            case "message_start" -> start(json.path("message"), out);
            case "content_block_start" -> begin(index(json), json.path("content_block"), out);
            case "content_block_delta" -> delta(index(json), json.path("delta"), out);
            case "content_block_stop" -> end(blocks.remove(index(json)), out);
            case "message_delta" -> {
                note(json.path("delta"));
                noteUsage(json.path("usage"));
            }
            case "message_stop" -> finish(out);
            case "error" -> throw failed(json.path("error"));
            default -> {
                // Pings, and what later versions of the API add.
            }
        }
        return out;
    }

    private void start(JsonNode message, List<UiChunk> out) {
        if (started) {
            return;
        }
        started = true;
        String model = ModelJson.text(message, "model");
        ObjectNode metadata = ModelJson.object();
        if (model != null) {
            metadata.put("model", model);
        }
        out.add(new UiChunk.Start(messageId, metadata.isEmpty() ? null : metadata, Map.of()));
        out.add(new UiChunk.StartStep());
        note(message);
        noteUsage(message.path("usage"));
        // Answers that a running program waits for come whole.
        for (JsonNode block : message.path("content")) {
            begin(-1, block, out);
            end(blocks.remove(-1), out);
        }
    }

    private void begin(int index, JsonNode json, List<UiChunk> out) {
        if (!started) {
            throw new ProviderException.Malformed("The provider sent content before the message began.");
        }
        String type = ModelJson.textOrEmpty(json, "type");
        Block block = switch (type) {
            case "text" -> beginText(json, out);
            case "thinking" -> beginThinking(json, out);
            case "redacted_thinking" -> {
                redactedThinking(json, out);
                yield new Block.Whole();
            }
            default -> {
                AnthropicTools.Call call = tools.begin(json, out);
                if (call == null) {
                    tools.result(json, out);
                    yield new Block.Whole();
                }
                yield new Block.Call(call, new StringBuilder());
            }
        };
        blocks.put(index, block);
        if (blocks.size() > ModelLimits.MAX_TOOL_CALLS) {
            throw new ProviderException.Malformed(
                    "The provider left more than %d content blocks open.".formatted(ModelLimits.MAX_TOOL_CALLS));
        }
    }

    private Block beginText(JsonNode json, List<UiChunk> out) {
        Block.Text block = new Block.Text("text-" + parts++, ModelJson.array());
        out.add(new UiChunk.TextStart(block.id()));
        String text = ModelJson.textOrEmpty(json, "text");
        if (!text.isEmpty()) {
            out.add(new UiChunk.TextDelta(block.id(), text));
        }
        json.path("citations").forEach(citation -> cite(block, citation, out));
        return block;
    }

    private Block beginThinking(JsonNode json, List<UiChunk> out) {
        Block.Thinking block = new Block.Thinking("reasoning-" + parts++, new StringBuilder());
        out.add(new UiChunk.ReasoningStart(block.id()));
        String thought = ModelJson.textOrEmpty(json, "thinking");
        if (!thought.isEmpty()) {
            out.add(new UiChunk.ReasoningDelta(block.id(), thought));
        }
        block.signature().append(ModelJson.textOrEmpty(json, "signature"));
        return block;
    }

    private void redactedThinking(JsonNode json, List<UiChunk> out) {
        String id = "reasoning-" + parts++;
        ObjectNode own = ModelJson.object();
        own.put("redactedData", ModelJson.textOrEmpty(json, "data"));
        out.add(new UiChunk.ReasoningStart(id, AnthropicTools.metadata(own), Map.of()));
        out.add(new UiChunk.ReasoningEnd(id));
    }

    private void delta(int index, JsonNode delta, List<UiChunk> out) {
        switch (blocks.get(index)) {
            case Block.Text block -> {
                if (delta.has("citation")) {
                    cite(block, delta.get("citation"), out);
                }
                String text = ModelJson.textOrEmpty(delta, "text");
                if (!text.isEmpty()) {
                    out.add(new UiChunk.TextDelta(block.id(), text));
                }
            }
            case Block.Thinking block -> {
                block.signature().append(ModelJson.textOrEmpty(delta, "signature"));
                String thought = ModelJson.textOrEmpty(delta, "thinking");
                if (!thought.isEmpty()) {
                    out.add(new UiChunk.ReasoningDelta(block.id(), thought));
                }
            }
            case Block.Call block -> {
                String input = ModelJson.textOrEmpty(delta, "partial_json");
                if (!input.isEmpty()) {
                    block.input().append(input);
                    out.add(new UiChunk.ToolInputDelta(block.call().id(), input));
                }
            }
            case null, default -> {
                // Of a block of a type that this version does not know.
            }
        }
    }

    private void end(@Nullable Block ended, List<UiChunk> out) {
        switch (ended) {
            case Block.Text block -> {
                ObjectNode own = ModelJson.object();
                own.set("citations", block.citations());
                JsonNode metadata = block.citations().isEmpty() ? null : AnthropicTools.metadata(own);
                out.add(new UiChunk.TextEnd(block.id(), null, metadata, Map.of()));
            }
            case Block.Thinking block -> {
                ObjectNode own = ModelJson.object();
                own.put("signature", block.signature().toString());
                JsonNode metadata = block.signature().isEmpty() ? null : AnthropicTools.metadata(own);
                out.add(new UiChunk.ReasoningEnd(block.id(), metadata, Map.of()));
            }
            case Block.Call block ->
                AnthropicTools.announce(block.call(), block.input().toString(), out);
            case null, default -> {
                // Whole from its beginning.
            }
        }
    }

    /** Each cited source becomes a part once; the citations themselves stay with their text. */
    private void cite(Block.Text text, JsonNode citation, List<UiChunk> out) {
        text.citations().add(citation);
        String url = ModelJson.text(citation, "url");
        String source = ModelJson.text(citation, "source");
        if (url == null && source != null && source.startsWith("http")) {
            url = source;
        }
        String document = ModelJson.text(citation, "document_title");
        String title = ModelJson.text(citation, "title");
        String name = url != null ? url : document != null ? document : source != null ? source : "document";
        if (!sources.add(name)) {
            return;
        }
        String id = "source-" + tools.stepNumber() + "-" + (sources.size() - 1);
        if (url != null) {
            out.add(new UiChunk.SourceUrl(id, url, title));
        } else {
            boolean isPdf = "page_location".equals(ModelJson.text(citation, "type"));
            out.add(new UiChunk.SourceDocument(id, isPdf ? "application/pdf" : "text/plain", name, null));
        }
    }

    private void note(JsonNode message) {
        String reason = ModelJson.text(message, "stop_reason");
        stopReason = reason == null ? stopReason : reason;
        JsonNode runsIn = message.get("container");
        container = runsIn == null || runsIn.isNull() ? container : runsIn;
    }

    /** The counts of an answer so far; each event replaces those that it names. */
    private void noteUsage(JsonNode counts) {
        counts.properties().forEach(count -> usage.set(count.getKey(), count.getValue()));
    }

    private void finish(List<UiChunk> out) {
        if (!started) {
            throw new ProviderException.Malformed("The provider ended the answer before it began.");
        }
        List.copyOf(blocks.values()).forEach(block -> end(block, out));
        blocks.clear();
        String finishReason = finishReason();
        ObjectNode metadata = ModelJson.object();
        metadata.put("finishReason", finishReason);
        if (!usage.isEmpty()) {
            metadata.set("usage", Usage.ofMessages(usage));
        }
        if (container != null) {
            metadata.putObject("anthropic").set("container", container);
        }
        out.add(new UiChunk.FinishStep());
        out.add(new UiChunk.Finish(finishReason, metadata, Map.of()));
        done = true;
    }

    private String finishReason() {
        return switch (stopReason) {
            case "end_turn", "stop_sequence", "pause_turn" -> "stop";
            case "tool_use" -> "tool-calls";
            case "max_tokens", "model_context_window_exceeded" -> "length";
            case "refusal" -> "content-filter";
            case null, default -> "other";
        };
    }

    private static ProviderException.Failed failed(JsonNode error) {
        String type = ModelJson.textOrEmpty(error, "type");
        String message = ModelJson.text(error, "message");
        return new ProviderException.Failed("The provider failed (%s): %s"
                .formatted(type.isEmpty() ? "error" : type, message == null ? "it gave no reason" : message));
    }

    private static int index(JsonNode json) {
        return json.path("index").asInt(0);
    }
}
