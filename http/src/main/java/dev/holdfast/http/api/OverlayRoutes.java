package dev.holdfast.http.api;

import dev.holdfast.Holdfast;
import dev.holdfast.access.Action;
import dev.holdfast.access.Authorizer;
import dev.holdfast.http.Answers;
import dev.holdfast.http.Bodies;
import dev.holdfast.http.Call;
import dev.holdfast.http.Headers;
import dev.holdfast.http.HttpProblem;
import dev.holdfast.http.Router;
import dev.holdfast.session.Overlay;
import dev.holdfast.session.SessionLimits;
import java.io.IOException;
import java.util.Set;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The summaries that a model reads in the place of older messages. */
public final class OverlayRoutes {

    /** A summary whose characters are all escaped takes six bytes each. */
    private static final int MAX_BODY_BYTES = 6 * SessionLimits.MAX_SUMMARY_BYTES + ApiLimits.MAX_SMALL_BODY_BYTES;

    private final Access access;

    public OverlayRoutes(Holdfast holdfast, Authorizer authorizer) {
        this.access = new Access(holdfast, authorizer);
    }

    public void addTo(Router.Builder routes) {
        routes.add("GET", "/api/v1/sessions/{session}/overlays", this::list);
        routes.add("POST", "/api/v1/sessions/{session}/overlays", this::put);
        routes.add("DELETE", "/api/v1/sessions/{session}/overlays/{overlay}", this::delete);
    }

    private void list(Call call) throws IOException {
        ObjectNode body = JsonViews.object();
        ArrayNode array = body.putArray("overlays");
        access.session(call, Action.READ).overlays().list().forEach(overlay -> array.add(view(overlay)));
        Answers.json(call.exchange(), 200, body);
    }

    private void put(Call call) throws IOException {
        ObjectNode body = Bodies.readObject(call.exchange(), MAX_BODY_BYTES);
        Fields.only(body, Set.of("from", "to", "summary"));
        Overlay overlay = access.session(call, Action.WRITE)
                .overlays()
                .put(required(body, "from"), required(body, "to"), required(body, "summary"));
        Answers.json(call.exchange(), 201, view(overlay));
    }

    private static String required(ObjectNode body, String name) {
        return Fields.text(body, name)
                .orElseThrow(() -> HttpProblem.badRequest("The field \"%s\" is missing.".formatted(name)));
    }

    private void delete(Call call) throws IOException {
        boolean deleted = access.session(call, Action.WRITE).overlays().delete(call.path("overlay"));
        if (!deleted) {
            throw HttpProblem.notFound(
                    "overlay-not-found", "There is no such overlay", "This session has no overlay of this id.");
        }
        Answers.empty(call.exchange(), 204, new Headers());
    }

    private static ObjectNode view(Overlay overlay) {
        ObjectNode node = JsonViews.object();
        node.put("id", overlay.id());
        node.put("from", overlay.from());
        node.put("to", overlay.to());
        node.put("summary", overlay.summary());
        node.put("createdAt", overlay.createdAt().toString());
        return node;
    }
}
