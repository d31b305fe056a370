package dev.holdfast.cluster;

import dev.holdfast.error.HoldfastException.InvalidArgument;
import org.jspecify.annotations.Nullable;

/**
 * A place for one value: a component, an element, or the whole. A single 0 is null; else the value's length plus one, then the value.
 *
 * @param nullable whether null may be in it
 */
record Slot(Shape shape, boolean nullable) {

    Slot orNull() {
        return nullable ? this : new Slot(shape, true);
    }

    /** @param place what is being written, for the error message */
    void write(ValueWriter out, @Nullable Object value, String place) {
        if (value == null && !nullable) {
            throw new InvalidArgument(place + " is null. Give it a value.");
        }
        int mark = out.begin();
        if (value != null) {
            shape.write(out, value);
            out.end(mark);
        } else {
            out.endNothing();
        }
    }

    /** @param place what is being read, for the error message */
    @Nullable
    Object read(ValueReader in, String place) {
        int outer = in.enter();
        if (outer < 0) {
            if (!nullable) {
                throw ValueReader.malformed(place + " is null");
            }
            return null;
        }
        Object value = shape.read(in);
        in.leave(outer);
        return value;
    }

    /** The value of a component that its sender did not know. */
    @Nullable
    Object absent(ValueReader in, String place) {
        in.count();
        Object value = nullable ? null : shape.absent();
        if (value == null && !nullable) {
            throw ValueReader.malformed(place + " is missing");
        }
        return value;
    }
}
