package dev.holdfast.mcp.streamable;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.jackson3.JacksonMcpJsonMapper;
import io.modelcontextprotocol.spec.McpSchema;

/**
 * The SDK's JSON mapper, able to write a question to the user: the SDK declares its {@code mode} both as a property and as the type's name, which
 * newer versions of Jackson 3 refuse to write.
 */
final class SdkJson {

    private SdkJson() {}

    @JsonTypeInfo(
            use = JsonTypeInfo.Id.NAME,
            include = JsonTypeInfo.As.EXISTING_PROPERTY,
            property = "mode",
            defaultImpl = McpSchema.ElicitFormRequest.class)
    private interface ModeIsAProperty {}

    static McpJsonMapper mapper() {
        McpJsonMapper mapper = McpJsonDefaults.getMapper();
        if (mapper instanceof JacksonMcpJsonMapper jackson) {
            return new JacksonMcpJsonMapper(jackson.getJsonMapper()
                    .rebuild()
                    .addMixIn(McpSchema.ElicitRequest.class, ModeIsAProperty.class)
                    .build());
        }
        return mapper;
    }
}
