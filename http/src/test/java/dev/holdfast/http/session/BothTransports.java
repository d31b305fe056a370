package dev.holdfast.http.session;

import static dev.holdfast.http.session.Wire.command;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What tests need that run over both transports alike, and against servers here and elsewhere. */
abstract class BothTransports {

    private final Way way;

    @TempDir
    private Path folder;

    Wire wire;

    BothTransports(Way way) {
        this.way = way;
    }

    @BeforeEach
    void start() throws IOException, InterruptedException {
        wire = Wire.open(way.where(), folder);
    }

    @AfterEach
    void stop() {
        wire.close();
    }

    /** A server beside the test's own, at the same place. */
    final Wire another(Path store, Plan plan) throws IOException, InterruptedException {
        return Wire.open(way.where(), store, plan);
    }

    final Line connect() throws IOException, InterruptedException {
        return connect(wire);
    }

    final Line connect(Wire to) throws IOException, InterruptedException {
        return way.connect(to, null);
    }

    final Line connectAs(String device) throws IOException, InterruptedException {
        return way.connect(wire, device);
    }

    static ObjectNode reconnecting(@Nullable String... sessionsAndCursors) {
        ObjectNode command = command("reconnect");
        ArrayNode sessions = command.putArray("sessions");
        for (int i = 0; i < sessionsAndCursors.length; i += 2) {
            sessions.addObject().put("session", sessionsAndCursors[i]).put("cursor", sessionsAndCursors[i + 1]);
        }
        return command;
    }

    static void assertProblem(JsonNode reply, int status, String type) {
        assertThat(reply.get("status").intValue()).isEqualTo(status);
        assertThat(reply.get("problem").get("type").stringValue()).isEqualTo("urn:holdfast:problem:" + type);
    }
}
