package dev.holdfast.http.chat;

import dev.holdfast.Holdfast;
import dev.holdfast.access.Action;
import dev.holdfast.access.Authorizer;
import dev.holdfast.http.Answers;
import dev.holdfast.http.Bodies;
import dev.holdfast.http.Call;
import dev.holdfast.http.Headers;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.HttpProblem;
import dev.holdfast.http.Json;
import dev.holdfast.http.Router;
import dev.holdfast.http.api.Access;
import dev.holdfast.http.api.Cursors;
import dev.holdfast.http.api.Fields;
import dev.holdfast.http.api.SubmitFields;
import dev.holdfast.http.sse.SseSettings;
import dev.holdfast.session.Session;
import dev.holdfast.stream.Cursor;
import dev.holdfast.turn.StopResult;
import dev.holdfast.turn.TurnState;
import dev.holdfast.turn.TurnStatus;
import dev.holdfast.turn.Turns;
import dev.holdfast.uimessage.ChunkGate;
import java.io.IOException;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import tools.jackson.databind.node.ObjectNode;

/**
 * The wire of {@code useChat}: post a message and read the answer, read on after a reload, stop, and load a chat. A chat is a session, its id the
 * session's; it is made by the first message. docs/wires/ai-sdk.md describes it.
 */
public final class ChatRoutes {

    /** The header in which a client says its major of the AI SDK. */
    private static final String MAJOR_HEADER = "X-AI-SDK-Version";

    /** The query parameter of clients that count chunks. */
    private static final String START_INDEX = "startIndex";

    private static final int MAX_STOP_BODY_BYTES = 64 << 10;

    private final Holdfast holdfast;
    private final Access access;
    private final SseSettings events;
    private final HttpLimits limits;
    private final ChatSettings settings;
    private final KeptRuns kept;

    public ChatRoutes(
            Holdfast holdfast, Authorizer authorizer, SseSettings events, HttpLimits limits, ChatSettings settings) {
        this.holdfast = holdfast;
        this.access = new Access(holdfast, authorizer);
        this.events = events;
        this.limits = limits;
        this.settings = settings;
        this.kept = new KeptRuns(events.time());
    }

    public void addTo(Router.Builder routes) {
        routes.add("POST", settings.path(), this::post);
        routes.add("GET", settings.path() + "/{chat}", this::load);
        routes.add("GET", settings.path() + "/{chat}/stream", this::resume);
        routes.add("POST", settings.path() + "/{chat}/stop", this::stop);
    }

    private void post(Call call) throws IOException, InterruptedException {
        int major = major(call);
        ChatBody body = ChatBody.read(Bodies.readObject(call.exchange(), limits.maxBodyBytes()));
        Session session = access.sessionsFor(call, Action.WRITE, body.chat()).create(body.chat());
        Optional<String> key = SubmitFields.key(call).map(given -> Fields.addressable("key", given));
        ChatTurn.Found found = new ChatTurn(session, access.turns(call), settings.agent()).of(body, key, freshKey());
        stream(call, session, found.turn(), major, found.place());
    }

    private String freshKey() {
        HexFormat hex = HexFormat.of();
        return "again-" + hex.toHexDigits(events.time().randomLong())
                + hex.toHexDigits(events.time().randomLong());
    }

    private void resume(Call call) throws IOException, InterruptedException {
        int major = major(call);
        Optional<RunId> run = RunId.parse(call.path("chat"));
        if (run.isPresent()) {
            resumeRun(call, run.get());
            return;
        }
        Optional<Session> session = session(call, Action.READ);
        Optional<TurnStatus> turn = session.flatMap(found -> followed(access.turns(call), found.id()));
        if (turn.isEmpty()) {
            Answers.empty(call.exchange(), 204, new Headers());
            return;
        }
        stream(call, session.orElseThrow(), turn.get(), major, place(call));
    }

