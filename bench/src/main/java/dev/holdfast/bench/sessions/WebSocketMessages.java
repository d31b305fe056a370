package dev.holdfast.bench.sessions;

import dev.holdfast.bench.http.wire.ResponseParser;
import java.util.Arrays;

/** Cuts what comes down a WebSocket into messages: frames of text, each whole (RFC 6455). One thread. */
final class WebSocketMessages implements ResponseParser.Body {

    private static final byte[] NOTHING = new byte[0];
    private static final int TEXT_AND_LAST = 0x81;
    private static final int CLOSE_AND_LAST = 0x88;
    private static final int TWO_BYTES_MORE = 126;
    private static final int EIGHT_BYTES_MORE = 127;
    private static final int MASKED = 0x80;
    private static final int MASK_BYTES = 4;

    private final Messages messages;
    private final Runnable closed;
    private byte[] begun = NOTHING;

    /** @param closed the server sent a close frame */
    WebSocketMessages(Messages messages, Runnable closed) {
        this.messages = messages;
        this.closed = closed;
    }

    @Override
    public void bytes(byte[] in, int from, int to) {
        if (begun.length == 0) {
            begun = Arrays.copyOfRange(in, frames(in, from, to), to);
        } else {
            byte[] all = Arrays.copyOf(begun, begun.length + to - from);
            System.arraycopy(in, from, all, begun.length, to - from);
            begun = Arrays.copyOfRange(all, frames(all, 0, all.length), all.length);
        }
    }

    /** Takes the frames that are whole, and returns where the rest begins. */
    private int frames(byte[] in, int from, int to) {
        int at = from;
        while (to - at >= 2) {
            int length = in[at + 1] & 0xff;
            int more = length == TWO_BYTES_MORE ? 2 : length == EIGHT_BYTES_MORE ? 8 : 0;
            int content = at + 2 + more;
            if (content > to) {
                return at;
            }
            long size = more == 0 ? length : number(in, at + 2, more);
            if (size > to - content) {
                return at;
            }
            int end = content + (int) size;
            if ((in[at] & 0xff) == TEXT_AND_LAST) {
                messages.message(in, content, end);
            } else if ((in[at] & 0xff) == CLOSE_AND_LAST) {
                closed.run();
            }
            at = end;
        }
        return at;
    }

    private static long number(byte[] in, int from, int bytes) {
        long number = 0;
        for (int i = from; i < from + bytes; i++) {
            number = (number << 8) | (in[i] & 0xff);
        }
        return number;
    }

    /** A client's frame of text; its mask is all zeros, so its bytes are as they are. */
    static byte[] frame(byte[] text) {
        int more = text.length < TWO_BYTES_MORE ? 0 : 2;
        if (text.length >= 1 << 16) {
            throw new IllegalArgumentException("No command is that long");
        }
        byte[] frame = new byte[2 + more + MASK_BYTES + text.length];
        frame[0] = (byte) TEXT_AND_LAST;
        frame[1] = (byte) (MASKED | (more == 0 ? text.length : TWO_BYTES_MORE));
        if (more > 0) {
            frame[2] = (byte) (text.length >> 8);
            frame[3] = (byte) text.length;
        }
        System.arraycopy(text, 0, frame, frame.length - text.length, text.length);
        return frame;
    }
}
