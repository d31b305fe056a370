package dev.holdfast.verification.sessionclient;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.client.SessionListener;
import dev.holdfast.client.WatchEnd;
import dev.holdfast.client.message.MessageJson;
import dev.holdfast.client.message.ServerMessage.Attached;
import dev.holdfast.client.message.SessionEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a client has of one session, held against what it may be: the feed without a gap, the chunks of each stream without one. Thread-safe. */
final class Followed implements SessionListener {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final List<SessionEvent> events = new ArrayList<>(); // guarded by this
    private final Map<String, Long> chunks = new HashMap<>(); // guarded by this; of each turn, the next number
    private @Nullable WatchEnd end; // guarded by this
    private int attaches; // guarded by this
    private int snapshots; // guarded by this
    private final List<String> wrong = new ArrayList<>(); // guarded by this

    @Override
    public synchronized void attached(Attached attached) {
        attaches++;
        notifyAll();
        if (attached.answer() == Attached.Answer.SNAPSHOT) {
            snapshots++;
            events.clear();
            chunks.clear();
        }
    }

    @Override
    public synchronized void events(List<SessionEvent> frame, String cursor) {
        frame.forEach(this::take);
        notifyAll();
    }

    private void take(SessionEvent event) {
        if (event instanceof SessionEvent.StreamOpened opened) {
            chunks.put(opened.turn(), 0L);
        } else if (event instanceof SessionEvent.Chunk chunk) {
            Long expected = chunks.get(chunk.turn());
            Long seq = chunk.seq();
            if (seq != null && expected != null && !seq.equals(expected)) {
                wrong.add("chunk %d of %s where %d was expected".formatted(seq, chunk.turn(), expected));
            }
            chunks.put(chunk.turn(), seq == null ? -1 : seq + 1);
        } else {
            long seq = seq(event);
            Optional<Long> before = feed().reduce((first, second) -> second);
            if (before.isPresent() && seq != before.get() + 1) {
                wrong.add("event %d behind %d".formatted(seq, before.get()));
            }
        }
        events.add(event);
    }

    @Override
    public synchronized void ended(WatchEnd why) {
        end = why;
        notifyAll();
    }

    private Stream<Long> feed() {
        return events.stream()
                .filter(event -> !(event instanceof SessionEvent.Chunk || event instanceof SessionEvent.StreamOpened))
                .map(Followed::seq);
    }

    /** The number of an event in the session's feed. */
    private static long seq(SessionEvent event) {
        return MessageJson.tree(MessageJson.writeValue(event)).path("seq").asLong(-1);
    }

    /** The numbers of the events in the session's feed, as they came. */
    synchronized List<Long> feedNumbers() {
        assertThat(wrong).isEmpty();
        return feed().toList();
    }

    synchronized Optional<WatchEnd> end() {
        return Optional.ofNullable(end);
    }

    synchronized int attaches() {
        return attaches;
    }

    synchronized int snapshots() {
        return snapshots;
    }

    /** Pieces of text of a turn, since its stream was opened last. */
    synchronized List<String> pieces(String turn) {
        List<String> pieces = new ArrayList<>();
        for (SessionEvent event : events) {
            if (event instanceof SessionEvent.StreamOpened opened
                    && opened.turn().equals(turn)) {
                pieces.clear();
            } else if (event instanceof SessionEvent.Chunk chunk
                    && chunk.turn().equals(turn)
                    && chunk.data().path("type").asString("").equals("text-delta")) {
                pieces.add(chunk.data().path("delta").asString(""));
            }
        }
        return pieces;
    }

    synchronized Optional<SessionEvent.TurnEnded> outcome(String turn) {
        return events.stream()
                .filter(SessionEvent.TurnEnded.class::isInstance)
                .map(SessionEvent.TurnEnded.class::cast)
                .filter(ended -> ended.turn().equals(turn))
                .findFirst();
    }

    /** The text of a turn's message, as the last event that has it says. */
    synchronized Optional<String> message(String turn) {
        return events.reversed().stream()
                .flatMap(event -> switch (event) {
                    case SessionEvent.MessageAdded added
                    when turn.equals(added.turn()) -> Optional.ofNullable(added.message()).stream();
                    case SessionEvent.MessageUpdated updated
                    when turn.equals(updated.turn()) -> Optional.ofNullable(updated.message()).stream();
                    default -> Stream.empty();
                })
                .filter(message -> message.role().equals("assistant"))
                .map(message -> {
                    StringBuilder text = new StringBuilder();
                    message.content()
                            .path("parts")
                            .forEach(part -> text.append(part.path("text").asString("")));
                    return text.toString();
                })
                .findFirst();
    }

    /** Waits until something holds of it, which is looked at whenever something comes. */
    synchronized void await(BooleanSupplier condition) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            long left = (end - System.nanoTime()) / 1_000_000;
            assertThat(left)
                    .as("milliseconds left to wait, with %s of %s", events.size(), attaches)
                    .isPositive();
            try {
                wait(left);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    void awaitAttached() {
        await(() -> attaches() > 0);
    }

    void awaitPieces(String turn, int count) {
        await(() -> pieces(turn).size() >= count || outcome(turn).isPresent());
    }

    SessionEvent.TurnEnded awaitOutcome(String turn) {
        await(() -> outcome(turn).isPresent());
        return outcome(turn).orElseThrow();
    }
}
