package dev.holdfast.testkit.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.cluster.Coordination;
import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.StreamClosed;
import dev.holdfast.session.Attachment;
import dev.holdfast.session.AttachmentDraft;
import dev.holdfast.session.Message;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.session.Overlay;
import dev.holdfast.session.SearchPage;
import dev.holdfast.session.Session;
import dev.holdfast.session.SessionLimits;
import dev.holdfast.stream.ReadBatch;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamListing;
import dev.holdfast.stream.StreamOptions;
import dev.holdfast.stream.StreamReader;
import dev.holdfast.stream.StreamState;
import dev.holdfast.stream.StreamStatus;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.StopResult;
import dev.holdfast.turn.TurnHandle;
import dev.holdfast.turn.TurnRequest;
import dev.holdfast.turn.TurnSettings;
import dev.holdfast.turn.TurnState;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What nodes on every kind of database must do: every node answers every call, whichever node holds the shard, and what was acknowledged is there
 * when nodes come and go. A test class of the database extends this one.
 */
public abstract class ClusterContract {

    @SuppressWarnings("NullAway.Init") // set before each test
    private Nodes nodes;

    protected ClusterContract() {}

    /** One more process's way to a database that is empty at first and has {@link Nodes#SHARDS} shards. */
    protected abstract Coordination open();

    /** Whether hints are given. */
    protected boolean hinted() {
        return true;
    }

    @BeforeEach
    void begin() {
        nodes = new Nodes(this::open);
        nodes.hinted = hinted();
    }

    @AfterEach
    void close() {
        nodes.close();
        closeDatabase();
    }

    /** Closes what {@link #open} opened beside the coordinations, after the nodes are closed. */
    protected void closeDatabase() {}

    @Test
    void streams_of_every_shard_are_written_and_read_from_both_nodes() {
        Holdfast a = nodes.join("a");
        Holdfast b = nodes.join("b");
        for (String name : nodes.names()) {
            StreamWriter atA = a.streams().open(name);
            atA.append("1");
            StreamWriter atB = b.streams().open(name);
            atB.append("2");
            atA.append("3");
            assertThat(text(a, name)).containsExactly("1", "2", "3");
            assertThat(text(b, name)).containsExactly("1", "2", "3");
            assertThat(b.streams().settle(name, Settlement.completed()).settled())
                    .isTrue();
            assertThat(a.streams().status(name).map(StreamStatus::state)).contains(StreamState.COMPLETED);
            assertThatExceptionOfType(StreamClosed.class)
                    .isThrownBy(() -> atA.append("4"))
                    .satisfies(e -> assertThat(e.tail()).isEqualTo(3));
            assertThatExceptionOfType(StreamClosed.class)
                    .isThrownBy(() -> atB.append("4"))
                    .satisfies(e -> assertThat(e.tail()).isEqualTo(3));
        }
        assertThat(a.streams().list(StreamListing.all()))
                .extracting(StreamStatus::name)
                .hasSize(Nodes.SHARDS);
        assertThat(b.streams().list(StreamListing.all()))
                .extracting(StreamStatus::name, StreamStatus::tail)
                .hasSize(Nodes.SHARDS);
    }

    @Test
    void a_reader_on_another_node_follows_to_the_end_although_the_stream_is_discarded_NO_SEAM() throws Exception {
        Holdfast a = nodes.join("a");
        Holdfast b = nodes.join("b");
        nodes.awaitBalance(); // a change of hands would end the readers
        for (String name : nodes.names()) {
            StreamWriter writer = a.streams().open(name);
            try (StreamReader atA = a.streams().tail(name, 0);
                    StreamReader atB = b.streams().tail(name, 0)) {
                for (int i = 0; i < 50; i++) {
                    writer.append("chunk " + i);
                }
                writer.settle(Settlement.completed()
                        .append(List.of("last".getBytes(UTF_8)))
                        .discard());
                assertThat(toTheEnd(atA)).hasSize(51).endsWith("chunk 49", "last");
                assertThat(toTheEnd(atB)).hasSize(51).endsWith("chunk 49", "last");
            }
            assertThat(b.streams().status(name)).isEmpty();
        }
    }

