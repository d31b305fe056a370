package dev.holdfast.mcp.streamable;

/** Ids of JSON-RPC requests: a text or a whole number, which are never equal to one another. */
final class Ids {

    private Ids() {}

    /** The id as it is compared. */
    static Object key(Object id) {
        return id instanceof Number number ? (Object) number.longValue() : id;
    }
}
