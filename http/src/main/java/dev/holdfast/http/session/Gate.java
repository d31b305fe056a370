package dev.holdfast.http.session;

import dev.holdfast.Holdfast;
import dev.holdfast.access.Action;
import dev.holdfast.access.Authorizer;
import dev.holdfast.access.Principal;
import dev.holdfast.access.Resource;
import dev.holdfast.error.HoldfastException;
import dev.holdfast.session.Session;
import dev.holdfast.session.Sessions;
import dev.holdfast.stream.Streams;
import dev.holdfast.turn.Turns;

/** The way from a connection's principal to what it asks for: the authorizer is asked each time, and nothing of another tenant is reachable. */
final class Gate {

    private final Holdfast holdfast;
    private final Authorizer authorizer;

    Gate(Holdfast holdfast, Authorizer authorizer) {
        this.holdfast = holdfast;
        this.authorizer = authorizer;
    }

    /**
     * @throws HoldfastException.NotAuthorized if it may not
     * @throws HoldfastException.SessionNotFound if there is none
     */
    Session session(Principal principal, Action action, String id) {
        return sessions(principal, action, id).get(id);
    }

    /** The tenant's sessions, for something that is done with the one of this id. */
    Sessions sessions(Principal principal, Action action, String id) {
        authorizer.authorize(principal, action, new Resource.OneSession(id));
        return holdfast.sessions(principal.tenant());
    }

    /** Of a session for which the authorizer was asked. */
    Turns turns(Principal principal) {
        return holdfast.turns(principal.tenant());
    }

    /** Of a session for which the authorizer was asked. */
    Streams streams(Principal principal) {
        return holdfast.streams(principal.tenant());
    }
}
