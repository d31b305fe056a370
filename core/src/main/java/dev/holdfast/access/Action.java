package dev.holdfast.access;

/** What is asked for. */
public enum Action {
    /** Read, or attach a reader; asked again at every attach. */
    READ,
    /** Create, append, start, stop, resume. */
    WRITE,
    /** See which there are. */
    LIST,
    /** Remove for good. */
    DELETE
}
