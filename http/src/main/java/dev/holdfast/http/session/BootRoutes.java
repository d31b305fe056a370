package dev.holdfast.http.session;

import dev.holdfast.access.Action;
import dev.holdfast.http.Answers;
import dev.holdfast.http.Bodies;
import dev.holdfast.http.Call;
import dev.holdfast.http.Headers;
import dev.holdfast.http.HttpProblem;
import dev.holdfast.http.Json;
import dev.holdfast.http.JsonFault;
import dev.holdfast.http.Problem;
import dev.holdfast.http.Router;
import dev.holdfast.session.Session;
import dev.holdfast.session.SessionLimits;
import java.io.IOException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** Reads and writes what clients of a session are told first. */
final class BootRoutes {

    private static final String PATH = "/api/v1/sessions/{session}/boot";

    private final Transport transport;

    BootRoutes(Transport transport) {
        this.transport = transport;
    }

    void addTo(Router.Builder routes) {
        routes.add("GET", PATH, this::show);
        routes.add("PUT", PATH, this::put);
        routes.add("DELETE", PATH, this::delete);
    }

    private Session session(Call call, Action action) {
        return transport.access().session(call, action);
    }

    private void show(Call call) throws IOException {
        JsonNode value = transport
                .boot()
                .of(session(call, Action.READ))
                .orElseThrow(() -> new HttpProblem(Problem.of(
                        404,
                        "no-boot-context",
                        "There is no boot context",
                        "Nothing is kept for this session's clients.")));
        Answers.json(call.exchange(), 200, value);
    }

    private void put(Call call) throws IOException {
        Session session = session(call, Action.WRITE);
        JsonNode value = read(Bodies.read(call.exchange(), SessionLimits.MAX_PROPERTY_BYTES));
        long unused = session.properties().put(Boot.PROPERTY, Json.MAPPER.writeValueAsBytes(value));
        Answers.empty(call.exchange(), 204, new Headers());
    }

    private static JsonNode read(byte[] body) {
        try {
            JsonNode value = Json.MAPPER.readTree(body);
            if (!value.isMissingNode()) {
                return value;
            }
        } catch (JacksonException e) {
            throw HttpProblem.badRequest(JsonFault.sentence("The boot context", e));
        }
        throw HttpProblem.badRequest("Send the boot context as the body: one JSON value.");
    }

    private void delete(Call call) throws IOException {
        boolean unused = session(call, Action.WRITE).properties().delete(Boot.PROPERTY);
        Answers.empty(call.exchange(), 204, new Headers());
    }
}
