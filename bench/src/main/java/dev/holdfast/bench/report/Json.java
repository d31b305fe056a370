package dev.holdfast.bench.report;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Writes maps, lists, text, numbers and booleans as indented JSON. What JSON has no number for (NaN, infinities) becomes null. */
public final class Json {

    private final StringBuilder out = new StringBuilder();

    private Json() {}

    public static String write(Map<String, ?> value) {
        Json json = new Json();
        json.value(value, 0);
        return json.out.append('\n').toString();
    }

    private void value(@Nullable Object value, int depth) {
        switch (value) {
            case null -> out.append("null");
            case Map<?, ?> map -> members(map.entrySet(), depth);
            case List<?> list -> elements(list, depth);
            case Double number when Double.isNaN(number) || Double.isInfinite(number) -> out.append("null");
            case Number number -> out.append(number);
            case Boolean truth -> out.append(truth);
            default -> text(value.toString());
        }
    }

    private void members(Set<? extends Map.Entry<?, ?>> members, int depth) {
        out.append('{');
        String separator = "";
        for (Map.Entry<?, ?> member : members) {
            out.append(separator);
            newLine(depth + 1);
            text(String.valueOf(member.getKey()));
            out.append(": ");
            value(member.getValue(), depth + 1);
            separator = ",";
        }
        if (!members.isEmpty()) {
            newLine(depth);
        }
        out.append('}');
    }

    private void elements(List<?> elements, int depth) {
        out.append('[');
        String separator = "";
        for (Object element : elements) {
            out.append(separator);
            newLine(depth + 1);
            value(element, depth + 1);
            separator = ",";
        }
        if (!elements.isEmpty()) {
            newLine(depth);
        }
        out.append(']');
    }

    private void newLine(int depth) {
        out.append('\n').append("  ".repeat(depth));
    }

    private void text(String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ') {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }
}
