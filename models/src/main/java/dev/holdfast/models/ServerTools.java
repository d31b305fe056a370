package dev.holdfast.models;

import dev.holdfast.uimessage.ToolTraits;
import dev.holdfast.uimessage.UiChunk;
import dev.holdfast.uimessage.UiPart;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * How the calls that this server runs are told from all others. To clients they are {@code providerExecuted}, so that no client runs them, too,
 * and neither a replay nor another tab does; a mark in the metadata tells them from those that the model's provider ran, whose results a model knows already.
 */
final class ServerTools {

    private static final String OWN = "holdfast";
    private static final String MARK = "server";

    private ServerTools() {}

    /** The chunk, marked if it is a call of a tool that this server runs. */
    static UiChunk mark(UiChunk chunk, Toolbox tools) {
        return switch (chunk) {
            case UiChunk.ToolInputStart c
            when isOwn(c.toolName(), c.traits(), tools) ->
                new UiChunk.ToolInputStart(
                        c.toolCallId(), c.toolName(), c.inputEncoding(), marked(c.traits()), c.extra());
            case UiChunk.ToolInputAvailable c
            when isOwn(c.toolName(), c.traits(), tools) ->
                new UiChunk.ToolInputAvailable(c.toolCallId(), c.toolName(), c.input(), marked(c.traits()), c.extra());
            case UiChunk.ToolInputError c
            when isOwn(c.toolName(), c.traits(), tools) ->
                new UiChunk.ToolInputError(
                        c.toolCallId(), c.toolName(), c.input(), c.errorText(), marked(c.traits()), c.extra());
            default -> chunk;
        };
    }

    /** Whether the model's provider ran the call: it needs no result from here. */
    static boolean isOfProvider(UiPart.Tool call) {
        return call.isProviderExecuted()
                && !isMarked(call.value("callProviderMetadata").orElse(null));
    }

    static boolean isOfProvider(ToolTraits traits) {
        return Boolean.TRUE.equals(traits.providerExecuted()) && !isMarked(traits.providerMetadata());
    }

    private static boolean isOwn(String name, ToolTraits traits, Toolbox tools) {
        return traits.providerExecuted() == null && tools.runs(name);
    }

    private static ToolTraits marked(ToolTraits traits) {
        ObjectNode metadata = ModelJson.object();
        Optional.ofNullable(traits.providerMetadata())
                .ifPresent(
                        before -> before.properties().forEach(field -> metadata.set(field.getKey(), field.getValue())));
        metadata.putObject(OWN).put(MARK, true);
        return new ToolTraits(true, traits.dynamic(), traits.title(), metadata, traits.toolMetadata());
    }

    private static boolean isMarked(@Nullable JsonNode metadata) {
        return metadata != null && metadata.path(OWN).path(MARK).asBoolean(false);
    }
}
