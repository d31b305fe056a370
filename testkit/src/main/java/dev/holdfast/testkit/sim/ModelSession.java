package dev.holdfast.testkit.sim;

import dev.holdfast.store.FeedRow;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What one session should be: lists of messages and events, a map of properties, and its turns. */
final class ModelSession {

    /** A message; the model keeps contents as text. */
    static final class Message {
        final String id;
        final long seq;
        long parent;
        String role;
        String content;

        Message(String id, long seq, long parent, String role, String content) {
            this.id = id;
            this.seq = seq;
            this.parent = parent;
            this.role = role;
            this.content = content;
        }
    }

    record Property(long version, String value) {}

    final String id;

    /** 0 until it was seen on the disk. */
    long key;

    boolean gone;
    final List<Message> messages = new ArrayList<>();
    final Map<String, Property> properties = new TreeMap<>();
    final Map<String, ModelTurn> turns = new LinkedHashMap<>();

    /** Stops that came ahead of their turns, and when they are forgotten. */
    final Map<String, Long> stopsAhead = new TreeMap<>();

    /** Events that the model explains. */
    final List<FeedRow> feed = new ArrayList<>();

    /** Committed events that it has still to explain. */
    final ArrayDeque<FeedRow> unexplained = new ArrayDeque<>();

    ModelSession(String id) {
        this.id = id;
    }

    Optional<Message> message(String messageId) {
        return messages.stream().filter(m -> m.id.equals(messageId)).findFirst();
    }

    @Nullable
    Message leaf() {
        return messages.isEmpty() ? null : messages.getLast();
    }

    /** Adds a message under a parent, or with a null one under the leaf. */
    long add(String messageId, String role, String content, @Nullable Long parent) {
        Message leaf = leaf();
        long leafSeq = leaf == null ? 0 : leaf.seq;
        messages.add(new Message(messageId, leafSeq + 1, parent == null ? leafSeq : parent, role, content));
        return leafSeq + 1;
    }

    /** Adds a message with a number of its own, which may be lower than others. */
    void addAs(long seq, String messageId, String role, String content, long parent) {
        messages.add(new Message(messageId, seq, parent, role, content));
        messages.sort(Comparator.comparingLong(message -> message.seq));
    }

    Optional<Message> numbered(long seq) {
        return messages.stream().filter(m -> m.seq == seq).findFirst();
    }

    /** Deletes a message; its children move to its parent. */
    void delete(Message doomed) {
        messages.remove(doomed);
        messages.stream().filter(m -> m.parent == doomed.seq).forEach(m -> m.parent = doomed.parent);
    }

    Optional<ModelTurn> busyWith() {
        return turns.values().stream().filter(t -> t.parent == null && t.live()).findFirst();
    }
}
