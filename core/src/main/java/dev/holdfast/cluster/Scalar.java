package dev.holdfast.cluster;

import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The types of one fixed encoding each.
 *
 * @param absent null if the type has no value that stands for nothing
 */
record Scalar(
        BiConsumer<ValueWriter, Object> writer,
        Function<ValueReader, Object> reader,
        @Nullable Object absent) implements Shape {

    private static final int NANOS_PER_SECOND = 1_000_000_000;

    static final Scalar TEXT = new Scalar((out, value) -> out.text((String) value), ValueReader::restAsText, "");

    private static final Scalar BOOLEAN =
            new Scalar((out, value) -> out.unsigned((boolean) value ? 1 : 0), Scalar::readBoolean, false);
    private static final Scalar INT = new Scalar((out, value) -> out.signed((int) value), ValueReader::signedInt, 0);
    private static final Scalar LONG = new Scalar((out, value) -> out.signed((long) value), ValueReader::signed, 0L);
    private static final Scalar DOUBLE = new Scalar(
            (out, value) -> out.fixed(Double.doubleToRawLongBits((double) value)),
            in -> Double.longBitsToDouble(in.fixed()),
            0.0);

    /** The only value of {@code void} is null, which its slot takes care of. */
    private static final Scalar VOID = new Scalar(
            (out, value) -> {
                throw new IllegalArgumentException("void has no value, but got " + value);
            },
            in -> {
                throw ValueReader.malformed("there is a value where none can be");
            },
            null);

    private static final Map<Type, Scalar> ALL = Map.ofEntries(
            Map.entry(void.class, VOID),
            Map.entry(Void.class, VOID),
            Map.entry(boolean.class, BOOLEAN),
            Map.entry(Boolean.class, BOOLEAN),
            Map.entry(int.class, INT),
            Map.entry(Integer.class, INT),
            Map.entry(long.class, LONG),
            Map.entry(Long.class, LONG),
            Map.entry(double.class, DOUBLE),
            Map.entry(Double.class, DOUBLE),
            Map.entry(String.class, TEXT),
            Map.entry(
                    byte[].class,
                    new Scalar((out, value) -> out.bytes((byte[]) value), ValueReader::restAsBytes, new byte[0])),
            Map.entry(
                    OptionalInt.class,
                    new Scalar(
                            (out, value) -> ((OptionalInt) value).ifPresent(out::signed),
                            in -> in.hasMore() ? OptionalInt.of(in.signedInt()) : OptionalInt.empty(),
                            OptionalInt.empty())),
            Map.entry(
                    OptionalLong.class,
                    new Scalar(
                            (out, value) -> ((OptionalLong) value).ifPresent(out::signed),
                            in -> in.hasMore() ? OptionalLong.of(in.signed()) : OptionalLong.empty(),
                            OptionalLong.empty())),
            Map.entry(Duration.class, new Scalar(Scalar::writeDuration, Scalar::readDuration, null)),
            Map.entry(Instant.class, new Scalar(Scalar::writeInstant, Scalar::readInstant, null)));

    /** The encoding of a type, or null if it is not one of these. */
    static @Nullable Scalar of(Type type) {
        return ALL.get(type);
    }

    @Override
    public void write(ValueWriter out, Object value) {
        writer.accept(out, value);
    }

    @Override
    public Object read(ValueReader in) {
        return reader.apply(in);
    }

    private static Object readBoolean(ValueReader in) {
        byte value = in.next();
        if (value != 0 && value != 1) {
            throw ValueReader.malformed(value + " is no boolean");
        }
        return value == 1;
    }

    private static void writeDuration(ValueWriter out, Object value) {
        Duration duration = (Duration) value;
        writeTime(out, duration.getSeconds(), duration.getNano());
    }

    private static Object readDuration(ValueReader in) {
        return Duration.ofSeconds(in.signed(), nanos(in));
    }

    private static void writeInstant(ValueWriter out, Object value) {
        Instant instant = (Instant) value;
        writeTime(out, instant.getEpochSecond(), instant.getNano());
    }

    private static Object readInstant(ValueReader in) {
        long seconds = in.signed();
        if (seconds < Instant.MIN.getEpochSecond() || seconds > Instant.MAX.getEpochSecond()) {
            throw ValueReader.malformed("a time is out of range");
        }
        return Instant.ofEpochSecond(seconds, nanos(in));
    }

    /** Backwards, as everything: the nanoseconds end up last. */
    private static void writeTime(ValueWriter out, long seconds, int nanos) {
        out.unsigned(nanos);
        out.signed(seconds);
    }

    private static long nanos(ValueReader in) {
        long nanos = in.unsigned();
        if (nanos < 0 || nanos >= NANOS_PER_SECOND) {
            throw ValueReader.malformed("a fraction of a second is out of range");
        }
        return nanos;
    }
}
