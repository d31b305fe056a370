package dev.holdfast.cluster;

import org.jspecify.annotations.Nullable;

/** How the values of one type are written and read, without the length in front. */
interface Shape {

    void write(ValueWriter out, Object value);

    /** Reads up to the end of the value that the reader has entered. */
    Object read(ValueReader in);

    /** What a component of this type is when its sender did not know it; null if there is nothing of the kind. */
    @Nullable
    Object absent();
}
