package dev.holdfast.http.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.access.Authorizer;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.Json;
import dev.holdfast.http.sse.SseSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Every command that the schema lets a client send is accepted by the server, over both transports, and the server knows no other. */
final class CommandSchemaTest {

    @TempDir
    private Path folder;

    private static JsonNode definitions() throws Exception {
        return Json.MAPPER.readTree(Files.readAllBytes(FrameSchema.FILE)).get("$defs");
    }

    /** The commands of the schema with their fields besides type and id. */
    private static Map<String, Set<String>> inSchema() throws Exception {
        JsonNode definitions = definitions();
        Map<String, Set<String>> commands = new LinkedHashMap<>();
        for (JsonNode each : definitions.get("ClientMessage").get("oneOf")) {
            String name = each.get("$ref").stringValue().substring("#/$defs/".length());
            JsonNode properties = definitions.get(name).get("properties");
            Set<String> fields = new TreeSet<>(properties.propertyNames());
            fields.removeAll(Set.of("type", "id"));
            commands.put(properties.get("type").get("const").stringValue(), fields);
        }
        return commands;
    }

    @InProcess("It holds the table of commands against the schema, and there is no server")
    @Test
    void the_server_and_the_schema_know_the_same_commands_and_fields() throws Exception {
        try (Holdfast holdfast = Holdfast.open(folder)) {
            Map<String, Set<String>> known = new Commands(new Transport(
                            holdfast,
                            Authorizer.allowAll(),
                            TransportSettings.of(SseSettings.defaults(), HttpLimits.defaults(), "default")))
                    .fields();
            assertThat(known).isEqualTo(inSchema());
        }
    }

    @ParameterizedTest
    @EnumSource
    void every_command_is_accepted_over_both_transports_M49(Where where) throws Exception {
        try (Wire wire = Wire.open(where, folder)) {
            try (Line line = wire.connect()) {
                acceptAll(wire, line, "sse");
            }
            try (Line line = SocketLine.open(wire, null)) {
                acceptAll(wire, line, "socket");
            }
        }
    }

    private static void acceptAll(Wire wire, Line line, String session) throws Exception {
        wire.there.create(session);
        Map<String, ObjectNode> samples = samples(session);
        assertThat(samples.keySet()).isEqualTo(inSchema().keySet());
        for (Map.Entry<String, ObjectNode> sample : samples.entrySet()) {
            JsonNode reply = line.command(sample.getValue());
            assertThat(reply.get("status").intValue()).as(sample.getKey()).isBetween(200, 202);
            assertThat(reply.get("id").stringValue()).isEqualTo("c");
            if (sample.getKey().equals("send")) { // it waits for a decision by the time it is answered
                wire.there.awaitState(session, session + "-1", "AWAITING");
            }
        }
    }

    /** One of each, in an order in which all are possible. */
    private static Map<String, ObjectNode> samples(String session) {
        Map<String, ObjectNode> samples = new LinkedHashMap<>();
        ObjectNode reconnect = Wire.command("reconnect");
        reconnect.putArray("sessions").addObject().put("session", session).putNull("cursor");
        ObjectNode send = Wire.sending(session, session + "-1");
        ((ObjectNode) send.get("turn")).put("agent", "asking");
        ObjectNode answer = Wire.command("answer").put("session", session).put("turn", session + "-1");
        answer.putObject("answer").put("toolCallId", "c1").put("approved", true);
        for (ObjectNode sample : List.of(
                reconnect,
                Wire.watching(session, null),
                Wire.command("unwatch").put("session", session),
                Wire.command("switch").put("session", session).putNull("cursor"),
                send,
                answer,
                Wire.sending(session, session + "-2").put("type", "interrupt"),
                Wire.command("stop").put("session", session).putNull("turn").put("reason", "enough"),
                Wire.command("mode").put("session", session).put("mode", "ask"),
                Wire.command("suspend"),
                Wire.command("resume"),
                Wire.command("close").put("session", session).putNull("reason"),
                Wire.command("probe").put("nonce", "n"),
                Wire.command("bye"))) {
            samples.put(sample.get("type").stringValue(), sample);
        }
        return samples;
    }
}
