package dev.holdfast.http.durablestreams;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Cuts a JSON body (RFC 8259, strictly, in UTF-8) into its messages without ever writing a value anew: every message keeps its own bytes, so
 * that large numbers, spacing and escapes come back as they were sent. An array is cut one level deep; anything else is one message.
 *
 * <p>Bounded: at most {@value #MAX_DEPTH} levels of nesting. One body per instance.
 */
final class JsonMessages {

    static final int MAX_DEPTH = 200;

    private static final byte[] TRUE = "true".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] FALSE = "false".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] NULL = "null".getBytes(StandardCharsets.US_ASCII);

    private final byte[] in;
    private int at;

    private JsonMessages(byte[] in) {
        this.in = in;
    }

    /**
     * The messages of a body: none for an empty array.
     *
     * @throws InvalidJson if it is not JSON, or nested too deeply
     */
    static List<byte[]> of(byte[] body) throws InvalidJson {
        JsonMessages scan = new JsonMessages(body);
        scan.space();
        List<byte[]> messages = scan.peek() == '[' ? scan.elements() : List.of(scan.message(0));
        scan.space();
        if (scan.at < body.length) {
            throw scan.wrong("there is something behind the value");
        }
        return messages;
    }

    private List<byte[]> elements() throws InvalidJson {
        at++;
        space();
        List<byte[]> messages = new ArrayList<>();
        if (peek() == ']') {
            at++;
            return messages;
        }
        while (true) {
            messages.add(message(1));
            space();
            if (!more(']')) {
                return messages;
            }
            space();
        }
    }

    private byte[] message(int depth) throws InvalidJson {
        int from = at;
        value(depth);
        return from == 0 && at == in.length ? in : Arrays.copyOfRange(in, from, at);
    }

    private void value(int depth) throws InvalidJson {
        switch (peek()) {
            case '{' -> object(depth + 1);
            case '[' -> array(depth + 1);
            case '"' -> string();
            case 't' -> word(TRUE);
            case 'f' -> word(FALSE);
            case 'n' -> word(NULL);
            default -> number();
        }
    }

    private void object(int depth) throws InvalidJson {
        enter(depth);
        if (peek() == '}') {
            at++;
            return;
        }
        do {
            space();
            if (peek() != '"') {
                throw wrong("a name in quotes is missing");
            }
            string();
            space();
            if (peek() != ':') {
                throw wrong("a colon is missing");
            }
            at++;
            space();
            value(depth);
            space();
        } while (more('}'));
    }

    private void array(int depth) throws InvalidJson {
        enter(depth);
        if (peek() == ']') {
            at++;
            return;
        }
        do {
            space();
            value(depth);
            space();
        } while (more(']'));
    }

    private void enter(int depth) throws InvalidJson {
        if (depth > MAX_DEPTH) {
            throw wrong("there are more than " + MAX_DEPTH + " levels");
        }
        at++;
        space();
    }

    /** Steps over a comma and returns true, or over the end and returns false. */
    private boolean more(char end) throws InvalidJson {
        int c = peek();
        if (c != ',' && c != end) {
            throw wrong("a comma or \"" + end + "\" is missing");
        }
        at++;
        return c == ',';
    }

    private void string() throws InvalidJson {
        at++;
        while (true) {
            int c = peek();
            if (c == '"') {
                at++;
                return;
            }
            if (c == '\\') {
                escape();
            } else if (c < 0x20) {
                throw wrong(c < 0 ? "a string does not end" : "a string has a control character");
            } else if (c < 0x80) {
                at++;
            } else {
                int length = Utf8.sequenceAt(in, at);
                if (length == 0) {
                    throw wrong("a string is not UTF-8");
                }
                at += length;
            }
        }
    }

    private void escape() throws InvalidJson {
        at++;
        int c = peek();
        at++;
        if (c == 'u') {
            for (int i = 0; i < 4; i++, at++) {
                if (Character.digit(peek(), 16) < 0) {
                    throw wrong("an escape has no four hexadecimal digits");
                }
            }
        } else if (c < 0 || "\"\\/bfnrt".indexOf(c) < 0) {
            throw wrong("there is no such escape");
        }
    }

    private void number() throws InvalidJson {
        if (peek() == '-') {
            at++;
        }
        if (peek() == '0') {
            at++;
        } else {
            digits();
        }
        if (peek() == '.') {
            at++;
            digits();
        }
        if (peek() == 'e' || peek() == 'E') {
            at++;
            if (peek() == '+' || peek() == '-') {
                at++;
            }
            digits();
        }
    }

    private void digits() throws InvalidJson {
        if (!isDigit(peek())) {
            throw wrong("a value is missing or is none");
        }
        while (isDigit(peek())) {
            at++;
        }
    }

    private void word(byte[] word) throws InvalidJson {
        if (!Arrays.equals(in, at, Math.min(in.length, at + word.length), word, 0, word.length)) {
            throw wrong("a value is none");
        }
        at += word.length;
    }

    private void space() {
        while (at < in.length && (in[at] == ' ' || in[at] == '\n' || in[at] == '\r' || in[at] == '\t')) {
            at++;
        }
    }

    private int peek() {
        return at < in.length ? in[at] & 0xff : -1;
    }

    private static boolean isDigit(int c) {
        return c >= '0' && c <= '9';
    }

    private InvalidJson wrong(String what) {
        return new InvalidJson(what, at);
    }
}
