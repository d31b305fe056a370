package dev.holdfast.stream;

/**
 * Hears what became of a tenant's streams, after the commit that made it so and before whoever asked for it is answered: who acts on an answer
 * finds the listener informed.
 *
 * <p>Called on the committer's thread, which all streams share: note what happened, wake somebody else for the rest, and return at once. Never
 * wait, and never call a method of Holdfast that waits for the disk. What is thrown is logged and goes no further.
 */
@FunctionalInterface
public interface StreamListener {

    /** What happened to a stream. */
    enum Kind {
        /** It is there, with its first chunks if it has any. */
        CREATED,
        /** It grew. */
        APPENDED,
        /** It was settled; it may have grown in the same step. */
        SETTLED,
        /** Nobody can open it any more, and its name may be given to another stream, unless streams were forked from it. */
        GONE
    }

    /**
     * A change of a stream. Several changes of one commit are told as one: the latest in the order of {@link Kind}, but a stream that is
     * created is always told as that.
     *
     * @param name its name
     * @param incarnation of the stream; another stream of the same name has another
     * @param tail the position after its last chunk
     */
    record Change(Kind kind, String name, long incarnation, long tail) {}

    void changed(Change change);
}
