package dev.holdfast.http.api;

import dev.holdfast.Holdfast;
import dev.holdfast.access.Action;
import dev.holdfast.access.Authorizer;
import dev.holdfast.access.Principal;
import dev.holdfast.access.Resource;
import dev.holdfast.error.HoldfastException;
import dev.holdfast.http.Call;
import dev.holdfast.session.Session;
import dev.holdfast.session.Sessions;
import dev.holdfast.stream.Streams;
import dev.holdfast.turn.Turns;

/**
 * The way from who asks to what it is about: never without asking the authorizer, never outside the tenant of who asks. Thread-safe as the authorizer
 * is.
 */
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
        return sessionsFor(call.principal(), action, id);
    }

    /**
     * The tenant's sessions, for something that is done with the one of this id.
     *
     * @throws HoldfastException.NotAuthorized if it may not
     */
    public Sessions sessionsFor(Principal principal, Action action, String id) {
        authorizer.authorize(principal, action, new Resource.OneSession(id));
        return holdfast.sessions(principal.tenant());
    }

    /** The session that the call's path names. */
    public Session session(Call call, Action action) {
        return session(call.principal(), action, call.path("session"));
    }

    /**
     * The session of this id.
     *
     * @throws HoldfastException.NotAuthorized if it may not
     * @throws HoldfastException.SessionNotFound if there is none
     */
    public Session session(Principal principal, Action action, String id) {
        return sessionsFor(principal, action, id).get(id);
    }

    /** The turns of the caller's tenant; of a session for which the authorizer was asked. */
    public Turns turns(Call call) {
        return turns(call.principal());
    }

    /** The turns of the tenant; of a session for which the authorizer was asked. */
    public Turns turns(Principal principal) {
        return holdfast.turns(principal.tenant());
    }

    /** The streams of the tenant; of a session for which the authorizer was asked. */
    public Streams streams(Principal principal) {
        return holdfast.streams(principal.tenant());
    }
}
