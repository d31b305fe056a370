package dev.holdfast.access;

/**
 * Who asks, as the adapter that received the request found out.
 *
 * @param tenant whose streams and sessions it sees; nothing of another tenant is ever reachable
 * @param name for logs and for an authorizer's rules; never a secret
 */
public record Principal(String tenant, String name) {

    /** Whoever reaches a server that asks for no key. */
    public static Principal anonymous(String tenant) {
        return new Principal(tenant, "anonymous");
    }
}
