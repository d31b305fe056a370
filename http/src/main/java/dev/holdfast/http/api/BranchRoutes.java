package dev.holdfast.http.api;

import dev.holdfast.Holdfast;
import dev.holdfast.access.Action;
import dev.holdfast.access.Authorizer;
import dev.holdfast.http.Answers;
import dev.holdfast.http.Call;
import dev.holdfast.http.Router;
import dev.holdfast.session.History;
import dev.holdfast.session.Message;
import dev.holdfast.session.MessageInfo;
import dev.holdfast.session.Session;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Where a conversation parts: the messages on a path that have others beside them. Each of those is shown with the end of the newest conversation
 * below it, which is what a reader wants to see who turns to it.
 */
public final class BranchRoutes {

    private final Access access;

    public BranchRoutes(Holdfast holdfast, Authorizer authorizer) {
        this.access = new Access(holdfast, authorizer);
    }

    public void addTo(Router.Builder routes) {
        routes.add("GET", "/api/v1/sessions/{session}/branches", this::branches);
    }

    private void branches(Call call) throws IOException {
        Session session = access.session(call, Action.READ);
        int limit = call.query().number("limit", ApiLimits.DEFAULT_PAGE, 1, ApiLimits.MAX_PAGE);
        Optional<String> leaf = call.query().text("leaf");
        History path = leaf.map(session::newestFirst).orElseGet(session::newestFirst);
        ObjectNode body = JsonViews.object();
        ArrayNode partings = body.putArray("branches");
        for (int i = 0; i < limit && path.hasNext(); i++) {
            Message message = path.next();
            String parent = message.parent();
            List<MessageInfo> beside = parent == null
                    ? session.roots(ApiLimits.MAX_BRANCHES)
                    : session.children(parent, ApiLimits.MAX_BRANCHES);
            if (beside.size() > 1) {
                ObjectNode parting = partings.addObject();
                parting.put("parentId", parent);
                ArrayNode messages = parting.putArray("messages");
                beside.forEach(each -> messages.add(branch(session, each)));
            }
        }
        Answers.json(call.exchange(), 200, body);
    }

    private static ObjectNode branch(Session session, MessageInfo message) {
        ObjectNode node = JsonViews.object();
        node.put("id", message.id());
        node.put("role", message.role());
        node.put("createdAt", message.createdAt().toString());
        node.put("leafId", leafBelow(session, message.id()));
        return node;
    }

    /** Follows the newest message down; a branch that is longer than may be followed ends where that ends. */
    static String leafBelow(Session session, String id) {
        String leaf = id;
        for (int depth = 0; depth < ApiLimits.MAX_BRANCH_DEPTH; depth++) {
            List<MessageInfo> below = session.children(leaf, ApiLimits.MAX_BRANCHES);
            if (below.isEmpty()) {
                return leaf;
            }
            leaf = below.getLast().id();
        }
        return leaf;
    }
}
