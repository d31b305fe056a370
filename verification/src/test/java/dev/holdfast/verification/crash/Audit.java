package dev.holdfast.verification.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.store.FeedRow;
import dev.holdfast.store.MessageRow;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.StoreReads;
import dev.holdfast.store.StreamRow;
import dev.holdfast.store.TurnRow;
import dev.holdfast.stream.Chunk;
import dev.holdfast.stream.StreamListing;
import dev.holdfast.stream.StreamStatus;
import dev.holdfast.verification.rig.AppTable;
import dev.holdfast.verification.rig.Instance;
import dev.holdfast.verification.rig.Reading;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Looks at a store after a kill, from outside: is everything there that anyone was told, in order and once, and is every conversation either
 * live or finished?
 *
 * <p>It opens the streams without the turns, so that nothing is taken up while it looks.
 */
final class Audit implements AutoCloseable {

    private static final int PAGE = 1000;

    private final Instance instance;
    private final Ledger ledger;
    private final Map<String, Long> messages;
    private final Map<String, StreamStatus> live = new HashMap<>();

    Audit(Path folder, Ledger ledger) {
        this.instance = new Instance(folder);
        this.ledger = ledger;
        this.messages = AppTable.messages(folder);
        StreamListing page = StreamListing.all().limit(1000);
        for (List<StreamStatus> rows = instance.streams().list(page);
                !rows.isEmpty();
                rows = instance.streams().list(page)) {
            rows.forEach(row -> live.put(row.name(), row));
            page = page.after(rows.getLast().position());
        }
    }

    /** All that the store holds, checked. Returns how many streams and turns were looked at. */
    int check() {
        assertThat(ledger.bad).as("complaints of the children").isEmpty();
        Set<String> names = new HashSet<>(ledger.opened);
        names.addAll(messages.keySet());
        live.keySet().stream().filter(name -> name.startsWith("talk")).forEach(names::add);
        names.remove(Workload.ENDLESS);
        names.forEach(this::checkConversation);
        checkEndless();
        ledger.asked.forEach(this::checkTurn);
        ledger.asked.stream().map(Audit::sessionOf).distinct().forEach(this::checkSession);
        return names.size() + ledger.asked.size();
    }

    private void checkConversation(String name) {
        StreamStatus stream = live.get(name);
        Long message = messages.get(name);
        assertThat(stream != null && message != null)
                .as("NEVER-BOTH: %s has a stream and a message", name)
                .isFalse();
        if (ledger.opened.contains(name)) {
            assertThat(stream != null || message != null)
                    .as("NEVER-BOTH: %s was opened and has neither a stream nor a message", name)
                    .isTrue();
        }
        if (ledger.ended.contains(name)) {
            assertThat(message)
                    .as("VISIBLE-IS-DURABLE: the end of %s was told", name)
                    .isNotNull();
        }
        if (message != null) {
            assertThat(message).as("the message of %s is whole", name).isEqualTo(Workload.length(name));
        }
        if (stream != null) {
            checkChunks(name, name, ledger.knownOf(name));
        }
    }

    private void checkEndless() {
        if (ledger.opened.contains(Workload.ENDLESS)) {
            assertThat(live).containsKey(Workload.ENDLESS);
            checkChunks(Workload.ENDLESS, Workload.ENDLESS, ledger.knownOf(Workload.ENDLESS));
        }
    }

    /** That the stream holds at least {@code known} chunks, each the right one at its place. */
    private void checkChunks(String stream, String content, long known) {
        long first = instance.streams().status(stream).orElseThrow().firstSeq();
        List<Chunk> chunks = Reading.all(instance.streams(), stream, first, Reading.MAX_BYTES);
        assertThat(first + chunks.size())
                .as("VISIBLE-IS-DURABLE: %s was acknowledged or seen up to %d", stream, known)
                .isGreaterThanOrEqualTo(known);
        for (Chunk chunk : chunks) {
            assertThat(chunk.toByteArray())
                    .as("EXACT-PREFIX: chunk %d of %s", chunk.seq(), stream)
                    .isEqualTo(Workload.chunk(content, chunk.seq()));
        }
    }

