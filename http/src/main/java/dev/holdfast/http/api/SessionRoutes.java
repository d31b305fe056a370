package dev.holdfast.http.api;

import dev.holdfast.Holdfast;
import dev.holdfast.access.Action;
import dev.holdfast.access.Authorizer;
import dev.holdfast.error.HoldfastException.MessageNotFound;
import dev.holdfast.error.HoldfastException.SessionNotFound;
import dev.holdfast.error.HoldfastException.WrongCursor;
import dev.holdfast.http.Answers;
import dev.holdfast.http.Bodies;
import dev.holdfast.http.Call;
import dev.holdfast.http.Headers;
import dev.holdfast.http.HttpProblem;
import dev.holdfast.http.Router;
import dev.holdfast.session.History;
import dev.holdfast.session.Message;
import dev.holdfast.session.Session;
import dev.holdfast.session.SessionInfo;
import dev.holdfast.session.SessionSnapshot;
import dev.holdfast.session.Sessions;
import dev.holdfast.session.TitlePage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Sessions and their messages. */
public final class SessionRoutes {

    private static final Pattern POSITION = Pattern.compile("(\\d{1,18})\\.(\\d{1,18})");

    private final Access access;

    public SessionRoutes(Holdfast holdfast, Authorizer authorizer) {
        this.access = new Access(holdfast, authorizer);
    }

    public void addTo(Router.Builder routes) {
        routes.add("POST", "/api/v1/sessions", this::create);
        routes.add("GET", "/api/v1/sessions", this::list);
        routes.add("GET", "/api/v1/sessions/{session}", this::show);
        routes.add("DELETE", "/api/v1/sessions/{session}", this::delete);
        routes.add("GET", "/api/v1/sessions/{session}/messages", this::messages);
        routes.add("GET", "/api/v1/sessions/{session}/messages/{message}", this::message);
    }

    private void create(Call call) throws IOException {
        ObjectNode body = Bodies.readObject(call.exchange(), ApiLimits.MAX_SMALL_BODY_BYTES);
        Fields.only(body, Set.of("id"));
        Optional<String> id = Fields.text(body, "id").map(given -> Fields.addressable("session id", given));
        Session session;
        boolean isNew = true;
        if (id.isPresent()) {
            Sessions sessions = access.sessionsFor(call, Action.WRITE, id.get());
            isNew = sessions.find(id.get()).isEmpty();
            session = sessions.create(id.get());
        } else {
            session = access.sessions(call, Action.WRITE).create();
        }
        Headers headers = new Headers().set("Location", JsonViews.sessionPath(session.id()));
        Answers.json(call.exchange(), isNew ? 201 : 200, headers, JsonViews.session(session.info()));
    }

    private void list(Call call) throws IOException {
        Sessions sessions = access.sessions(call, Action.LIST);
        int limit = call.query().number("limit", ApiLimits.DEFAULT_PAGE, 1, ApiLimits.MAX_PAGE);
        Optional<SessionInfo.Position> after = call.query().text("after").map(SessionRoutes::position);
        Optional<String> question = call.query().text("title");
        if (question.isPresent()) {
            TitlePage page = sessions.titled(question.get(), after.orElse(null), limit);
            list(call, page.sessions(), limit, "&title=" + JsonViews.encoded(question.get()), page.next());
        } else {
            List<SessionInfo> page = after.isPresent() ? sessions.list(after.get(), limit) : sessions.list(limit);
            list(
                    call,
                    page,
                    limit,
                    "",
                    page.size() < limit ? null : page.getLast().position());
        }
    }

    private static void list(
            Call call, List<SessionInfo> page, int limit, String filter, SessionInfo.@Nullable Position last)
            throws IOException {
        ObjectNode body = JsonViews.object();
        ArrayNode array = body.putArray("sessions");
        page.forEach(session -> array.add(JsonViews.session(session)));
        body.put(
                "next",
                last == null
                        ? null
                        : "%s?limit=%d%s&after=%d.%d"
                                .formatted(JsonViews.SESSIONS, limit, filter, last.updatedAt(), last.key()));
        Answers.json(call.exchange(), 200, body);
    }

