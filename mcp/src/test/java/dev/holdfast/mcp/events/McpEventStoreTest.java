package dev.holdfast.mcp.events;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.error.HoldfastException.CursorTooOld;
import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.LimitExceeded;
import dev.holdfast.error.HoldfastException.NotAuthorized;
import dev.holdfast.error.HoldfastException.StreamGone;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.error.HoldfastException.WrongCursor;
import dev.holdfast.stream.Retention;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The event store for those who embed nothing else of this module. */
@Timeout(60)
final class McpEventStoreTest {

    private static final int PAGE_BYTES = 64 << 10;

    @TempDir
    private Path folder;

    private Holdfast holdfast;
    private McpEventStore events;

    @BeforeEach
    void open() {
        holdfast = Holdfast.open(folder);
        events = McpEventStore.of(holdfast);
    }

    @AfterEach
    void close() {
        events.close();
        holdfast.close();
    }

    private void restart() {
        close();
        open();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private List<String> after(String session, String id) {
        List<String> texts = new ArrayList<>();
        EventId last = events.parse(id);
        while (true) {
            EventBatch page = events.readAfter(session, last, PAGE_BYTES);
            page.events().forEach(event -> texts.add(event.text()));
            if (page.upToDate()) {
                return texts;
            }
            last = events.parse(page.events().getLast().id());
        }
    }

    @Test
    void ids_differ_over_all_streams_grow_on_their_own_and_are_understood_without_the_store() {
        Set<String> ids = new HashSet<>();
        for (String stream : List.of("a", "b", "c")) {
            EventLog log = events.open("s", stream);
            long before = -1;
            for (int i = 0; i < 10; i++) {
                String id = log.append(bytes("m" + i));
                assertThat(ids.add(id)).isTrue();
                assertThat(id).matches("[A-Za-z0-9_-]+");
                EventId parsed = events.parse(id);
                assertThat(parsed.stream()).isEqualTo(stream);
                assertThat(parsed.isOf("s")).isTrue();
                assertThat(parsed.isOf("t")).isFalse();
                assertThat(parsed.next().seq()).isGreaterThan(before);
                before = parsed.next().seq();
            }
        }
        holdfast.close();
        ids.forEach(id -> assertThat(events.parse(id).isOf("s")).isTrue());
    }

    @Test
    void replay_is_what_follows_the_id_on_its_stream_and_nothing_of_another() {
        EventLog a = events.open("s", "a");
        EventLog b = events.open("s", "b");
        EventLog other = events.open("t", "a");
        String first = a.append(bytes("a1"));
        b.append(bytes("b1"));
        String second = a.append(bytes("a2"));
        other.append(bytes("t1"));
        a.append(bytes("a3"));

        assertThat(after("s", first)).containsExactly("a2", "a3");
        assertThat(after("s", second)).containsExactly("a3");
    }

    @Test
    void replay_has_no_limit_of_a_thousand_events() {
        EventLog log = events.open("s", "a");
        String first = log.append(bytes("first"));
        List<String> sent = IntStream.range(0, 3_500).mapToObj(i -> "m" + i).toList();
        sent.stream().map(text -> log.appendAsync(bytes(text))).toList().forEach(future -> future.join());
        assertThat(after("s", first)).isEqualTo(sent);
    }

    @Test
    void an_id_with_any_bit_changed_is_refused() {
        String id = events.open("s", "a").append(bytes("m"));
        String alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        for (int i = 0; i < id.length(); i++) {
            for (int bit = 0; bit < 6; bit++) {
                char changed = alphabet.charAt(alphabet.indexOf(id.charAt(i)) ^ (1 << bit));
                String forged = id.substring(0, i) + changed + id.substring(i + 1);
                assertThatThrownBy(() -> events.parse(forged)).isInstanceOf(WrongCursor.class);
            }
        }
        assertThatThrownBy(() -> events.parse(id + "=")).isInstanceOf(WrongCursor.class);
        assertThatThrownBy(() -> events.parse(id.substring(1))).isInstanceOf(WrongCursor.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "x",
                "a:0000000000000001",
                "%00",
                "ä",
                "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
            })
    void what_is_no_id_is_refused(String id) {
        assertThatThrownBy(() -> events.parse(id)).isInstanceOf(WrongCursor.class);
        assertThatThrownBy(() -> events.parse(id.repeat(1000) + "!")).isInstanceOf(WrongCursor.class);
    }

    @Test
    void an_id_of_another_tenant_is_none_here() {
        McpEventStore foreign = McpEventStore.of(holdfast, "other", EventLife.defaults());
        String id = foreign.open("s", "a").append(bytes("m"));
        assertThatThrownBy(() -> events.parse(id)).isInstanceOf(WrongCursor.class);
    }

    @Test
    void an_id_replays_nothing_for_another_session() {
        String id = events.open("s", "a").append(bytes("secret"));
        events.open("t", "a").append(bytes("own"));
        assertThatThrownBy(() -> events.readAfter("t", events.parse(id), PAGE_BYTES))
                .isInstanceOf(NotAuthorized.class);
    }

    @Test
    void a_stream_that_is_unknown_cleared_or_made_anew_is_gone_for_old_ids() {
        EventLog log = events.open("s", "a");
        String id = log.append(bytes("m"));
        assertThat(events.clear("s", "a")).isTrue();
        assertThatThrownBy(() -> after("s", id)).isInstanceOf(StreamNotFound.class);
        assertThatThrownBy(() -> log.append(bytes("n"))).isInstanceOf(StreamNotFound.class);
        events.open("s", "a").append(bytes("new"));
        assertThatThrownBy(() -> after("s", id)).isInstanceOf(StreamGone.class);
        assertThatThrownBy(() -> events.tail("s", "never")).isInstanceOf(StreamNotFound.class);
    }

    @Test
    void clearing_takes_a_stream_of_any_length_or_a_whole_session_and_nothing_else() {
        for (int i = 0; i < 150; i++) {
            events.open("s", "a" + i).append(bytes("m"));
        }
        EventLog kept = events.open("t", "a");
        kept.append(bytes("kept"));
        assertThat(events.clear("s", "nothing")).isFalse();
        assertThat(events.clear("s")).isEqualTo(150);
        assertThat(events.clear("s")).isZero();
        assertThat(events.exists("s", "a7")).isFalse();
        assertThat(events.exists("t", "a")).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a/b", "a b", "ä", "a\nb"})
    void an_id_that_could_be_read_as_another_one_is_refused(String id) {
        assertThatThrownBy(() -> events.open(id, "a")).isInstanceOf(InvalidArgument.class);
        assertThatThrownBy(() -> events.open("s", id)).isInstanceOf(InvalidArgument.class);
        assertThatThrownBy(() -> events.open("s", "x".repeat(McpEventStore.MAX_ID_CHARS + 1)))
                .isInstanceOf(InvalidArgument.class);
    }

    @Test
    void messages_of_any_size_come_back_whole_and_one_that_is_too_large_is_refused() {
        EventLog log = events.open("s", "a");
        String first = log.append(bytes("first"));
        Random random = new Random(7);
        List<String> sent = new ArrayList<>();
        for (int size : List.of(
                0,
                1,
                McpEventStore.PART_BYTES - 1,
                McpEventStore.PART_BYTES,
                McpEventStore.PART_BYTES + 1,
                5 << 20,
                McpEventStore.MAX_EVENT_BYTES)) {
            byte[] message = new byte[size];
            for (int i = 0; i < size; i++) {
                message[i] = (byte) ('a' + random.nextInt(26));
            }
            sent.add(new String(message, UTF_8));
            log.append(message);
        }
        byte[] tooLarge = new byte[McpEventStore.MAX_EVENT_BYTES + 1];
        assertThatThrownBy(() -> log.append(tooLarge)).isInstanceOf(LimitExceeded.class);
        log.append(bytes("last"));
        sent.add("last");
        assertThat(after("s", first)).isEqualTo(sent);
    }

    @Test
    void the_request_of_a_stream_is_kept_and_never_delivered() {
        byte[] request = new byte[3 << 20];
        Arrays.fill(request, (byte) 'r');
        EventLog log = events.begin("s", "a", request, EventLife.defaults());
        assertThat(events.request("s", "a").orElseThrow()).isEqualTo(request);
        log.append(bytes("m"));
        restart();
        assertThat(events.request("s", "a").orElseThrow()).isEqualTo(request);
        try (EventReader reader = events.tail("s", "a")) {
            assertThat(reader.read(PAGE_BYTES).events())
                    .extracting(McpEvent::text)
                    .containsExactly("m");
        }
        events.open("s", "b").append(bytes("m"));
        assertThat(events.request("s", "b")).isEmpty();
    }

    @Test
    void after_a_restart_old_ids_go_on_and_new_ones_follow() {
        String first = events.open("s", "a").append(bytes("one"));
        String second = events.open("s", "a").append(bytes("two"));
        restart();
        String third = events.open("s", "a").append(bytes("three"));
        assertThat(after("s", first)).containsExactly("two", "three");
        assertThat(after("s", second)).containsExactly("three");
        assertThat(events.parse(third).next().seq())
                .isEqualTo(events.parse(second).next().seq() + 1);
    }

    /** NO-SEAM, EVERY-CURSOR: each reader begins somewhere while the stream grows. */
    @Test
    void what_is_stored_and_what_is_still_to_come_are_one_sequence_for_every_position() throws Exception {
        int count = 400;
        EventLog log = events.open("s", "a");
        List<String> ids = new ArrayList<>();
        ids.add(log.append(bytes("0")));
        Random random = new Random(11);
        List<Thread> readers = new ArrayList<>();
        List<String> wrong = java.util.Collections.synchronizedList(new ArrayList<>());
        for (int i = 1; i < count; i++) {
            ids.add(log.append(bytes(Integer.toString(i))));
            if (i % 10 == 0) {
                int from = random.nextInt(ids.size());
                String id = ids.get(from);
                readers.add(Thread.ofVirtual().start(() -> {
                    List<String> seen = new ArrayList<>();
                    try (EventReader tail = events.tail("s", events.parse(id))) {
                        EventBatch batch;
                        do {
                            batch = tail.next(1 + seen.size() % 50);
                            batch.events().forEach(event -> seen.add(event.text()));
                        } while (!batch.ended());
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    List<String> expected = IntStream.range(from + 1, count + 1)
                            .mapToObj(Integer::toString)
                            .toList();
                    if (!seen.equals(expected)) {
                        wrong.add("from " + from + ": " + seen);
                    }
                }));
            }
        }
        log.sendLast(bytes(Integer.toString(count))).join();
        for (Thread reader : readers) {
            reader.join();
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void what_was_trimmed_is_said_to_be_gone_and_what_is_left_is_whole() {
        EventLog log = events.open("s", "a", EventLife.defaults().retaining(Retention.ofBytes(1)));
        String first = log.append(bytes("first"));
        byte[] large = new byte[(600 << 10)];
        Arrays.fill(large, (byte) 'x');
        for (int i = 0; i < 6; i++) {
            log.append(large);
        }
        org.awaitility.Awaitility.await()
                .atMost(java.time.Duration.ofMinutes(2))
                .untilAsserted(() -> assertThatThrownBy(() -> after("s", first)).isInstanceOf(CursorTooOld.class));
        log.append(bytes("last"));
        try (EventReader reader = events.tail("s", "a")) {
            List<McpEvent> left = new ArrayList<>();
            EventBatch batch;
            do {
                batch = reader.read(PAGE_BYTES);
                left.addAll(batch.events());
            } while (!batch.upToDate());
            assertThat(left.getLast().text()).isEqualTo("last");
            assertThat(left.subList(0, left.size() - 1))
                    .allSatisfy(event -> assertThat(event.message().remaining()).isEqualTo(large.length));
        }
    }

    @Test
    void whoever_is_taken_over_writes_no_more() {
        EventLog before = events.begin("s", "a", bytes("request"), EventLife.defaults());
        EventLog now = events.takeOver("s", "a");
        assertThatThrownBy(() -> before.append(bytes("late")))
                .isInstanceOf(dev.holdfast.error.HoldfastException.StaleEpoch.class);
        now.append(bytes("m"));
    }

    @Test
    void who_takes_over_what_is_not_there_is_told_so_and_nothing_is_made() {
        assertThatThrownBy(() -> events.takeOver("s", "a")).isInstanceOf(StreamNotFound.class);
        events.open("s", "a");
        events.clear("s", "a");
        assertThatThrownBy(() -> events.takeOver("s", "a")).isInstanceOf(StreamNotFound.class);
        assertThat(events.exists("s", "a")).isFalse();
    }

    @Test
    void a_closed_store_says_so() {
        events.open("s", "a").append(bytes("m"));
        events.close();
        assertThatThrownBy(() -> events.open("s", "a")).isInstanceOf(dev.holdfast.error.HoldfastException.Closed.class);
    }
}
