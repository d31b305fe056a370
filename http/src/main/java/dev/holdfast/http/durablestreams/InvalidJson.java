package dev.holdfast.http.durablestreams;

/** A body is not JSON. */
final class InvalidJson extends Exception {

    private static final long serialVersionUID = 1L;

    InvalidJson(String what, int at) {
        super("The body is not JSON: %s at byte %d.".formatted(what, at));
    }
}