    private static SessionInfo.Position position(String text) {
        Matcher matcher = POSITION.matcher(text);
        if (!matcher.matches()) {
            throw new WrongCursor("\"after\" is no position of this list. Follow \"next\" exactly as it was given.");
        }
        return new SessionInfo.Position(Long.parseLong(matcher.group(1)), Long.parseLong(matcher.group(2)));
    }

    private void show(Call call) throws IOException {
        Session session = access.session(call, Action.READ);
        SessionSnapshot snapshot = session.feed().snapshot(1);
        ObjectNode body = JsonViews.session(session.info());
        body.put("messages", session.count());
        body.put(
                "leafId",
                snapshot.recent().messages().isEmpty()
                        ? null
                        : snapshot.recent().messages().getLast().id());
        body.set("liveTurns", JsonViews.liveTurns(session.id(), snapshot.live()));
        body.put("cursor", snapshot.cursor().token());
        Answers.json(call.exchange(), 200, body);
    }

    private void delete(Call call) throws IOException {
        String id = call.path("session");
        if (!access.sessionsFor(call, Action.DELETE, id).delete(id)) {
            throw new SessionNotFound(id);
        }
        Answers.empty(call.exchange(), 204, new Headers());
    }

    private void message(Call call) throws IOException {
        Session session = access.session(call, Action.READ);
        String id = call.path("message");
        Message message = session.message(id).orElseThrow(() -> new MessageNotFound(session.id(), id));
        Answers.json(call.exchange(), 200, JsonViews.message(message));
    }

    /**
     * A page of the path to {@code leaf}, of that {@code through} a message to the end of the newest conversation below it, or of the path to the
     * active leaf. Newest first a page goes on at the parent of its last message; root first behind its last message.
     */
    private void messages(Call call) throws IOException {
        Session session = access.session(call, Action.READ);
        String order = call.query().text("order").orElse("newest");
        int limit = call.query().number("limit", ApiLimits.DEFAULT_PAGE, 1, ApiLimits.MAX_PAGE);
        Optional<String> leaf = leaf(call, session);
        Optional<String> after = call.query().text("after");
        List<Message> page;
        String next = null;
        switch (order) {
            case "newest" -> {
                page = page(leaf.map(session::newestFirst).orElseGet(session::newestFirst), limit);
                if (!page.isEmpty() && page.getLast().parent() != null) {
                    next = "&leaf=" + JsonViews.encoded(page.getLast().parent());
                }
            }
            case "root" -> {
                Optional<String> end = leaf.or(() -> session.leaf().map(Message::id));
                History history = end.map(session::history).orElseGet(session::history);
                after.ifPresent(id -> skipBehind(session, history, id));
                page = page(history, limit);
                if (!page.isEmpty() && history.hasNext()) {
                    next = "&leaf=" + JsonViews.encoded(end.orElse("")) + "&after="
                            + JsonViews.encoded(page.getLast().id());
                }
            }
            default -> throw HttpProblem.badRequest("\"order\" is newest or root.");
        }
        ObjectNode body = JsonViews.object();
        body.set("messages", JsonViews.messages(page));
        body.put(
                "next",
                next == null
                        ? null
                        : JsonViews.sessionPath(session.id()) + "/messages?order=" + order + "&limit=" + limit + next);
        Answers.json(call.exchange(), 200, body);
    }

    private static Optional<String> leaf(Call call, Session session) {
        Optional<String> leaf = call.query().text("leaf");
        Optional<String> through = call.query().text("through");
        if (leaf.isPresent() && through.isPresent()) {
            throw HttpProblem.badRequest("\"leaf\" ends a path and \"through\" chooses its end. Give one of them.");
        }
        return leaf.or(() -> through.map(id -> BranchRoutes.leafBelow(session, id)));
    }

    private static List<Message> page(History history, int limit) {
        List<Message> page = new ArrayList<>();
        long bytes = 0;
        while (page.size() < limit && bytes < ApiLimits.MAX_PAGE_BYTES && history.hasNext()) {
            Message message = history.next();
            page.add(message);
            bytes += message.content().length;
        }
        return page;
    }

    private static void skipBehind(Session session, History history, String id) {
        while (history.hasNext()) {
            if (history.next().id().equals(id)) {
                return;
            }
        }
        throw new MessageNotFound(session.id(), id);
    }
}
