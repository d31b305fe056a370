package dev.holdfast.http.api;

import dev.holdfast.Holdfast;
import dev.holdfast.access.Action;
import dev.holdfast.access.Authorizer;
import dev.holdfast.access.Resource;
import dev.holdfast.http.Call;
import dev.holdfast.session.Session;
import dev.holdfast.session.Sessions;
import dev.holdfast.turn.Turns;

/** The way from a call to what it is about: never without asking the authorizer, never outside the caller's tenant. */
public final class Access {

    private final Holdfast holdfast;
    private final Authorizer authorizer;

    public Access(Holdfast holdfast, Authorizer authorizer) {
        this.holdfast = holdfast;
        this.authorizer = authorizer;
    }

    /** All sessions of the caller's tenant. */
    Sessions sessions(Call call, Action action) {
        authorizer.authorize(call.principal(), action, new Resource.AllSessions());
        return holdfast.sessions(call.principal().tenant());
    }

    /** The tenant's sessions, for something that is done with the one of this id. */
    public Sessions sessionsFor(Call call, Action action, String id) {
        authorizer.authorize(call.principal(), action, new Resource.OneSession(id));
        return holdfast.sessions(call.principal().tenant());
    }

    /** The session that the call's path names. */
    Session session(Call call, Action action) {
        String id = call.path("session");
        return sessionsFor(call, action, id).get(id);
    }

    /** The turns of the caller's tenant; of a session for which the authorizer was asked. */
    public Turns turns(Call call) {
        return holdfast.turns(call.principal().tenant());
    }
}
