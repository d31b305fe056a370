package dev.holdfast.session;

import dev.holdfast.store.MessageRow;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.StoreReads;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A path from its root. A path can only be walked from its end, so the first window notes the numbers of all its messages, eight bytes
 * each; contents are read a window at a time.
 */
final class RootFirst extends History {

    private final Session session;
    private final @Nullable String leafId;
    private long @Nullable [] path;
    private int at;

    /** The number of the message read last, 0 before the first. */
    private long previous;

    private @Nullable String previousId;

    RootFirst(Session session, @Nullable String leafId) {
        this.session = session;
        this.leafId = leafId;
    }

    @Override
    List<Message> readWindow() {
        return session.read(this::read);
    }

    private List<Message> read(StoreReads reads, SessionRow row) {
        long[] numbers = path;
        if (numbers == null) {
            numbers = end(reads, row)
                    .map(leaf -> MessagePath.numbers(reads, row, leaf))
                    .orElseGet(() -> new long[0]);
            path = numbers;
        }
        List<Message> window = new ArrayList<>();
        Budget budget = new Budget();
        while (at < numbers.length) {
            Optional<MessageRow> found = reads.message(row.key(), numbers[at]);
            if (found.isPresent() && continues(reads, row, found.get(), numbers)) {
                MessageRow message = found.get();
                if (!budget.take(message.bytes())) {
                    break;
                }
                window.add(MessagePath.message(reads, message, parentId(reads, message)));
                previous = message.seq();
                previousId = message.id();
            }
            at++;
        }
        return window;
    }

    private Optional<MessageRow> end(StoreReads reads, SessionRow row) {
        return leafId == null ? reads.activeLeaf(row.key()) : Optional.of(Session.require(reads, row, leafId));
    }

    /** Whether this message goes on where the last one ended, although messages may have been deleted since and numbers given anew. */
    private boolean continues(StoreReads reads, SessionRow row, MessageRow next, long[] numbers) {
        if (previous == 0) {
            return true;
        }
        boolean previousThere = reads.message(row.key(), previous)
                .filter(message -> message.id().equals(previousId))
                .isPresent();
        return previousThere
                ? next.parentSeq() == previous
                : next.parentSeq() == 0 || Arrays.binarySearch(numbers, 0, at, next.parentSeq()) >= 0;
    }

    private @Nullable String parentId(StoreReads reads, MessageRow message) {
        return message.parentSeq() == previous ? previousId : MessagePath.parentId(reads, message);
    }
}
