package dev.holdfast.http.durablestreams;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.http.Problem;
import dev.holdfast.http.ProblemTable;

/**
 * Where the protocol wants another status than the rest of the server, or headers that tell a client how to go on. Everything else is as in
 * {@link ProblemTable}.
 */
final class WireErrors {

    /** What a client that was refused for lack of room is asked to wait, before its own jitter. */
    static final int RETRY_AFTER_SECONDS = 1;

    private WireErrors() {}

    static Problem of(HoldfastException error) {
        Problem problem = ProblemTable.of(error);
        return switch (error) {
            case HoldfastException.LimitExceeded e ->
                e.limit().equals("maxChunkBytes") || e.limit().equals("MAX_APPEND_BYTES")
                        ? problem
                        : status(problem, 400);
            case HoldfastException.StreamClosed e ->
                problem.header(Wire.CLOSED, Wire.TRUE).header(Wire.NEXT_OFFSET, StreamOffset.of(e.tail()));
            case HoldfastException.StaleProducer e ->
                status(problem, 403).header(Wire.PRODUCER_EPOCH, Long.toString(e.currentEpoch()));
            case HoldfastException.ProducerGap e ->
                e.startsEpoch()
                        ? status(problem, 400)
                        : problem.header(Wire.EXPECTED_SEQ, Long.toString(e.expected()))
                                .header(Wire.RECEIVED_SEQ, Long.toString(e.received()));
            case HoldfastException.CursorTooOld e -> problem.header(Wire.FIRST_OFFSET, StreamOffset.of(e.first()));
            case HoldfastException.CursorAhead e ->
                status(problem, 400).header(Wire.NEXT_OFFSET, StreamOffset.of(e.tail()));
            case HoldfastException.Overloaded e -> status(problem, 429).retryAfter(RETRY_AFTER_SECONDS);
            default -> problem;
        };
    }

    private static Problem status(Problem problem, int status) {
        return new Problem(
                status, problem.type(), problem.title(), problem.detail(), problem.members(), problem.headers());
    }
}
