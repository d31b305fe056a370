package dev.holdfast.cluster;

import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.LimitExceeded;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * Records as bytes, for letters between nodes. The shape is taken from the Java types on both sides; the bytes hold values only.
 *
 * <p><b>Types.</b> {@code boolean}, {@code int}, {@code long}, {@code double} and their boxes, {@code String}, {@code byte[]}, {@code Duration},
 * {@code Instant}, {@code OptionalInt}, {@code OptionalLong}, {@code void}, enums (by name), records (also generic ones), sealed interfaces whose
 * permitted types are such (by simple name), and {@code List}, {@code Set}, {@code Map} with keys of text, and {@code Optional} of all these. A type
 * that holds anything else is refused as a whole with {@code IllegalArgumentException} when it is first used: a mistake of the program.
 *
 * <p><b>Null.</b> A component or element may be null if its type says {@code @Nullable}; the value as a whole may always be. Null is never
 * confused with what is empty.
 *
 * <p><b>Bytes choose no classes.</b> What is instantiated follows from the static types alone; a name in the bytes only picks among the
 * permitted types of a sealed interface or the constants of an enum. Whatever the bytes are, decoding returns a value or throws {@code
 * InvalidArgument}; its memory is bounded by {@link #MAX_VALUES} and the length of the bytes, its stack by {@link #MAX_DEPTH}.
 *
 * <p><b>Two versions at once.</b> A record is written with the number of its components and each of them with its length. So a reader passes
 * over components at the end that it does not know; those that an older sender left out become null, 0, false or empty. Add components at
 * the end only, {@code @Nullable} or of a type that has such a value.
 *
 * <p>Safe for use by many threads. The shapes are derived once per type and kept as long as the codec.
 */
public final class RecordCodec {

    /** Largest encoding. */
    public static final int MAX_BYTES = Coordination.Letter.MAX_BODY_BYTES;

    /** Values in one encoding: every component and element counts, at any depth. */
    public static final int MAX_VALUES = 4 << 20;

    /** Values within values. */
    public static final int MAX_DEPTH = 64;

    private final Shapes shapes = new Shapes();

    /**
     * Encodes a value.
     *
     * @param type the static type, which the reader must give too; with its arguments if it is generic
     * @throws LimitExceeded if the value is too large, has too many values or is nested too deeply
     * @throws InvalidArgument if a value in it is null where the type does not allow it, or a text is not well-formed
     */
    public byte[] encode(Type type, @Nullable Object value) {
        ValueWriter out = new ValueWriter();
        shapes.top(type).write(out, value, type.getTypeName());
        return out.toByteArray();
    }

    /**
     * Decodes a value.
     *
     * @throws InvalidArgument if the bytes are no encoding of such a value
     */
    public @Nullable Object decode(Type type, byte[] bytes) {
        Slot slot = shapes.top(type);
        ValueReader in = new ValueReader(bytes);
        Object value = slot.read(in, type.getTypeName());
        in.expectEnd();
        return value;
    }

    /**
     * Decodes a value that is not null.
     *
     * @throws InvalidArgument if the bytes are no encoding of such a value
     */
    public <T> T decode(Class<T> type, byte[] bytes) {
        Object value = decode((Type) type, bytes);
        if (value == null) {
            throw ValueReader.malformed(type.getTypeName() + " is null");
        }
        @SuppressWarnings(
                "unchecked") // the shape made a value of this type; Class.cast would refuse the box of a primitive
        T typed = (T) value;
        return typed;
    }
}