    private static Place place(Call call) {
        Optional<String> cursor = Cursors.given(call);
        if (cursor.isPresent()) {
            return new Place.At(Cursor.parse(cursor.get()));
        }
        return call.query().text(START_INDEX).isPresent()
                ? new Place.Index(startIndex(call), false, OptionalLong.empty())
                : new Place.Reload();
    }

    private static int startIndex(Call call) {
        return call.query().number(START_INDEX, 0, Integer.MIN_VALUE, Integer.MAX_VALUE);
    }

    private void resumeRun(Call call, RunId run) throws IOException, InterruptedException {
        Session session = access.sessionsFor(call, Action.READ, run.session()).get(run.session());
        Place place = new Place.Index(startIndex(call), run.goesOn(), OptionalLong.of(run.incarnation()));
        ChatStream stream = new ChatStream(call.exchange(), context(call), session, run.turn(), run.major(), place);
        stream.run(kept.reader(call.principal().tenant(), run).orElse(null));
    }

    private Optional<Session> session(Call call, Action action) {
        String id = call.path("chat");
        return access.sessionsFor(call, action, id).find(id);
    }

    /** The turn that streams, or the next one if none streams and none waits for someone. */
    private static Optional<TurnStatus> followed(Turns turns, String chat) {
        List<TurnStatus> live = turns.live(chat);
        Optional<TurnStatus> streaming = live.stream()
                .filter(turn -> turn.state() == TurnState.STREAMING)
                .findFirst();
        boolean waits = live.stream().anyMatch(turn -> turn.state() == TurnState.AWAITING);
        return streaming.isPresent() || waits ? streaming : live.stream().findFirst();
    }

    private void stream(Call call, Session session, TurnStatus turn, int major, Place place)
            throws IOException, InterruptedException {
        new ChatStream(call.exchange(), context(call), session, turn.id(), major, place).run(null);
    }

    private ChatContext context(Call call) {
        String tenant = call.principal().tenant();
        return new ChatContext(tenant, access.turns(call), holdfast.streams(tenant), events, kept);
    }

    private int major(Call call) {
        Optional<String> given = call.header(MAJOR_HEADER);
        if (given.isEmpty()) {
            return settings.major();
        }
        String number = given.get().strip().split("\\.", 2)[0];
        if (!number.matches("[1-9][0-9]{0,2}") || Integer.parseInt(number) < ChunkGate.OLDEST_MAJOR) {
            throw HttpProblem.badRequest("%s is the version of the npm package \"ai\", from %d on."
                    .formatted(MAJOR_HEADER, ChunkGate.OLDEST_MAJOR));
        }
        return Math.min(Integer.parseInt(number), ChunkGate.NEWEST_MAJOR);
    }

    private void stop(Call call) throws IOException {
        Optional<Session> session = session(call, Action.WRITE);
        ObjectNode body = Bodies.readObject(call.exchange(), MAX_STOP_BODY_BYTES);
        Fields.only(body, Set.of("turnId", "reason"));
        Optional<String> reason = Fields.text(body, "reason");
        Turns turns = access.turns(call);
        Optional<String> turn = session.flatMap(found -> Fields.text(body, "turnId")
                .or(() -> turns.live(found.id()).stream().map(TurnStatus::id).findFirst()));
        ObjectNode answer = Json.MAPPER.createObjectNode();
        if (turn.isEmpty()) {
            answer.put("accepted", false).putNull("turnId").putNull("state");
        } else {
            StopResult result = turns.stop(session.orElseThrow().id(), turn.get(), reason.orElse(null));
            answer.put("accepted", result.accepted())
                    .put("turnId", turn.get())
                    .put("state", result.state().name().toLowerCase(Locale.ROOT));
        }
        Answers.json(call.exchange(), 200, answer);
    }

    private void load(Call call) throws IOException {
        Optional<Session> session = session(call, Action.READ);
        Answers.json(call.exchange(), 200, LoadedChat.of(call.path("chat"), session, access.turns(call)));
    }
}
