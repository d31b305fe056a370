package dev.holdfast.http.api;

import dev.holdfast.Holdfast;
import dev.holdfast.access.Action;
import dev.holdfast.access.Authorizer;
import dev.holdfast.http.Answers;
import dev.holdfast.http.Bodies;
import dev.holdfast.http.Call;
import dev.holdfast.http.HttpProblem;
import dev.holdfast.http.Router;
import dev.holdfast.session.Session;
import java.io.IOException;
import java.util.Set;
import tools.jackson.databind.node.ObjectNode;

/** The titles of sessions. */
public final class TitleRoutes {

    private final Access access;

    public TitleRoutes(Holdfast holdfast, Authorizer authorizer) {
        this.access = new Access(holdfast, authorizer);
    }

    public void addTo(Router.Builder routes) {
        routes.add("PUT", "/api/v1/sessions/{session}/title", this::put);
    }

    private void put(Call call) throws IOException {
        ObjectNode body = Bodies.readObject(call.exchange(), ApiLimits.MAX_SMALL_BODY_BYTES);
        Fields.only(body, Set.of("title"));
        String title = Fields.text(body, "title")
                .orElseThrow(() -> HttpProblem.badRequest("The field \"title\" must be there, and a string."));
        Session session = access.session(call, Action.WRITE);
        session.title(title);
        Answers.json(call.exchange(), 200, JsonViews.session(session.info()));
    }
}
