package dev.holdfast.http.api;

import dev.holdfast.Holdfast;
import dev.holdfast.access.Action;
import dev.holdfast.access.Authorizer;
import dev.holdfast.http.Answers;
import dev.holdfast.http.Call;
import dev.holdfast.http.Router;
import dev.holdfast.session.SearchHit;
import dev.holdfast.session.SearchPage;
import java.io.IOException;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Messages found by their words, in all sessions of who asks. */
public final class SearchRoutes {

    private static final String SEARCH = "/api/v1/search";

    private final Access access;

    public SearchRoutes(Holdfast holdfast, Authorizer authorizer) {
        this.access = new Access(holdfast, authorizer);
    }

    public void addTo(Router.Builder routes) {
        routes.add("GET", SEARCH, this::search);
    }

    private void search(Call call) throws IOException {
        String question = call.query().text("q").orElse("");
        int limit = call.query().number("limit", ApiLimits.DEFAULT_HITS, 1, ApiLimits.MAX_HITS);
        String cursor = call.query().text("cursor").orElse(null);
        SearchPage page = access.sessions(call, Action.READ).search(question, cursor, limit);
        ObjectNode body = JsonViews.object();
        ArrayNode hits = body.putArray("hits");
        page.hits().forEach(hit -> hits.add(hit(hit)));
        body.put("next", page.next());
        Answers.json(call.exchange(), 200, body);
    }

    private static ObjectNode hit(SearchHit hit) {
        ObjectNode node = JsonViews.object();
        node.put("sessionId", hit.sessionId());
        node.put("title", hit.title());
        node.put("messageId", hit.messageId());
        node.put("role", hit.role());
        ArrayNode snippet = node.putArray("snippet");
        hit.snippet()
                .forEach(part -> snippet.addObject().put("text", part.text()).put("match", part.match()));
        node.put("createdAt", hit.createdAt().toString());
        return node;
    }
}
