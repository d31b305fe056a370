package dev.holdfast.models;

import dev.langchain4j.agent.tool.ToolSpecification;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Tool specifications of LangChain4j as the JSON of providers. */
final class ToolSchemas {

    private ToolSchemas() {}

    /** Writes a tool's name and description, and the JSON schema of its input into a field that each API names differently. */
    static void describe(ToolSpecification tool, ObjectNode into, String schemaField) {
        into.put("name", tool.name());
        if (tool.description() != null) {
            into.put("description", tool.description());
        }
        JsonNode schema = ModelJson.read(tool.toJson()).orElseThrow().get("parameters");
        if (schema != null) {
            into.set(schemaField, schema);
        } else {
            into.putObject(schemaField).put("type", "object").putObject("properties");
        }
    }
}
