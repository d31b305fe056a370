package dev.holdfast.http.api;

import dev.holdfast.Holdfast;
import dev.holdfast.access.Action;
import dev.holdfast.access.Authorizer;
import dev.holdfast.error.HoldfastException.TurnNotFound;
import dev.holdfast.http.Answers;
import dev.holdfast.http.Bodies;
import dev.holdfast.http.Call;
import dev.holdfast.http.Headers;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.Json;
import dev.holdfast.http.Router;
import dev.holdfast.http.sse.SseSettings;
import dev.holdfast.session.Session;
import dev.holdfast.stream.Cursor;
import dev.holdfast.turn.AnswerResult;
import dev.holdfast.turn.StopResult;
import dev.holdfast.turn.ToolAnswer;
import dev.holdfast.turn.TurnHandle;
import dev.holdfast.turn.TurnStatus;
import java.io.IOException;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.node.ObjectNode;

/** Turns: started, watched, stopped and resumed. A turn belongs to no connection; losing one stops nothing (DISCONNECT-IS-NOT-STOP). */
public final class TurnRoutes {

    private final Holdfast holdfast;
    private final Access access;
    private final SseSettings events;
    private final HttpLimits limits;
    private final String defaultAgent;

    /**
     * @param defaultAgent the agent of turns that name none
     */
    public TurnRoutes(
            Holdfast holdfast, Authorizer authorizer, SseSettings events, HttpLimits limits, String defaultAgent) {
        this.holdfast = holdfast;
        this.access = new Access(holdfast, authorizer);
        this.events = events;
        this.limits = limits;
        this.defaultAgent = defaultAgent;
    }

    public void addTo(Router.Builder routes) {
        routes.add("POST", "/api/v1/sessions/{session}/turns", this::start);
        routes.add("GET", "/api/v1/sessions/{session}/turns", this::list);
        routes.add("GET", "/api/v1/sessions/{session}/queue", this::queue);
        routes.add("DELETE", "/api/v1/sessions/{session}/queue", this::clearQueue);
        routes.add("GET", "/api/v1/sessions/{session}/incidents", this::incidents);
        routes.add("GET", "/api/v1/sessions/{session}/turns/{turn}", this::show);
        routes.add("POST", "/api/v1/sessions/{session}/turns/{turn}/stop", this::stop);
        routes.add("POST", "/api/v1/sessions/{session}/turns/{turn}/resume", this::resume);
        routes.add("POST", "/api/v1/sessions/{session}/turns/{turn}/answers", this::answer);
        routes.add("GET", "/api/v1/sessions/{session}/turns/{turn}/events", this::watch);
    }

    private void start(Call call) throws IOException {
        Session session = access.session(call, Action.WRITE);
        ObjectNode body = Bodies.readObject(call.exchange(), limits.maxBodyBytes());
        TurnHandle handle =
                access.turns(call).start(session.id(), TurnBody.read(body, SubmitFields.key(call), defaultAgent));
        answer(call, handle.started() ? 201 : 200, handle.status());
    }

    private void resume(Call call) throws IOException {
        Session session = access.session(call, Action.WRITE);
        ObjectNode body = Bodies.readObject(call.exchange(), limits.maxBodyBytes());
        Fields.only(body, Set.of("input"));
        byte[] input =
                Fields.any(body, "input").map(Json.MAPPER::writeValueAsBytes).orElse(null);
        answer(
                call,
                200,
                access.turns(call)
                        .resume(session.id(), require(call, session).id(), input)
                        .status());
    }

    private void answer(Call call) throws IOException {
        Session session = access.session(call, Action.WRITE);
        ToolAnswer answer = AnswerBody.read(Bodies.readObject(call.exchange(), limits.maxBodyBytes()));
        AnswerResult result = access.turns(call).answer(session.id(), call.path("turn"), answer);
        ObjectNode body = JsonViews.object();
        body.put("effect", result.effect().name().toLowerCase(Locale.ROOT));
        body.set("turn", JsonViews.turn(result.turn()));
        Answers.json(call.exchange(), 200, body);
    }

    private void answer(Call call, int status, TurnStatus turn) throws IOException {
        ObjectNode body = JsonViews.turn(turn);
        body.put("cursor", begin(call, turn).map(Cursor::token).orElse(null));
        Headers headers = new Headers().set("Location", JsonViews.turnPath(turn.sessionId(), turn.id()));
        Answers.json(call.exchange(), status, headers, body);
    }

    /** Where the turn's stream begins; empty once it is gone. */
    private Optional<Cursor> begin(Call call, TurnStatus turn) {
        return Optional.ofNullable(turn.streamName())
                .flatMap(name -> holdfast.streams(call.principal().tenant()).status(name))
                .map(stream -> new Cursor(stream.incarnation(), stream.firstSeq()));
    }

    private void list(Call call) throws IOException {
        Session session = access.session(call, Action.LIST);
        int limit = call.query().number("limit", ApiLimits.DEFAULT_PAGE, 1, ApiLimits.MAX_PAGE);
        ObjectNode body = JsonViews.object();
        body.set("turns", JsonViews.turns(access.turns(call).latest(session.id(), limit)));
        Answers.json(call.exchange(), 200, body);
    }

    private void queue(Call call) throws IOException {
        Session session = access.session(call, Action.LIST);
        ObjectNode body = JsonViews.object();
        body.set("turns", JsonViews.turns(access.turns(call).queue(session.id())));
        Answers.json(call.exchange(), 200, body);
    }

    private void incidents(Call call) throws IOException {
        Session session = access.session(call, Action.LIST);
        ObjectNode body = JsonViews.object();
        body.set("incidents", JsonViews.incidents(access.turns(call).incidents(session.id())));
        Answers.json(call.exchange(), 200, body);
    }

    private void clearQueue(Call call) throws IOException {
        Session session = access.session(call, Action.WRITE);
        String reason = call.query().text("reason").orElse(null);
        ObjectNode body = JsonViews.object();
        body.put("ended", access.turns(call).clearQueue(session.id(), reason));
        Answers.json(call.exchange(), 200, body);
    }

    private void show(Call call) throws IOException {
        Session session = access.session(call, Action.READ);
        Answers.json(call.exchange(), 200, JsonViews.turn(require(call, session)));
    }

    private void stop(Call call) throws IOException {
        Session session = access.session(call, Action.WRITE);
        ObjectNode body = Bodies.readObject(call.exchange(), ApiLimits.MAX_SMALL_BODY_BYTES);
        Fields.only(body, Set.of("reason"));
        String reason = Fields.text(body, "reason").orElse(null);
        StopResult result = access.turns(call).stop(session.id(), call.path("turn"), reason);
        ObjectNode answer = JsonViews.object();
        answer.put("accepted", result.accepted());
        answer.put("state", JsonViews.state(result.state()));
        Answers.json(call.exchange(), 200, answer);
    }

    private void watch(Call call) throws IOException, InterruptedException {
        Session session = access.session(call, Action.READ);
        TurnStatus turn = require(call, session);
        Optional<Cursor> cursor = Cursors.given(call).map(Cursor::parse);
        new TurnWatch(
                        call.exchange(),
                        session,
                        turn.id(),
                        access.turns(call),
                        holdfast.streams(call.principal().tenant()),
                        events)
                .run(cursor);
    }

    private TurnStatus require(Call call, Session session) {
        String id = call.path("turn");
        return access.turns(call).status(session.id(), id).orElseThrow(() -> new TurnNotFound(session.id(), id));
    }
}
