package dev.holdfast.http.durablestreams;

import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.HttpProblem;
import dev.holdfast.http.PathSegments;
import org.jspecify.annotations.Nullable;

/**
 * What a read asks for. Parameters that are not known are ignored, as the protocol wants it; known ones are given once and are never empty.
 *
 * @param offset a position, {@link StreamOffset#START} or {@link StreamOffset#NOW}
 * @param last how many chunks from the end, instead of an offset; -1 if none was asked for
 * @param mode whether and how to wait
 * @param cursor the cache cursor that the client brought, or null
 */
record ReadParameters(
        long offset, long last, Mode mode, @Nullable String cursor) {

    /** Whether and how to wait for what is not there yet. */
    enum Mode {
        CATCH_UP,
        LONG_POLL,
        SSE
    }

    private static final ReadParameters NONE = new ReadParameters(StreamOffset.START, -1, Mode.CATCH_UP, null);
    private static final int MAX_LAST_DIGITS = 9;

    /**
     * @param query as it came, or null
     * @param lastEventId as it came, or null; wins over the offset, which an EventSource repeats whenever it comes back
     * @throws HttpProblem 400 if a parameter makes no sense
     */
    static ReadParameters of(@Nullable String query, @Nullable String lastEventId) {
        if (query == null || query.isEmpty()) {
            return NONE;
        }
        Parser parser = new Parser();
        parser.read(query);
        return parser.result(lastEventId);
    }

    private static final class Parser {
        private @Nullable String offset;
        private @Nullable String tail;
        private @Nullable String live;
        private @Nullable String cursor;

        void read(String query) {
            int from = 0;
            for (int count = 1; from <= query.length(); count++) {
                if (count > HttpLimits.MAX_QUERY_PARAMETERS) {
                    throw HttpProblem.badRequest(
                            "The query has more than %d parameters.".formatted(HttpLimits.MAX_QUERY_PARAMETERS));
                }
                int ampersand = query.indexOf('&', from);
                int to = ampersand < 0 ? query.length() : ampersand;
                int equals = query.indexOf('=', from);
                int end = equals < 0 || equals > to ? to : equals;
                take(query.substring(from, end), end < to ? query.substring(end + 1, to) : "");
                from = to + 1;
            }
        }

        private void take(String name, String raw) {
            switch (name) {
                case "offset" -> offset = once(name, offset, raw);
                case "tail" -> tail = once(name, tail, raw);
                case "live" -> live = once(name, live, raw);
                case "cursor" -> cursor = raw.isEmpty() ? cursor : once(name, cursor, raw);
                default -> {}
            }
        }

        private static String once(String name, @Nullable String before, String raw) {
            String value = raw.indexOf('%') < 0 && raw.indexOf('+') < 0 ? raw : PathSegments.decodeQuery(raw);
            if (before != null) {
                throw HttpProblem.badRequest("The query has \"%s\" twice.".formatted(name));
            }
            if (value.isEmpty()) {
                throw HttpProblem.badRequest("The parameter \"%s\" is empty. Leave it out instead.".formatted(name));
            }
            return value;
        }

        ReadParameters result(@Nullable String lastEventId) {
            Mode mode = mode();
            String resumed = mode == Mode.SSE && lastEventId != null && !lastEventId.isEmpty() ? lastEventId : null;
            if (mode != Mode.CATCH_UP && offset == null && tail == null && resumed == null) {
                throw HttpProblem.badRequest(
                        "A live read needs an offset: the last one received, -1 for the beginning, or now.");
            }
            if (offset != null && tail != null) {
                throw HttpProblem.badRequest("Give an offset or a tail, not both.");
            }
            long from = offset == null ? StreamOffset.START : StreamOffset.parse(offset);
            long last = tail == null ? -1 : last(tail);
            return resumed == null
                    ? new ReadParameters(from, last, mode, cursor)
                    : new ReadParameters(StreamOffset.position(resumed), -1, mode, cursor);
        }

        private Mode mode() {
            if (live == null) {
                return Mode.CATCH_UP;
            }
            return switch (live) {
                case "long-poll" -> Mode.LONG_POLL;
                case "sse" -> Mode.SSE;
                default -> throw HttpProblem.badRequest("The parameter \"live\" is long-poll or sse.");
            };
        }

        private static long last(String text) {
            long last = Numbers.parse(text, MAX_LAST_DIGITS);
            if (last < 0) {
                throw HttpProblem.badRequest("The parameter \"tail\" is a whole number of chunks, such as 10.");
            }
            return last;
        }
    }
}
