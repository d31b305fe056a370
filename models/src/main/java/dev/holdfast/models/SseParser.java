package dev.holdfast.models;

import java.io.ByteArrayOutputStream;
import java.util.function.Consumer;

/**
 * Finds the events in the bytes of an event stream (WHATWG HTML, section 9.2), wherever they are split. Lines end with CRLF, LF or CR. Works on
 * bytes: the ends of lines are ASCII, so no character needs to be decoded to find them. Only the field {@code data} matters here; the providers'
 * events say their type in it. An event that the stream's end cuts off is dropped. Owned by one thread.
 */
final class SseParser {

    private static final byte[] DATA = {'d', 'a', 't', 'a'};
    private static final byte[] BOM = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

    private final int maxEventBytes;
    private final Consumer<SseEvent> out;
    private final Line line = new Line();
    private final ByteArrayOutputStream data = new ByteArrayOutputStream();
    private boolean hasData;
    private boolean afterCarriageReturn;
    private boolean atStart = true;

    SseParser(int maxEventBytes, Consumer<SseEvent> out) {
        this.maxEventBytes = maxEventBytes;
        this.out = out;
    }

    /** A line's bytes, readable without a copy. */
    private static final class Line extends ByteArrayOutputStream {
        byte[] bytes() {
            return buf;
        }
    }

    /** @throws ProviderException.Malformed if an event exceeds the limit */
    void feed(byte[] bytes, int from, int to) {
        int begin = from;
        for (int i = from; i < to; i++) {
            byte b = bytes[i];
            if (b == '\n' && afterCarriageReturn) {
                afterCarriageReturn = false;
                begin = i + 1;
            } else if (b == '\n' || b == '\r') {
                append(bytes, begin, i);
                endLine();
                afterCarriageReturn = b == '\r';
                begin = i + 1;
            } else {
                afterCarriageReturn = false;
            }
        }
        append(bytes, begin, to);
    }

    private void append(byte[] bytes, int from, int to) {
        if (line.size() + data.size() + (to - from) > maxEventBytes) {
            throw new ProviderException.Malformed(
                    "The provider sent an event of more than %d bytes, the most that is read."
                            .formatted(maxEventBytes));
        }
        line.write(bytes, from, to - from);
    }

    private void endLine() {
        int length = line.size();
        int start = atStart && startsWith(BOM, 0) ? BOM.length : 0;
        atStart = false;
        if (length == start) {
            endEvent();
        } else if (startsWith(DATA, start)) {
            addData(start + DATA.length, length);
        }
        line.reset();
    }

    private void addData(int colon, int length) {
        int from;
        if (colon == length) {
            from = length;
        } else if (line.bytes()[colon] == ':') {
            from = colon + 1 < length && line.bytes()[colon + 1] == ' ' ? colon + 2 : colon + 1;
        } else {
            return;
        }
        if (hasData) {
            data.write('\n');
        }
        data.write(line.bytes(), from, length - from);
        hasData = true;
    }

    private void endEvent() {
        if (hasData) {
            out.accept(new SseEvent(data.toByteArray()));
        }
        data.reset();
        hasData = false;
    }

    private boolean startsWith(byte[] prefix, int at) {
        if (line.size() - at < prefix.length) {
            return false;
        }
        for (int i = 0; i < prefix.length; i++) {
            if (line.bytes()[at + i] != prefix[i]) {
                return false;
            }
        }
        return true;
    }
}
