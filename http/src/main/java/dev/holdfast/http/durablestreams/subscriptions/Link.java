package dev.holdfast.http.durablestreams.subscriptions;

import org.jspecify.annotations.Nullable;

/**
 * That a subscription follows a stream, and how far. Guarded by the monitor of its {@link Links}.
 */
final class Link {

    /** No incarnation of the stream was seen yet. */
    static final long NONE = 0;

    /** As it is persisted. */
    record Saved(String stream, boolean byPattern, boolean explicit, long incarnation, long began, long acked) {}

    /**
     * As it is told with a wake.
     *
     * @param tail the position after the last chunk known
     */
    record Standing(String stream, boolean explicit, long incarnation, long acked, long tail) {
        boolean pending() {
            return tail > acked;
        }
    }

    /** An acknowledgement that was checked, of the stream that had the name then. */
    record Ack(Link link, long incarnation, long acked) {}

    private final String stream;
    private boolean byPattern;
    private boolean explicit;
    private long incarnation;
    private long began;
    private long acked;
    private long tail;

    Link(String stream, long incarnation, long began, long acked, long tail) {
        this.stream = stream;
        this.incarnation = incarnation;
        this.began = began;
        this.acked = acked;
        this.tail = tail;
    }

    static Link of(Saved saved) {
        Link link = new Link(saved.stream(), saved.incarnation(), saved.began(), saved.acked(), saved.acked());
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

    /** The number of its beginning, among all of its subscription. */
    long began() {
        return began;
    }

    boolean pending() {
        return tail > acked;
    }

    /** Whether an acknowledgement is of it as it is now. */
    boolean isOf(Ack ack) {
        return ack.link() == this && ack.incarnation() == incarnation;
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
    void restart(long newIncarnation, long beginning) {
        incarnation = newIncarnation;
        began = beginning;
        acked = 0;
        tail = 0;
    }

    Saved saved(@Nullable Long ackedInstead) {
        return new Saved(stream, byPattern, explicit, incarnation, began, ackedInstead == null ? acked : ackedInstead);
    }

    Standing standing() {
        return new Standing(stream, explicit, incarnation, acked, tail);
    }
}
