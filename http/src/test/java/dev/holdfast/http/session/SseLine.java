package dev.holdfast.http.session;

import dev.holdfast.http.EventStream;
import dev.holdfast.http.Json;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Server-sent events down and POSTs up. */
final class SseLine extends Line {

    private final Wire wire;
    private final EventStream events;
    private final String[] headers;

    private SseLine(Wire wire, EventStream events, JsonNode welcome, String... headers) {
        super(welcome, wire.told);
        this.wire = wire;
        this.events = events;
        this.headers = headers;
    }

    static SseLine open(Wire wire, @Nullable String device, String... headers)
            throws IOException, InterruptedException {
        EventStream events = EventStream.open(wire.http, Wire.path(device), headers);
        JsonNode welcome = Wire.json(events.next().orElseThrow().data());
        return new SseLine(wire, events, welcome, headers);
    }

    @Override
    JsonNode exchange(ObjectNode command) throws IOException, InterruptedException {
        HttpResponse<String> response = wire.post(id(), command.toString(), headers);
        JsonNode body = Wire.json(response.body());
        if (response.statusCode() < 300) {
            FrameSchema.check(response.body());
            return body;
        }
        ObjectNode reply = Json.MAPPER
                .createObjectNode()
                .put("type", "reply")
                .put("id", command.get("id").stringValue())
                .put("status", response.statusCode());
        reply.set("problem", body);
        return reply;
    }

    @Override
    Optional<JsonNode> take() throws IOException {
        return events.next().map(event -> checked(event.data()));
    }

    @Override
    void vanish() throws IOException {
        events.close();
    }
}
