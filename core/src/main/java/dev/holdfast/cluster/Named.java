package dev.holdfast.cluster;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Types whose values say by name what they are: one of a set that the static type fixes. */
sealed interface Named extends Shape {

    /** An enum: the name of the constant. */
    record Constants(String type, Map<String, Object> byName) implements Named {

        static Constants of(Class<?> type) {
            Map<String, Object> byName = new LinkedHashMap<>();
            for (Object constant : type.getEnumConstants()) {
                byName.put(((Enum<?>) constant).name(), constant);
            }
            return new Constants(type.getSimpleName(), byName);
        }

        @Override
        public void write(ValueWriter out, Object value) {
            out.text(((Enum<?>) value).name());
        }

        @Override
        public Object read(ValueReader in) {
            String name = in.restAsText();
            Object constant = byName.get(name);
            if (constant == null) {
                throw ValueReader.malformed("%s has no constant %s".formatted(type, Named.quoted(name)));
            }
            return constant;
        }

        @Override
        public @Nullable Object absent() {
            return null;
        }
    }

    /** A sealed interface: the simple name of the value's class, then the value. */
    final class Permitted implements Named {
        private static final Slot NAME = new Slot(Scalar.TEXT, false);

        private final String type;
        private final Map<String, Slot> byName = new LinkedHashMap<>();
        private final Map<Class<?>, String> names = new HashMap<>();

        Permitted(Class<?> type) {
            this.type = type.getSimpleName();
        }

        /** Before the shape is used. */
        void permit(Class<?> permitted, Shape shape) {
            if (names.containsKey(permitted)) {
                return; // permitted by two interfaces of the family
            }
            String name = permitted.getSimpleName();
            if (byName.putIfAbsent(name, new Slot(shape, false)) != null) {
                throw new IllegalArgumentException(
                        "%s permits two types that are called %s. Name them apart.".formatted(type, name));
            }
            names.put(permitted, name);
        }

        @Override
        public void write(ValueWriter out, Object value) {
            Class<?> found = value instanceof Enum<?> constant ? constant.getDeclaringClass() : value.getClass();
            String name = names.get(found);
            Slot slot = name == null ? null : byName.get(name);
            if (name == null || slot == null) {
                throw new IllegalArgumentException("%s is no %s.".formatted(found, type));
            }
            slot.write(out, value, name);
            NAME.write(out, name, name);
        }

        @Override
        public Object read(ValueReader in) {
            String name = String.valueOf(NAME.read(in, "the name of a type"));
            Slot slot = byName.get(name);
            if (slot == null) {
                throw ValueReader.malformed("%s permits no %s".formatted(type, Named.quoted(name)));
            }
            Object value = slot.read(in, name);
            if (value == null) {
                throw ValueReader.malformed(name + " is null");
            }
            return value;
        }

        @Override
        public @Nullable Object absent() {
            return null;
        }
    }

    /** A name out of the bytes as an error message may show it. */
    private static String quoted(String name) {
        int limit = 64;
        return "\"" + (name.length() <= limit ? name : name.substring(0, limit) + "...") + "\"";
    }
}
