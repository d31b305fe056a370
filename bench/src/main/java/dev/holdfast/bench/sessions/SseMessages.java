package dev.holdfast.bench.sessions;

import dev.holdfast.bench.http.wire.ResponseParser;
import java.util.Arrays;

/** Cuts the content of an event stream into messages: the lines of data, each of which is one. One thread. */
final class SseMessages implements ResponseParser.Body {

    private static final byte[] NOTHING = new byte[0];
    private static final int PREFIX = "data: ".length();

    private final Messages messages;
    private byte[] begun = NOTHING;

    SseMessages(Messages messages) {
        this.messages = messages;
    }

    @Override
    public void bytes(byte[] in, int from, int to) {
        int line = from;
        for (int i = from; i < to; i++) {
            if (in[i] == '\n') {
                if (begun.length == 0) {
                    line(in, line, i);
                } else {
                    byte[] whole = joined(in, line, i);
                    begun = NOTHING;
                    line(whole, 0, whole.length);
                }
                line = i + 1;
            }
        }
        if (line < to) {
            begun = joined(in, line, to);
        }
    }

    private byte[] joined(byte[] in, int from, int to) {
        byte[] joined = Arrays.copyOf(begun, begun.length + to - from);
        System.arraycopy(in, from, joined, begun.length, to - from);
        return joined;
    }

    private void line(byte[] in, int from, int to) {
        if (to - from > PREFIX && in[from] == 'd') {
            messages.message(in, from + PREFIX, to);
        }
    }
}
