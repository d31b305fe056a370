package dev.holdfast.client.transport;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Reads the events of an event stream (WHATWG HTML, section 9.2), wherever its bytes are split, one when it is asked. Only the data of events matters
 * here. An event that the stream's end cuts off is dropped. Owned by one thread.
 */
final class SseReader {

    private static final int READ_BYTES = 16 << 10;
    private static final byte[] DATA = {'d', 'a', 't', 'a'};

    private final InputStream in;
    private final int maxEventBytes;
    private final byte[] buffer = new byte[READ_BYTES];
    private int at;
    private int end;
    private boolean afterCarriageReturn;
    private boolean atStart = true;
    private Line line = new Line();

    SseReader(InputStream in, int maxEventBytes) {
        this.in = in;
        this.maxEventBytes = maxEventBytes;
    }

    /** A line's bytes, readable without a copy. */
    private static final class Line extends ByteArrayOutputStream {
        byte[] bytes() {
            return buf;
        }

        boolean isData(int from) {
            if (count - from < DATA.length) {
                return false;
            }
            for (int i = 0; i < DATA.length; i++) {
                if (buf[from + i] != DATA[i]) {
                    return false;
                }
            }
            return count == from + DATA.length || buf[from + DATA.length] == ':';
        }
    }

    /**
     * The data of the next event, or null at the end of the stream.
     *
     * @throws IOException if the stream breaks, or an event exceeds the limit
     */
    @Nullable
    String next() throws IOException {
        ByteArrayOutputStream data = new ByteArrayOutputStream();
        boolean hasData = false;
        while (readLine(data.size())) {
            int from = atStart && startsWithMark() ? 3 : 0;
            atStart = false;
            if (line.size() == from) {
                if (hasData) {
                    return data.toString(StandardCharsets.UTF_8);
                }
            } else if (line.isData(from)) {
                if (hasData) {
                    data.write('\n');
                }
                int value = Math.min(line.size(), from + DATA.length + 1);
                if (value < line.size() && line.bytes()[value] == ' ') {
                    value++;
                }
                data.write(line.bytes(), value, line.size() - value);
                hasData = true;
            }
        }
        return null;
    }

    private boolean startsWithMark() {
        byte[] bytes = line.bytes();
        return line.size() >= 3 && bytes[0] == (byte) 0xEF && bytes[1] == (byte) 0xBB && bytes[2] == (byte) 0xBF;
    }

    /** Reads a whole line; false at the end of the stream, also within one. */
    private boolean readLine(int before) throws IOException {
        if (line.size() > READ_BYTES) {
            line = new Line(); // one large event does not hold its memory for ever
        }
        line.reset();
        while (true) {
            if (at == end) {
                end = Math.max(in.read(buffer), -1);
                at = 0;
                if (end < 0) {
                    end = 0;
                    return false;
                }
            }
            if (afterCarriageReturn && at < end) {
                afterCarriageReturn = false;
                if (buffer[at] == '\n') {
                    at++;
                    continue;
                }
            }
            int begin = at;
            while (at < end && buffer[at] != '\n' && buffer[at] != '\r') {
                at++;
            }
            if (before + line.size() + (at - begin) > maxEventBytes) {
                throw new IOException("The server sent an event of more than %d bytes, the most that is read."
                        .formatted(maxEventBytes));
            }
            line.write(buffer, begin, at - begin);
            if (at < end) {
                afterCarriageReturn = buffer[at] == '\r';
                at++;
                return true;
            }
        }
    }
}
