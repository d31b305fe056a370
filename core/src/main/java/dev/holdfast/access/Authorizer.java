package dev.holdfast.access;

import dev.holdfast.error.HoldfastException.NotAuthorized;

/**
 * Says whether a principal may do something. Every adapter asks at each attach, write and list; an answer is never remembered beyond the one
 * operation, so that a right taken away ends with the next attach. Must be thread-safe and quick: it runs on the request's thread.
 */
@FunctionalInterface
public interface Authorizer {

    /**
     * Returns if it is allowed.
     *
     * @throws NotAuthorized if it is not
     */
    void authorize(Principal principal, Action action, Resource resource);

    /** Allows everything within the principal's tenant: the default of a single tenant. */
    static Authorizer allowAll() {
        return (principal, action, resource) -> {};
    }
}
