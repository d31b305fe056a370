package dev.holdfast.http.durablestreams.subscriptions;

import org.jspecify.annotations.Nullable;

/**
 * That a subscription follows a stream, and how far. Guarded by the monitor of its {@link Links}.
 */
final class Link {

    /** No incarnation of the stream was seen yet. */
    static final long NONE = 0;

    /** As it is persisted, and as it is told. */
    record Saved(String stream, boolean byPattern, boolean explicit, long incarnation, long acked) {}

    /**
     * As it is told with a wake.
     *
     * @param tail the position after the last chunk known
     */
    record Standing(String stream, boolean explicit, long acked, long tail) {
        boolean pending() {
            return tail > acked;
        }
    }

    /** An acknowledgement that was checked. */
    record Ack(Link link, long acked) {}

    private final String stream;
    private boolean byPattern;
    private boolean explicit;
    private long incarnation;
    private long acked;
    private long tail;

    Link(String stream, long incarnation, long acked, long tail) {
        this.stream = stream;
        this.incarnation = incarnation;
        this.acked = acked;
        this.tail = tail;
    }

    static Link of(Saved saved) {
        Link link = new Link(saved.stream(), saved.incarnation(), saved.acked(), saved.acked());
        link.byPattern = saved.byPattern();
        link.explicit = saved.explicit();
        return link;
    }

    String stream() {
        return stream;
    }

    boolean byPattern() {
        return byPattern;
    }

    boolean explicit() {
        return explicit;
    }

    void byPattern(boolean matched) {
        byPattern = matched;
    }

    void explicit(boolean asked) {
        explicit = asked;
    }

    long acked() {
        return acked;
    }

    long tail() {
        return tail;
    }

    long incarnation() {
        return incarnation;
    }

    boolean pending() {
        return tail > acked;
    }

    /** The stream grew, as far as is known. */
    void reached(long position) {
        tail = Math.max(tail, position);
    }

    void acked(long position) {
        acked = Math.max(acked, position);
        tail = Math.max(tail, acked);
    }

    /** Another stream has the name now, or none. */
    void restart(long newIncarnation) {
        incarnation = newIncarnation;
        acked = 0;
        tail = 0;
    }

    Saved saved(@Nullable Long ackedInstead) {
        return new Saved(stream, byPattern, explicit, incarnation, ackedInstead == null ? acked : ackedInstead);
    }

    Standing standing() {
        return new Standing(stream, explicit, acked, tail);
    }
}
