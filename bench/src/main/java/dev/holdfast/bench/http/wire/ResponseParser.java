package dev.holdfast.bench.http.wire;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Cuts the bytes of one connection into responses, and understands no more of them than that takes: the status, {@code Content-Length} and
 * {@code Transfer-Encoding}. One thread.
 */
public final class ResponseParser {

    /** Takes the content of responses, without what chunked transfer adds. */
    public interface Body {
        Body IGNORED = (in, from, to) -> {};

        void bytes(byte[] in, int from, int to);
    }

    private enum Phase {
        HEAD,
        LENGTH,
        CHUNK_SIZE,
        CHUNK,
        CHUNK_END,
        TRAILER
    }

    private static final byte[] CONTENT_LENGTH = "content-length:".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] TRANSFER_ENCODING = "transfer-encoding:".getBytes(StandardCharsets.US_ASCII);
    private static final int SWITCHING_PROTOCOLS = 101;
    private static final int STATUS_AT = "HTTP/1.1 ".length();

    private final Body body;
    private Phase phase = Phase.HEAD;
    private long left;
    private boolean chunked;
    private int status;
    private int headBytes;
    private boolean complete;

    ResponseParser(Body body) {
        this.body = body;
    }

    /**
     * Takes bytes, up to the end of a response.
     *
     * @return where the bytes begin that were not taken: behind a complete response, or a line that is not whole yet
     */
    int feed(byte[] in, int from, int to) throws IOException {
        int at = from;
        complete = false;
        while (at < to && !complete) {
            int next = switch (phase) {
                case HEAD -> head(in, at, to);
                case LENGTH, CHUNK -> content(in, at, to);
                case CHUNK_SIZE -> chunkSize(in, at, to);
                case CHUNK_END -> lineOf(in, at, to, Phase.CHUNK_SIZE);
                case TRAILER -> trailer(in, at, to);
            };
            if (next == at) {
                return at;
            }
            at = next;
        }
        return at;
    }

    /** Whether the last call ended with the end of a response. */
    boolean complete() {
        return complete;
    }

    int status() {
        return status;
    }

    /** The size of the last head. */
    int headBytes() {
        return headBytes;
    }

    private int head(byte[] in, int from, int to) throws IOException {
        left = 0;
        chunked = false;
        int line = from;
        for (int i = from; i < to; i++) {
            if (in[i] == '\n') {
                if (i - line <= 1) {
                    headIsWhole(in, from, i + 1);
                    return i + 1;
                }
                header(in, line, i);
                line = i + 1;
            }
        }
        return from;
    }

    private void headIsWhole(byte[] in, int from, int to) throws IOException {
        headBytes = to - from;
        status = 0;
        for (int i = from + STATUS_AT; i < from + STATUS_AT + 3; i++) {
            status = status * 10 + digit(in[i], 10);
        }
        if (status == SWITCHING_PROTOCOLS) { // what follows is the other protocol's, to the end of the connection
            left = Long.MAX_VALUE;
            phase = Phase.LENGTH;
        } else if (chunked) {
            phase = Phase.CHUNK_SIZE;
        } else if (left > 0) {
            phase = Phase.LENGTH;
        } else {
            complete = true;
        }
    }

    private void header(byte[] in, int from, int to) throws IOException {
        int first = in[from] | 0x20;
        if (first == 'c' && is(CONTENT_LENGTH, in, from, to)) {
            for (int i = from + CONTENT_LENGTH.length; i < to; i++) {
                if (in[i] > ' ') {
                    left = left * 10 + digit(in[i], 10);
                }
            }
        } else if (first == 't' && is(TRANSFER_ENCODING, in, from, to)) {
            chunked = true;
        }
    }

    private static boolean is(byte[] name, byte[] in, int from, int to) {
        if (to - from < name.length) {
            return false;
        }
        for (int i = 0; i < name.length; i++) {
            if ((in[from + i] | 0x20) != (name[i] | 0x20)) {
                return false;
            }
        }
        return true;
    }

    private int content(byte[] in, int from, int to) {
        int taken = (int) Math.min(left, to - from);
        body.bytes(in, from, from + taken);
        left -= taken;
        if (left == 0) {
            if (phase == Phase.CHUNK) {
                phase = Phase.CHUNK_END;
            } else {
                end();
            }
        }
        return from + taken;
    }

    private int chunkSize(byte[] in, int from, int to) throws IOException {
        long size = 0;
        boolean extension = false;
        for (int i = from; i < to; i++) {
            if (in[i] == '\n') {
                left = size;
                phase = size == 0 ? Phase.TRAILER : Phase.CHUNK;
                return i + 1;
            }
            extension |= in[i] == ';';
            if (!extension && in[i] > ' ') {
                size = size * 16 + digit(in[i], 16);
            }
        }
        return from;
    }

    private int trailer(byte[] in, int from, int to) {
        int next = lineOf(in, from, to, Phase.TRAILER);
        if (next > from && next - from <= 2) {
            end();
        }
        return next;
    }

    private int lineOf(byte[] in, int from, int to, Phase then) {
        for (int i = from; i < to; i++) {
            if (in[i] == '\n') {
                phase = then;
                return i + 1;
            }
        }
        return from;
    }

    private void end() {
        phase = Phase.HEAD;
        complete = true;
    }

    private static int digit(byte character, int radix) throws IOException {
        int digit = Character.digit(character, radix);
        if (digit < 0) {
            throw new IOException("the server's response is not HTTP/1.1: a number has the character " + character);
        }
        return digit;
    }
}
