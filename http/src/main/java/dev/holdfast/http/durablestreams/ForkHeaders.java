package dev.holdfast.http.durablestreams;

import dev.holdfast.http.HttpProblem;
import dev.holdfast.http.RequestHead;
import dev.holdfast.stream.Fork;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Where a stream to be created branches off another one.
 *
 * @param source the name of the other stream
 * @param at the anchor; empty for the source's tail
 * @param past how far past it: messages of a JSON stream, else bytes of the chunk at the anchor
 */
record ForkHeaders(String source, OptionalLong at, long past) {

    private static final int MAX_DIGITS = 18;

    /**
     * Reads them, or returns null if the stream is no fork.
     *
     * @param prefix the path of the wire's mount
     * @throws HttpProblem 400 if a header makes no sense
     */
    static @Nullable ForkHeaders of(RequestHead head, String prefix) {
        String from = head.value(Wire.FORKED_FROM);
        String offset = head.value(Wire.FORK_OFFSET);
        String past = head.value(Wire.FORK_SUB_OFFSET);
        if (from == null) {
            if (offset != null || past != null) {
                throw HttpProblem.badRequest("An offset of a fork comes with Stream-Forked-From.");
            }
            return null;
        }
        return new ForkHeaders(source(head, from, prefix), anchor(offset), distance(past));
    }

    private static String source(RequestHead head, String from, String prefix) {
        String path = from.startsWith(head.mount() + prefix + "/")
                ? from.substring(head.mount().length())
                : from;
        if (!path.startsWith(prefix + "/")) {
            throw HttpProblem.badRequest(
                    "Stream-Forked-From is the path of a stream of this server, such as %s/name.".formatted(prefix));
        }
        return StreamName.of(path, prefix.length() + 1);
    }

    private static OptionalLong anchor(@Nullable String offset) {
        if (offset == null) {
            return OptionalLong.empty();
        }
        long seq = StreamOffset.parse(offset);
        if (seq == StreamOffset.NOW) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(seq == StreamOffset.START ? 0 : seq);
    }

    private static long distance(@Nullable String past) {
        long distance = past == null ? 0 : Numbers.parse(past, MAX_DIGITS);
        boolean leadingZero = past != null && past.length() > 1 && past.charAt(0) == '0';
        if (distance < 0 || leadingZero) {
            throw HttpProblem.badRequest("Stream-Fork-Sub-Offset is a whole number, without sign or leading zero.");
        }
        return distance;
    }

    /**
     * @param contentType that of the source, which decides what is counted
     */
    Fork toFork(String contentType) {
        return new Fork(source, at, past, MediaType.isJson(contentType) ? Fork.Unit.CHUNKS : Fork.Unit.BYTES);
    }
}
