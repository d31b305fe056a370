package dev.holdfast.uimessage;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The value that the beginning of a JSON text already tells: the text is cut after its last whole piece and its open strings, objects and
 * arrays are closed, so that clients see a tool's input grow. Agrees with {@code parsePartialJson} of the AI SDK.
 */
final class PartialJson {

    /** What is expected next inside the innermost object or array, or of the value at the root. */
    private enum State {
        ROOT,
        ROOT_DONE,
        OBJECT_START,
        OBJECT_KEY,
        OBJECT_COLON,
        OBJECT_VALUE,
        OBJECT_NEXT,
        OBJECT_COMMA,
        ARRAY_START,
        ARRAY_NEXT,
        ARRAY_COMMA
    }

    private final String text;
    private final Deque<State> open = new ArrayDeque<>();
    private int at;
    /** End (exclusive) of what is kept. */
    private int kept;
    /** What closes the last scalar, when the text ends inside it. */
    private String closing = "";

    private PartialJson(String text) {
        this.text = text;
        open.push(State.ROOT);
    }

    /** The value, or null if the text tells none. */
    static @Nullable JsonNode read(String text) {
        JsonNode whole = UiJson.tryRead(text);
        return whole != null ? whole : UiJson.tryRead(new PartialJson(text).repair());
    }

    private String repair() {
        while (at < text.length() && closing.isEmpty()) {
            step(text.charAt(at));
        }
        StringBuilder repaired = new StringBuilder(text.substring(0, kept)).append(closing);
        for (State state : open) {
            switch (state) {
                case ROOT, ROOT_DONE -> {}
                case ARRAY_START, ARRAY_NEXT, ARRAY_COMMA -> repaired.append(']');
                default -> repaired.append('}');
            }
        }
        return repaired.toString();
    }

    private void step(char c) {
        switch (state()) {
            case ROOT -> value(c, State.ROOT_DONE);
            case OBJECT_VALUE -> value(c, State.OBJECT_NEXT);
            case ARRAY_COMMA -> value(c, State.ARRAY_NEXT);
            case ARRAY_START -> {
                if (c == ']') {
                    close();
                } else {
                    value(c, State.ARRAY_NEXT);
                }
            }
            case OBJECT_START, OBJECT_COMMA -> {
                if (c == '"') {
                    become(State.OBJECT_KEY);
                    at++;
                } else if (c == '}' && state() == State.OBJECT_START) {
                    close();
                } else {
                    at++;
                }
            }
            case OBJECT_KEY -> key(c);
            case OBJECT_COLON -> on(c, ':', State.OBJECT_VALUE);
            case OBJECT_NEXT -> {
                if (c == '}') {
                    close();
                } else {
                    on(c, ',', State.OBJECT_COMMA);
                }
            }
            case ARRAY_NEXT -> {
                if (c == ']') {
                    close();
                } else {
                    on(c, ',', State.ARRAY_COMMA);
                }
            }
            case ROOT_DONE -> at++;
        }
    }

    private void key(char c) {
        at += c == '\\' ? 2 : 1;
        if (c == '"') {
            become(State.OBJECT_COLON);
        }
    }

    private void on(char c, char expected, State next) {
        if (c == expected) {
            become(next);
        }
        at++;
    }

    private void value(char c, State after) {
        switch (c) {
            case '"' -> {
                become(after);
                string();
            }
            case '{', '[' -> {
                become(after);
                open.push(c == '{' ? State.OBJECT_START : State.ARRAY_START);
                kept = ++at;
            }
            case 't' -> literal("true", after);
            case 'f' -> literal("false", after);
            case 'n' -> literal("null", after);
            default -> {
                if (c == '-' || (c >= '0' && c <= '9')) {
                    become(after);
                    number();
                } else {
                    at++;
                }
            }
        }
    }

    private void string() {
        kept = ++at;
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c == '"') {
                kept = ++at;
                return;
            }
            int length = c != '\\' ? 1 : at + 1 < text.length() && text.charAt(at + 1) == 'u' ? 6 : 2;
            if (at + length > text.length()) {
                break;
            }
            at += length;
            kept = at;
        }
        at = text.length();
        closing = "\"";
    }

    private void literal(String word, State after) {
        become(after);
        int matched = 0;
        while (matched < word.length() && at < text.length() && text.charAt(at) == word.charAt(matched)) {
            at++;
            matched++;
        }
        kept = at;
        if (at == text.length()) {
            closing = word.substring(matched);
        }
    }

    private void number() {
        while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
            char c = text.charAt(at++);
            if (c >= '0' && c <= '9') {
                kept = at;
            }
        }
    }

    private State state() {
        return open.element();
    }

    private void become(State state) {
        open.pop();
        open.push(state);
    }

    private void close() {
        open.pop();
        kept = ++at;
    }
}