    @Test
    void a_stream_that_is_used_on_another_node_lives_on() {
        Holdfast a = nodes.join("a");
        Holdfast b = nodes.join("b");
        nodes.awaitBalance();
        Duration life = Duration.ofSeconds(2);
        for (String name : nodes.names()) {
            StreamWriter unused = a.streams().open(name, StreamOptions.DEFAULTS.withTimeToLive(life));
        }
        Instant end = Instant.now().plus(life.multipliedBy(3));
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> {
            for (String name : nodes.names()) {
                assertThat(b.streams().read(name, 0, 100).chunks()).isEmpty(); // throws if it is gone
            }
            return Instant.now().isAfter(end);
        });
    }

    @Test
    void sessions_messages_and_properties_are_written_and_read_from_both_nodes() {
        Holdfast a = nodes.join("a");
        Holdfast b = nodes.join("b");
        for (String name : nodes.names()) {
            Session atA = a.sessions().create(name);
            Session atB = b.sessions().create(name);
            atA.append(MessageDraft.of("m1", "user", "hello"));
            atB.append(MessageDraft.of("m2", "assistant", "hi"));
            assertThat(atA.recent(1000).messages()).extracting(Message::text).containsExactly("hello", "hi");
            assertThat(atB.recent(1000).messages()).extracting(Message::text).containsExactly("hello", "hi");
            long version = atB.properties().put("p", "x");
            assertThat(atA.properties().get("p").orElseThrow().version()).isEqualTo(version);
            assertThat(atA.feed().next()).isEqualTo(2).isEqualTo(atB.feed().next());
            Overlay overlay = atB.overlays().put("m1", "m1", "greeting");
            assertThat(atA.overlays().list()).containsExactly(overlay);
            assertThat(atA.overlays().delete(overlay.id())).isTrue();
            assertThat(atB.overlays().delete(overlay.id())).isFalse();
        }
        assertThat(a.sessions().list(100))
                .hasSize(Nodes.SHARDS)
                .isEqualTo(b.sessions().list(100));
        for (String name : nodes.names()) {
            assertThat(b.sessions().delete(name)).isTrue();
            assertThat(a.sessions().find(name)).isEmpty();
        }
    }

    @Test
    void titles_attachments_and_the_search_are_had_from_both_nodes_and_over_all_shards() throws Exception {
        Holdfast a = nodes.join("a");
        Holdfast b = nodes.join("b");
        byte[] large = new byte[SessionLimits.ATTACHMENT_PIECE_BYTES + 1];
        for (String name : nodes.names()) {
            Session atB = b.sessions().create(name);
            atB.title("Title of " + name);
            Attachment small = atB.attachments().put(new AttachmentDraft("image/png", "pic"), stream(new byte[10]));
            Attachment big = atB.attachments().put(new AttachmentDraft("image/png", null), stream(large));
            atB.append(MessageDraft.of("m", "user", "Bread of " + name));

            Session atA = a.sessions().get(name);
            assertThat(atA.info().title()).isEqualTo("Title of " + name);
            assertThat(atA.attachments().find(small.id())).contains(small);
            assertThat(atA.attachments().put(new AttachmentDraft("image/png", null), stream(large)))
                    .isEqualTo(big);
            assertThat(atA.attachments().open(big.id()).readAllBytes()).isEqualTo(large);
        }
        for (Holdfast node : List.of(a, b)) {
            List<String> found = new ArrayList<>();
            String cursor = null;
            do {
                SearchPage page = node.sessions().search("bread", cursor, 1);
                page.hits().forEach(hit -> found.add(hit.sessionId()));
                cursor = page.next();
            } while (cursor != null);
            assertThat(found).containsExactlyInAnyOrderElementsOf(nodes.names());
        }
    }

    private static InputStream stream(byte[] bytes) {
        return new ByteArrayInputStream(bytes);
    }

    @Test
    void a_turn_is_started_watched_and_stopped_from_whatever_node_DISCONNECT_IS_NOT_STOP() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        TurnSettings turns = TurnSettings.defaults()
                .withAgent("echo", turn -> {
                    turn.emit("hello ".getBytes(UTF_8));
                    turn.emit("world".getBytes(UTF_8));
                    return AgentResult.completed();
                })
                .withAgent("slow", turn -> {
                    turn.emit("partial".getBytes(UTF_8));
                    never.await();
                    return AgentResult.completed();
                });
        Holdfast a = nodes.join("a", HoldfastSettings.defaults().withTurns(turns));
        Holdfast b = nodes.join("b", HoldfastSettings.defaults().withTurns(turns));
        nodes.awaitBalance(); // nor would the futures of turns outlive a change of hands
        for (String name : nodes.names()) {
            for (Holdfast starting : List.of(a, b)) {
                Session session = starting.sessions().create(name);
                String id = "turn-" + System.identityHashCode(starting);
                TurnHandle echo = starting.turns()
                        .start(name, TurnRequest.answer(id, "echo", MessageDraft.of("q" + id, "user", "say it")));
                assertThat(echo.await().state()).isEqualTo(TurnState.COMPLETED);
                assertThat(session.message(echo.status().messageId())
                                .orElseThrow()
                                .text())
                        .isEqualTo("hello world");
                TurnHandle slow = starting.turns().start(name, TurnRequest.of("slow" + id, "slow"));
                try (StreamReader reader =
                        b.streams().tail(Objects.requireNonNull(slow.status().streamName()), 0)) {
                    assertThat(reader.next(1000).chunks()).hasSize(1);
                }
                Holdfast other = starting == a ? b : a;
                StopResult stopped = other.turns().stop(name, "slow" + id, "enough");
                assertThat(stopped.accepted()).isTrue();
                assertThat(slow.await().state()).isEqualTo(TurnState.STOPPED);
                assertThat(other.sessions()
                                .get(name)
                                .message(slow.status().messageId())
                                .orElseThrow()
                                .text())
                        .isEqualTo("partial");
            }
        }
    }

    @Test
    void a_callback_cannot_be_sent_and_the_error_says_what_to_do() {
        Holdfast a = nodes.join("a");
        Holdfast b = nodes.join("b");
        List<Throwable> refusals = new ArrayList<>();
        for (String name : nodes.names()) {
            a.streams().open(name);
            for (Holdfast node : List.of(a, b)) {
                try {
                    node.streams().settle(name, Settlement.completed().commit(handle -> {}));
                } catch (InvalidArgument e) {
                    refusals.add(e);
                }
            }
        }
        assertThat(refusals)
                .isNotEmpty()
                .allSatisfy(e -> assertThat(e).hasMessageContaining("TurnSettings.withCommit"));
    }

    @Test
    void what_was_acknowledged_by_a_node_that_left_is_there_and_goes_on_EXACT_PREFIX() {
        Holdfast a = nodes.join("a");
        List<StreamWriter> writers =
                nodes.names().stream().map(name -> a.streams().open(name)).toList();
        writers.forEach(writer -> writer.append("before"));
        Holdfast b = nodes.join("b");
        writers.forEach(
                writer -> writer.append("between")); // the writers that a opened go on, wherever their shards are
        for (String name : nodes.names()) {
            assertThat(text(b, name)).containsExactly("before", "between");
        }
        List<StreamWriter> atB =
                nodes.names().stream().map(name -> b.streams().open(name)).toList();
        a.close();
        atB.forEach(writer -> writer.append("after"));
        for (String name : nodes.names()) {
            assertThat(text(b, name)).containsExactly("before", "between", "after");
        }
    }

    public static List<String> text(Holdfast node, String name) {
        return node.streams().read(name, 0, 1 << 20).chunks().stream()
                .map(chunk -> new String(chunk.toByteArray(), UTF_8))
                .toList();
    }

    public static List<String> toTheEnd(StreamReader reader) throws InterruptedException {
        List<String> all = new ArrayList<>();
        ReadBatch batch;
        do {
            batch = reader.next(1000);
            batch.chunks().forEach(chunk -> all.add(new String(chunk.toByteArray(), UTF_8)));
        } while (!batch.ended());
        return all;
    }
}
