package dev.holdfast.session;

import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.LimitExceeded;
import dev.holdfast.stream.Names;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A property to be written, and on what condition.
 *
 * @param name unique for its owner; at most {@link dev.holdfast.stream.StreamLimits#MAX_NAME_BYTES}
 * @param value at most {@value SessionLimits#MAX_PROPERTY_BYTES} bytes; not changed by the caller afterwards
 * @param condition what must hold for it to be written
 * @param life how long it lives after the commit, or null for as long as its owner
 * @param notice whether the owner's feed tells of it
 */
@SuppressWarnings("ArrayRecordComponent") // opaque bytes, handed through
public record PropertyWrite(
        String name,
        byte[] value,
        Condition condition,
        @Nullable Duration life,
        Notice notice) implements PropertyChange {

    public PropertyWrite {
        Names.check("property name", name);
        if (value.length > SessionLimits.MAX_PROPERTY_BYTES) {
            throw new LimitExceeded(
                    "MAX_PROPERTY_BYTES",
                    SessionLimits.MAX_PROPERTY_BYTES,
                    value.length,
                    "keep large values in a stream or message");
        }
        if (life != null && life.toMillis() < 1) {
            throw new InvalidArgument("A property lives at least one millisecond; got " + life + ".");
        }
        if (life != null && life.compareTo(SessionLimits.MAX_PROPERTY_LIFE) > 0) {
            throw new LimitExceeded(
                    "MAX_PROPERTY_LIFE (days)",
                    SessionLimits.MAX_PROPERTY_LIFE.toDays(),
                    life.toDays(),
                    "leave the life out for a property that stays");
        }
    }

    /** What must hold for a change to be made. An expired property counts as absent. */
    public sealed interface Condition {

        /** Nothing. */
        record Always() implements Condition {}

        /** There is no such property. */
        record Absent() implements Condition {}

        /** The property has this version. */
        record Version(long version) implements Condition {}

        Condition ALWAYS = new Always();
        Condition ABSENT = new Absent();
    }

    /** Whether the feed of the session that owns the property tells of the change. */
    public enum Notice {
        SILENT,
        /** With the event {@code PROPERTY_CHANGED}, whose detail is the name. Only for properties of sessions. */
        IN_FEED
    }

    public static PropertyWrite of(String name, byte[] value) {
        return new PropertyWrite(name, value, Condition.ALWAYS, null, Notice.SILENT);
    }

    public static PropertyWrite of(String name, String value) {
        return of(name, value.getBytes(StandardCharsets.UTF_8));
    }

    /** Only if there is no such property. */
    public PropertyWrite ifAbsent() {
        return new PropertyWrite(name, value, Condition.ABSENT, life, notice);
    }

    /** Only if the property has this version. */
    public PropertyWrite ifVersion(long version) {
        return new PropertyWrite(name, value, new Condition.Version(version), life, notice);
    }

    /** The property vanishes this long after the commit. Each write sets it anew; one without it makes the property permanent. */
    public PropertyWrite expiresAfter(Duration duration) {
        return new PropertyWrite(name, value, condition, duration, notice);
    }

    /** The feed of the session that owns it tells of the change. */
    public PropertyWrite inFeed() {
        return new PropertyWrite(name, value, condition, life, Notice.IN_FEED);
    }
}
