package dev.holdfast.http.session;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Holds what the server sends against the schema of the documentation. */
final class FrameSchema {

    static final Path FILE = Path.of("..", "docs", "wires", "session.schema.json");

    private static final String ID = "https://holdfast.dev/schemas/session.schema.json";
    private static final Schema SERVER_MESSAGE = load();

    private FrameSchema() {}

    private static Schema load() {
        try {
            Map<String, String> schemas = Map.of(ID, Files.readString(FILE));
            return SchemaRegistry.withDefaultDialect(
                            SpecificationVersion.DRAFT_2020_12, registry -> registry.schemas(schemas))
                    .getSchema(SchemaLocation.of(ID + "#/$defs/ServerMessage"));
        } catch (IOException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    static void check(String message) {
        var faults = SERVER_MESSAGE.validate(message, InputFormat.JSON);
        if (!faults.isEmpty()) {
            throw new AssertionError("%s does not fit the schema: %s".formatted(message, faults));
        }
    }
}
