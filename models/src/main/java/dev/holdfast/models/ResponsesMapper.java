package dev.holdfast.models;

import dev.holdfast.uimessage.UiChunk;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Turns the events of OpenAI's responses ({@code POST /responses} with {@code stream}) into chunks that clients of the AI SDK from major 5 accept.
 * Events that say nothing to a reader, and types that this version does not know, give none.
 *
 * <p>A pure state machine: the same events give the same chunks, and its state follows from the chunks alone, so that it is made again from the durable
 * ones and goes on as if nothing had happened (EVERY-CURSOR). Owned by one thread.
 *
 * <p>The ids of texts and reasonings are made of the ids of the items; those of tool calls are the ids that a result has to name. What maps the
 * one to the other is in the chunk that announces a call, so that it survives a crash.
 */
final class ResponsesMapper {

    private final String messageId;
    private final OpenParts open = new OpenParts();
    private final ResponsesTools tools = new ResponsesTools();
    private boolean started;
    private boolean done;

    ResponsesMapper(String messageId) {
        this.messageId = messageId;
    }

    /** As it was after these chunks. */
    static ResponsesMapper after(String messageId, List<UiChunk> chunks) {
        ResponsesMapper mapper = new ResponsesMapper(messageId);
        chunks.forEach(mapper::note);
        return mapper;
    }

    private void note(UiChunk chunk) {
        open.note(chunk);
        tools.note(chunk);
        switch (chunk) {
            case UiChunk.Start c -> started = true;
            case UiChunk.StartStep c -> started = true;
            case UiChunk.Finish c -> done = true;
            default -> {}
        }
    }

    /** Whether the answer is complete. */
    boolean isDone() {
        return done;
    }

    /**
     * The chunks of the next event, possibly none.
     *
     * @throws ProviderException if the event says that the run failed
     */
    List<UiChunk> accept(ObjectNode json) {
        if (done) {
            return List.of();
        }
        List<UiChunk> out = new ArrayList<>();
        switch (ModelJson.textOrEmpty(json, "type")) {
            case "response.created", "response.queued", "response.in_progress" -> start(json.path("response"), out);
            case "response.output_item.added" -> tools.begin(json.path("item"), out);
            case "response.output_item.done" -> endItem(json.path("item"), out);
            case "response.content_part.added" -> {
                String type = ModelJson.textOrEmpty(json.path("part"), "type");
                if (type.equals("output_text") || type.equals("refusal")) {
                    open.openText(contentId(json), out);
                }
            }
            case "response.output_text.delta", "response.refusal.delta" -> {
                open.openText(contentId(json), out);
                out.add(new UiChunk.TextDelta(contentId(json), ModelJson.textOrEmpty(json, "delta")));
            }
            case "response.output_text.done", "response.refusal.done", "response.content_part.done" ->
                open.closeText(contentId(json), out);
            case "response.output_text.annotation.added" -> source(json, out);
            case "response.reasoning_summary_part.added" -> open.openReasoning(summaryId(json), out);
            case "response.reasoning_summary_text.delta" -> reason(summaryId(json), json, out);
            case "response.reasoning_summary_text.done", "response.reasoning_summary_part.done" ->
                open.closeReasoning(summaryId(json), out);
            case "response.reasoning_text.delta" -> reason(contentId(json), json, out);
            case "response.reasoning_text.done" -> open.closeReasoning(contentId(json), out);
            case "response.function_call_arguments.delta",
                    "response.mcp_call_arguments.delta",
                    "response.custom_tool_call_input.delta" -> tools.input(json, out);
            case "response.mcp_call_arguments.done" -> tools.inputDone(json, out);
            case "response.completed" -> end(json.path("response"), tools.awaitsResults() ? "tool-calls" : "stop", out);
            case "response.incomplete" -> end(json.path("response"), incomplete(json), out);
            case "response.failed", "response.cancelled" -> throw failed(json.path("response"));
            case "error" -> throw failed(json);
            default -> {
                // Progress of tools, whole texts after their deltas, and what later versions of the API add.
            }
        }
        return out;
    }

    private void start(JsonNode response, List<UiChunk> out) {
        if (started) {
            return;
        }
        started = true;
        ObjectNode metadata = ModelJson.object();
        String model = ModelJson.text(response, "model");
        if (model != null) {
            metadata.put("model", model);
        }
        out.add(new UiChunk.Start(messageId, metadata.isEmpty() ? null : metadata, Map.of()));
        out.add(new UiChunk.StartStep());
    }

    private void reason(String id, JsonNode json, List<UiChunk> out) {
        open.openReasoning(id, out);
        out.add(new UiChunk.ReasoningDelta(id, ModelJson.textOrEmpty(json, "delta")));
    }

    private void endItem(JsonNode item, List<UiChunk> out) {
        if (ModelJson.textOrEmpty(item, "type").equals("image_generation_call")) {
            String image = ModelJson.text(item, "result");
            if (image != null) {
                String type = "image/"
                        + (item.path("output_format").isString()
                                ? item.get("output_format").stringValue()
                                : "png");
                out.add(new UiChunk.File("data:" + type + ";base64," + image, type));
            }
            return;
        }
        tools.end(item, out);
    }

    private static void source(JsonNode json, List<UiChunk> out) {
        JsonNode annotation = json.path("annotation");
        String id = contentId(json) + ":" + json.path("annotation_index").asInt(0);
        switch (ModelJson.textOrEmpty(annotation, "type")) {
            case "url_citation" -> {
                String url = ModelJson.text(annotation, "url");
                if (url != null) {
                    out.add(new UiChunk.SourceUrl(id, url, ModelJson.text(annotation, "title")));
                }
            }
            case "file_citation", "container_file_citation", "file_path" -> {
                String name = ModelJson.text(annotation, "filename");
                String file = ModelJson.textOrEmpty(annotation, "file_id");
                out.add(new UiChunk.SourceDocument(id, "text/plain", name == null ? file : name, name));
            }
            default -> {}
        }
    }

    private void end(JsonNode response, String finishReason, List<UiChunk> out) {
        start(response, out);
        open.closeReasonings(out);
        open.closeTexts(out);
        ObjectNode metadata = ModelJson.object();
        metadata.put("finishReason", finishReason);
        if (response.path("usage").isObject()) {
            metadata.set("usage", Usage.ofResponses(response.get("usage")));
        }
        out.add(new UiChunk.FinishStep());
        out.add(new UiChunk.Finish(finishReason, metadata, Map.of()));
        done = true;
    }

    private static String incomplete(JsonNode json) {
        return switch (json.at("/response/incomplete_details/reason").asString("")) {
            case "max_output_tokens" -> "length";
            case "content_filter" -> "content-filter";
            default -> "other";
        };
    }

    private static ProviderException.Failed failed(JsonNode json) {
        @Nullable String message = ModelJson.text(json.path("error"), "message");
        if (message == null) {
            message = ModelJson.text(json, "message");
        }
        return new ProviderException.Failed(
                "The provider's run failed: " + (message == null ? "it gave no reason" : message));
    }

    private static String contentId(JsonNode json) {
        return ModelJson.textOrEmpty(json, "item_id") + ":"
                + json.path("content_index").asInt(0);
    }

    private static String summaryId(JsonNode json) {
        return ModelJson.textOrEmpty(json, "item_id") + ":summary:"
                + json.path("summary_index").asInt(0);
    }
}