    private static String sessionOf(String asked) {
        return asked.substring(0, asked.indexOf(':'));
    }

    private long keyOf(String session) {
        return instance.store()
                .read(reads -> reads.session("default", session))
                .map(SessionRow::key)
                .orElseThrow();
    }

    /** That each turn that ended left one message and told of its end once, whatever the turn; and that nothing else left any. */
    private void checkSession(String session) {
        long key = keyOf(session);
        List<String> finished = instance.store().read(reads -> turns(reads, key)).stream()
                .filter(turn -> turn.state().isOutcome())
                .map(TurnRow::id)
                .toList();
        assertThat(instance.store().<Long>read(reads -> reads.messageCount(key)))
                .as("NEVER-BOTH: messages of %s, one for each turn that ended", session)
                .isEqualTo(finished.size());
        List<String> told = instance.store().read(reads -> feed(reads, key)).stream()
                .filter(event -> event.kind() == FeedRow.Kind.TURN_ENDED)
                .map(event -> String.valueOf(event.turnId()))
                .toList();
        assertThat(told)
                .as("ONE-OUTCOME: ends of turns in the feed of %s", session)
                .containsExactlyInAnyOrderElementsOf(finished);
    }

    private static List<TurnRow> turns(StoreReads reads, long session) {
        List<TurnRow> turns = new ArrayList<>();
        List<TurnRow> page = reads.turns(session, Long.MAX_VALUE, "", PAGE);
        while (!page.isEmpty()) {
            turns.addAll(page);
            page = reads.turns(
                    session, page.getLast().createdAt(), page.getLast().id(), PAGE);
        }
        return turns;
    }

    private static List<FeedRow> feed(StoreReads reads, long session) {
        List<FeedRow> feed = new ArrayList<>();
        long next = reads.feedFirst(session);
        assertThat(next).as("the feed is whole").isZero();
        for (List<FeedRow> page = reads.feed(session, next, PAGE);
                !page.isEmpty();
                page = reads.feed(session, feed.getLast().seq() + 1, PAGE)) {
            feed.addAll(page);
        }
        return feed;
    }

    private void checkTurn(String asked) {
        String session = sessionOf(asked);
        String id = asked.substring(asked.indexOf(':') + 1);
        long key = keyOf(session);
        Optional<TurnRow> found = instance.store().read(reads -> reads.turn(key, id));
        assertThat(found).as("VISIBLE-IS-DURABLE: turn %s was accepted", id).isPresent();
        TurnRow turn = found.orElseThrow();
        Optional<MessageRow> message = instance.store().read(reads -> reads.message(key, Workload.ANSWER + id));
        long known = ledger.knownOf("turn:" + asked);
        if (turn.state().isOutcome()) {
            assertThat(turn.state()).isEqualTo(TurnRow.State.COMPLETED);
            long seq = message.orElseThrow(() -> new AssertionError("NEVER-BOTH: " + id + " ended without a message"))
                    .seq();
            byte[] content = instance.store().read(reads -> reads.messageContent(key, seq));
            assertThat(content)
                    .as("the message of %s is whole and there once", id)
                    .isEqualTo(Workload.message(id, Workload.length(id)));
            Optional<StreamRow> stream = instance.store().read(reads -> reads.stream(turn.streamKey()));
            assertThat(stream.map(StreamRow::state).filter(state -> state != StreamRow.State.DISCARDED))
                    .as("NEVER-BOTH: %s has a message and a stream", id)
                    .isEmpty();
        } else {
            assertThat(ledger.answered)
                    .as("VISIBLE-IS-DURABLE: the end was told")
                    .doesNotContain(asked);
            assertThat(ledger.ended).as("VISIBLE-IS-DURABLE: the end was seen").doesNotContain("turn:" + asked);
            assertThat(message)
                    .as("NEVER-BOTH: %s is live and has a message", id)
                    .isEmpty();
            checkChunks(String.valueOf(turn.streamName()), id, known);
        }
    }

    @Override
    public void close() {
        instance.close();
    }
}
