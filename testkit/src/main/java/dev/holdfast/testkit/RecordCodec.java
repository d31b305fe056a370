package dev.holdfast.testkit;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Rows as bytes: the components of a record one after the other, by reflection, so that a row that gains a column needs no change here.
 * Knows numbers, truth values, texts (possibly null), byte strings,
 * enumerations, and records of them.
 */
final class RecordCodec<R extends Record> {

    private static final Map<Class<?>, RecordCodec<?>> KNOWN = new ConcurrentHashMap<>();
    private static final int NO_TEXT = -1;

    private final RecordComponent[] components;
    private final Constructor<R> constructor;

    private RecordCodec(Class<R> type) {
        components = type.getRecordComponents();
        Class<?>[] types =
                Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
        try {
            constructor = type.getDeclaredConstructor(types);
            constructor.setAccessible(true);
            for (RecordComponent component : components) {
                component.getAccessor().setAccessible(true);
            }
        } catch (NoSuchMethodException e) {
            throw new AssertionError("every record has its canonical constructor", e);
        }
    }

    @SuppressWarnings("unchecked") // the map holds each type's own codec
    static <R extends Record> RecordCodec<R> of(Class<R> type) {
        return (RecordCodec<R>) KNOWN.computeIfAbsent(type, t -> new RecordCodec<>((Class<R>) t));
    }

    void write(R row, DataOutputStream out) throws IOException {
        for (RecordComponent component : components) {
            write(valueOf(component, row), component.getType(), out);
        }
    }

    private static @Nullable Object valueOf(RecordComponent component, Record row) {
        try {
            return component.getAccessor().invoke(row);
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new LinkageError("cannot read " + component, e);
        }
    }

    private static void write(@Nullable Object value, Class<?> type, DataOutputStream out) throws IOException {
        if (value instanceof Record part) {
            writePart(part, out);
        } else if (value instanceof Long number) {
            out.writeLong(number);
        } else if (value instanceof Integer number) {
            out.writeInt(number);
        } else if (value instanceof Boolean truth) {
            out.writeBoolean(truth);
        } else if (value instanceof byte[] bytes) {
            out.writeInt(bytes.length);
            out.write(bytes);
        } else if (value instanceof Enum<?> constant) {
            writeText(constant.name(), out);
        } else if (value instanceof String text) {
            writeText(text, out);
        } else if (value == null && type == String.class) {
            out.writeInt(NO_TEXT);
        } else {
            throw new IllegalArgumentException("cannot store " + value + " as " + type);
        }
    }

    @SuppressWarnings("unchecked") // a row's class is its own
    private static <P extends Record> void writePart(P part, DataOutputStream out) throws IOException {
        of((Class<P>) part.getClass()).write(part, out);
    }

    private static void writeText(String text, DataOutputStream out) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    R read(DataInputStream in) throws IOException {
        @Nullable Object[] values = new Object[components.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = read(components[i].getType(), in);
        }
        try {
            return constructor.newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("cannot make " + constructor.getDeclaringClass(), e);
        }
    }

    private static @Nullable Object read(Class<?> type, DataInputStream in) throws IOException {
        if (type.isRecord()) {
            return of(type.asSubclass(Record.class)).read(in);
        }
        if (type == long.class) {
            return in.readLong();
        }
        if (type == int.class) {
            return in.readInt();
        }
        if (type == boolean.class) {
            return in.readBoolean();
        }
        int length = in.readInt();
        if (length == NO_TEXT) {
            return null;
        }
        byte[] bytes = in.readNBytes(length);
        if (type == byte[].class) {
            return bytes;
        }
        String text = new String(bytes, StandardCharsets.UTF_8);
        return type == String.class ? text : constant(type, text);
    }

    private static Object constant(Class<?> type, String name) {
        for (Object constant : type.getEnumConstants()) {
            if (((Enum<?>) constant).name().equals(name)) {
                return constant;
            }
        }
        throw new IllegalArgumentException(type + " has no " + name);
    }
}
