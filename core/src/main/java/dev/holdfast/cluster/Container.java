package dev.holdfast.cluster;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Types that hold others. Elements follow each other up to the end; their number is not written, so that nobody reserves memory for
 * elements that never come. What is read cannot be modified and keeps its order.
 */
sealed interface Container extends Shape {

    /** Elements in order. */
    record ListOf(Slot element) implements Container {

        @Override
        public void write(ValueWriter out, Object value) {
            writeAll(out, (List<?>) value, element);
        }

        @Override
        public Object read(ValueReader in) {
            List<@Nullable Object> elements = new ArrayList<>();
            while (in.hasMore()) {
                elements.add(element.read(in, "an element"));
            }
            return Collections.unmodifiableList(elements);
        }

        @Override
        public Object absent() {
            return List.of();
        }
    }

    /** Elements of which no two are equal. */
    record SetOf(Slot element) implements Container {

        @Override
        public void write(ValueWriter out, Object value) {
            writeAll(out, (Set<?>) value, element);
        }

        @Override
        public Object read(ValueReader in) {
            Set<@Nullable Object> elements = new LinkedHashSet<>();
            while (in.hasMore()) {
                elements.add(element.read(in, "an element"));
            }
            return Collections.unmodifiableSet(elements);
        }

        @Override
        public Object absent() {
            return Set.of();
        }
    }

    /** Values under names. */
    record MapOf(Slot key, Slot value) implements Container {

        @Override
        public void write(ValueWriter out, Object map) {
            List<Map.Entry<?, ?>> entries = new ArrayList<>(((Map<?, ?>) map).entrySet());
            for (Map.Entry<?, ?> entry : entries.reversed()) {
                value.write(out, entry.getValue(), "a value of a map");
                key.write(out, entry.getKey(), "a key of a map");
            }
        }

        @Override
        public Object read(ValueReader in) {
            Map<@Nullable Object, @Nullable Object> entries = new LinkedHashMap<>();
            while (in.hasMore()) {
                Object name = key.read(in, "a key of a map");
                Object held = value.read(in, "a value of a map");
                entries.put(name, held);
            }
            return Collections.unmodifiableMap(entries);
        }

        @Override
        public Object absent() {
            return Map.of();
        }
    }

    /** One or none. */
    record OptionalOf(Slot element) implements Container {

        @Override
        public void write(ValueWriter out, Object value) {
            ((Optional<?>) value).ifPresent(held -> element.write(out, held, "an optional value"));
        }

        @Override
        public Object read(ValueReader in) {
            return in.hasMore() ? Optional.ofNullable(element.read(in, "an optional value")) : Optional.empty();
        }

        @Override
        public Object absent() {
            return Optional.empty();
        }
    }

    private static void writeAll(ValueWriter out, Collection<?> elements, Slot element) {
        @Nullable Object[] inOrder = elements.toArray();
        for (int i = inOrder.length - 1; i >= 0; i--) {
            element.write(out, inOrder[i], "an element");
        }
    }
}
