package dev.holdfast.http.api;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A part of a file (RFC 9110, section 14).
 *
 * @param from its first byte
 * @param to behind its last byte
 */
record ByteRange(long from, long to) {

    private static final Pattern ONE = Pattern.compile("bytes=(\\d{0,18})-(\\d{0,18})");

    /**
     * What a request asks for. A header that is malformed, or asks for several ranges, asks for the whole file.
     *
     * @param size the file's
     * @return an empty range if nothing of what is asked for is there
     */
    static Optional<ByteRange> parse(String header, long size) {
        Matcher matcher = ONE.matcher(header.strip());
        if (!matcher.matches()
                || (matcher.group(1).isEmpty() && matcher.group(2).isEmpty())) {
            return Optional.empty();
        }
        if (matcher.group(1).isEmpty()) {
            long last = Long.parseLong(matcher.group(2));
            return Optional.of(new ByteRange(Math.max(0, size - last), size));
        }
        long from = Long.parseLong(matcher.group(1));
        long last = matcher.group(2).isEmpty() ? Long.MAX_VALUE - 1 : Long.parseLong(matcher.group(2));
        if (last < from) {
            return Optional.empty();
        }
        return Optional.of(new ByteRange(from, Math.max(from, Math.min(size, last + 1))))
                .map(range -> range.from() >= size ? new ByteRange(size, size) : range);
    }

    boolean isEmpty() {
        return from == to;
    }
}
