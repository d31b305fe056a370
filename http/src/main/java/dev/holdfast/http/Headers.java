package dev.holdfast.http;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/** Header fields; names are found whatever their case, and keep the order of their values. One thread at a time. */
public final class Headers {

    private final Map<String, List<String>> fields = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

    /** Adds a value beside those there are. */
    public Headers add(String name, String value) {
        fields.computeIfAbsent(name, n -> new ArrayList<>(1)).add(value);
        return this;
    }

    /** Replaces all values. */
    public Headers set(String name, String value) {
        List<String> values = new ArrayList<>(1);
        values.add(value);
        fields.put(name, values);
        return this;
    }

    /** The first value. */
    public Optional<String> first(String name) {
        return all(name).stream().findFirst();
    }

    public List<String> all(String name) {
        return List.copyOf(fields.getOrDefault(name, List.of()));
    }

    public void forEach(BiConsumer<String, String> each) {
        fields.forEach((name, values) -> values.forEach(value -> each.accept(name, value)));
    }
}
