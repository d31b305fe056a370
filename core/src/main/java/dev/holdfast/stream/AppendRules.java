package dev.holdfast.stream;

import dev.holdfast.error.HoldfastException.OrderConflict;
import dev.holdfast.error.HoldfastException.PreconditionFailed;
import dev.holdfast.error.HoldfastException.StreamConflict;
import dev.holdfast.store.AppendRecord.ProducerMark;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.StreamRow;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Decides one append, against the stream as the running batch sees it, and writes nothing. The order of the checks is part of the contract:
 * is it there, is it this writer's, is it open, content type, producer, order, expected tail.
 */
final class AppendRules {

    private AppendRules() {}

    /**
     * @param epoch the writer's epoch, or 0 for an append by name
     * @return the answer if there is nothing to write; null if the append is to be written
     */
    static @Nullable AppendResult check(StreamLog log, CommitScope scope, long epoch, AppendRequest request) {
        AppendResult before = ofSettled(log, scope, epoch, request);
        if (before != null) {
            return before;
        }
        log.checkWritable(scope, epoch);
        checkContentType(log.currentRow(), request.contentType());
        Producer sender = request.producer();
        if (sender != null && log.currentMarks().check(sender) == Producers.Verdict.DUPLICATE) {
            return duplicate(log, sender);
        }
        if (request.order() != null) {
            checkOrder(log.name(), request.order(), log.currentMarks().order());
        }
        OptionalLong expected = request.expectedTail();
        if (expected.isPresent() && expected.getAsLong() != log.currentTail()) {
            throw new PreconditionFailed(
                    "Stream \"%s\" ends at %d, not at the expected %d. Read what is new and decide again."
                            .formatted(log.name(), log.currentTail(), expected.getAsLong()));
        }
        ProducerMark mark = markOf(request);
        if (mark != null) {
            log.currentMarks().checkRoom(mark.id());
        }
        return null;
    }

    /**
     * What a settled stream answers to what it knows. A writer's repeated append is a duplicate, as it was before; by name only the very
     * append that settled the stream is one (as the Durable Streams protocol has it).
     */
    private static @Nullable AppendResult ofSettled(
            StreamLog log, CommitScope scope, long epoch, AppendRequest request) {
        if (log.currentRow().state() == StreamRow.State.LIVE || log.currentlyGone(scope)) {
            return null;
        }
        Producer sender = request.producer();
        if (sender == null) {
            return request.settle() && request.chunks().isEmpty() ? duplicate(log, null) : null;
        }
        Marks.Pending marks = log.currentMarks();
        boolean known =
                epoch == 0 ? sender.equals(marks.closing()) : marks.check(sender) == Producers.Verdict.DUPLICATE;
        return known ? duplicate(log, sender) : null;
    }

    private static AppendResult duplicate(StreamLog log, @Nullable Producer sender) {
        return new AppendResult(
                log.currentTail(),
                log.currentTail(),
                true,
                log.currentRow().state() != StreamRow.State.LIVE,
                sender == null ? OptionalLong.empty() : log.currentMarks().accepted(sender.id()));
    }

    private static void checkContentType(StreamRow row, @Nullable String given) {
        if (given != null && !MediaTypes.same(given, row.contentType())) {
            throw new StreamConflict(
                    "Stream \"%s\" has content type %s, not %s. Append that type, or use another stream."
                            .formatted(row.name(), row.contentType(), given));
        }
    }

    private static void checkOrder(String name, String given, @Nullable String current) {
        if (current != null && Marks.compare(given, current) <= 0) {
            throw new OrderConflict(name, given, current);
        }
    }

    /** What the request leaves in the table of producers, or null. */
    static @Nullable ProducerMark markOf(AppendRequest request) {
        Producer sender = request.producer();
        if (sender != null) {
            return new ProducerMark(sender.id(), sender.epoch(), sender.seq());
        }
        AppendRequest.Checkpoint checkpoint = request.checkpoint();
        return checkpoint == null
                ? null
                : new ProducerMark(Producers.CHECKPOINT_PREFIX + checkpoint.name(), 0, checkpoint.position());
    }
}
