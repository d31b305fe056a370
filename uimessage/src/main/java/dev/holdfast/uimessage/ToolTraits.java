package dev.holdfast.uimessage;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * What the chunks of tool calls may say beside their ids.
 *
 * @param providerExecuted whether the model's provider runs the tool; clients then do not run it themselves
 * @param dynamic whether the client does not know the tool by name; its part becomes {@code dynamic-tool}
 * @param title a name for people
 * @param providerMetadata opaque data of the provider
 * @param toolMetadata opaque data of the tool (clients from 7)
 */
public record ToolTraits(
        @Nullable Boolean providerExecuted,
        @Nullable Boolean dynamic,
        @Nullable String title,
        @Nullable JsonNode providerMetadata,
        @Nullable JsonNode toolMetadata) {

    /** Nothing said. */
    public static final ToolTraits NONE = new ToolTraits(null, null, null, null, null);

    /** A tool that the provider runs and of which the client knows nothing. */
    public static final ToolTraits OF_PROVIDER = new ToolTraits(true, true, null, null, null);

    boolean isDynamic() {
        return Boolean.TRUE.equals(dynamic);
    }
}
