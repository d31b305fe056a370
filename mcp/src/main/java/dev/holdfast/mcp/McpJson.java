package dev.holdfast.mcp;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.jackson3.JacksonMcpJsonMapper;
import io.modelcontextprotocol.spec.McpSchema.ElicitFormRequest;
import io.modelcontextprotocol.spec.McpSchema.ElicitRequest;
import tools.jackson.databind.json.JsonMapper;

/**
 * How messages of the SDK are written and read. The SDK's own mapper, and no difference but one: with Jackson 3.3 that one cannot write a question
 * to the user ({@code elicitation/create}) of the 2025 revisions, because {@code mode} is declared both as the property that tells forms from
 * URLs and as one of their own. Thread-safe.
 */
public final class McpJson {

    private static final McpJsonMapper MAPPER = new JacksonMcpJsonMapper(JsonMapper.builder()
            .addMixIn(ElicitRequest.class, ModeIsItsOwn.class)
            .build());

    private McpJson() {}

    public static McpJsonMapper mapper() {
        return MAPPER;
    }

    /** The property is there by itself, and is not to be written a second time. */
    @JsonTypeInfo(
            use = JsonTypeInfo.Id.NAME,
            include = JsonTypeInfo.As.EXISTING_PROPERTY,
            property = "mode",
            defaultImpl = ElicitFormRequest.class)
    private interface ModeIsItsOwn {}
}
