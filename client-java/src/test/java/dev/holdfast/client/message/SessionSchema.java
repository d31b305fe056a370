package dev.holdfast.client.message;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/** The schema of the transport, as the documentation has it. */
final class SessionSchema {

    private static final Path FILE = Path.of("..", "docs", "wires", "session.schema.json");
    private static final String ID = "https://holdfast.dev/schemas/session.schema.json";

    private final String text;
    private final SchemaRegistry registry;

    SessionSchema() {
        try {
            text = Files.readString(FILE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        registry = SchemaRegistry.withDefaultDialect(
                SpecificationVersion.DRAFT_2020_12, builder -> builder.schemas(java.util.Map.of(ID, text)));
    }

    /** What is wrong with a document, seen as one of the definitions. */
    List<String> faults(String definition, String json) {
        Schema schema = registry.getSchema(SchemaLocation.of(ID + "#/$defs/" + definition));
        return schema
                .validate(
                        json,
                        InputFormat.JSON,
                        context -> context.executionConfig(config -> config.formatAssertionsEnabled(true)))
                .stream()
                .map(Object::toString)
                .toList();
    }

    /** The constants that a field has in all the definitions which a union names. */
    Set<String> names(String union, String field) {
        JsonNode definitions = MessageJson.tree(text).path("$defs");
        Set<String> names = new TreeSet<>();
        for (JsonNode each : definitions.path(union).path("oneOf")) {
            String name = each.path("$ref").asString("").replace("#/$defs/", "");
            JsonNode property = definitions.path(name).path("properties").path(field);
            if (property.has("const")) {
                names.add(property.path("const").asString(""));
            }
            property.path("enum").forEach(value -> names.add(value.asString("")));
        }
        return names;
    }
}
