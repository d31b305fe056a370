package dev.holdfast.verification.session;

import static dev.holdfast.verification.session.Opened.append;
import static dev.holdfast.verification.session.Opened.user;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.MessageNotFound;
import dev.holdfast.session.History;
import dev.holdfast.session.Message;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.session.RecentHistory;
import dev.holdfast.session.Session;
import dev.holdfast.session.SessionLimits;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** BOUNDED: a conversation of any length is read in windows. */
final class HistoryTest {

    private static final int DEEP = 10_001;

    @TempDir
    Path folder;

    private Opened opened;
    private Session session;

    @BeforeEach
    void open() {
        opened = new Opened(folder);
        session = opened.sessions.create("chat");
    }

    @AfterEach
    void close() {
        opened.close();
    }

    @Test
    void an_empty_session_has_an_empty_history() {
        assertThat(session.history().nextWindow()).isEmpty();
        assertThat(session.newestFirst().hasNext()).isFalse();
        assertThat(session.recent(100)).isEqualTo(new RecentHistory(List.of(), false, 0));
    }

    @Test
    void the_history_of_a_message_that_is_not_there_is_refused() {
        assertThatThrownBy(() -> session.history("a").hasNext()).isInstanceOf(MessageNotFound.class);
        assertThatThrownBy(() -> session.newestFirst("a").hasNext()).isInstanceOf(MessageNotFound.class);
        assertThatThrownBy(() -> session.recent("a", 10)).isInstanceOf(MessageNotFound.class);
    }

    @Test
    void a_window_ends_with_its_fiftieth_message_S42() {
        appendMany(120);
        for (History history : List.of(session.history(), session.newestFirst())) {
            assertThat(windowSizes(history)).containsExactly(50, 50, 20);
        }
    }

    @Test
    void a_window_ends_before_the_message_that_exceeds_its_bytes_and_a_larger_one_is_a_window_by_itself_S42() {
        int half = (int) SessionLimits.MAX_WINDOW_BYTES / 2;
        appendSized(half, half, 1, 3 * half, 1);
        assertThat(windowSizes(session.history())).containsExactly(2, 1, 1, 1);
        assertThat(windowSizes(session.newestFirst())).containsExactly(1, 1, 2, 1);
    }

    @Test
    void each_message_names_its_parent_in_either_direction() {
        appendMany(120);
        List<Message> rootFirst = session.history().toList();
        for (int i = 1; i < rootFirst.size(); i++) {
            assertThat(rootFirst.get(i).parent()).isEqualTo(rootFirst.get(i - 1).id());
        }
        List<Message> newestFirst = session.newestFirst().toList();
        assertThat(newestFirst.reversed()).usingRecursiveComparison().isEqualTo(rootFirst);
        assertThat(rootFirst.getFirst().parentId()).isEmpty();
    }

    @Test
    void newest_first_reads_only_what_is_asked_of_it_S42() {
        appendMany(200);
        opened.store.takeReads();
        assertThat(session.newestFirst().nextWindow()).hasSize(50);
        List<String> reads = opened.store.takeReads();
        assertThat(reads).filteredOn("messageContent"::equals).hasSize(50);
        assertThat(reads).filteredOn("ancestors"::equals).hasSize(1);
    }

    @Test
    void a_path_of_10_001_messages_is_read_in_both_directions_and_spliced_S42() {
        opened.command(scope -> {
            for (int i = 0; i < DEEP; i++) {
                opened.engine.put(scope, opened.row(scope, session), MessageDraft.of("m" + i, "user", "x"));
            }
            return true;
        });
        List<String> expected = IntStream.range(0, DEEP).mapToObj(i -> "m" + i).toList();
        assertThat(ids(session.history())).isEqualTo(expected);
        assertThat(ids(session.newestFirst())).isEqualTo(expected.reversed());
        assertThat(session.recent(DEEP - 2)).satisfies(recent -> {
            assertThat(recent.truncated()).isTrue();
            assertThat(recent.bytes()).isEqualTo(DEEP - 2);
            assertThat(recent.messages().getFirst().parent()).isEqualTo("m1");
        });
        session.delete(List.of("m5000", "m5001", "m0"));
        assertThat(session.message("m5002").orElseThrow().parent()).isEqualTo("m4999");
        assertThat(ids(session.history())).hasSize(DEEP - 3);
        assertThat(session.clear()).isEqualTo(DEEP - 3);
    }

    @Test
    void messages_deleted_between_two_windows_are_left_out() {
        appendMany(120);
        History rootFirst = session.history();
        History newestFirst = session.newestFirst();
        rootFirst.nextWindow();
        newestFirst.nextWindow();
        session.delete(List.of("m49", "m50", "m60", "m69", "m70"));
        List<String> left =
                new ArrayList<>(IntStream.range(51, 120).mapToObj(i -> "m" + i).toList());
        left.removeAll(List.of("m60", "m69", "m70"));
        assertThat(ids(rootFirst)).isEqualTo(left);
        List<String> older =
                new ArrayList<>(IntStream.range(0, 70).mapToObj(i -> "m" + i).toList());
        older.removeAll(List.of("m49", "m50", "m60", "m69"));
        assertThat(ids(newestFirst)).isEqualTo(older.reversed());
    }

    @Test
    void a_history_does_not_stray_to_messages_that_took_the_numbers_of_deleted_ones() {
        appendMany(60);
        History rootFirst = session.history();
        History newestFirst = session.newestFirst();
        rootFirst.nextWindow();
        newestFirst.nextWindow();
        session.clear();
        for (int i = 0; i < 60; i++) {
            session.append(MessageDraft.of("other" + i, "user", "y").asRoot());
        }
        assertThat(ids(rootFirst)).isEmpty();
        assertThatThrownBy(newestFirst::nextWindow).isInstanceOf(MessageNotFound.class);
    }

    @Test
    void a_newest_first_history_goes_on_although_the_message_it_read_last_was_deleted_with_the_end_of_the_path() {
        appendMany(60);
        History newestFirst = session.newestFirst();
        newestFirst.nextWindow();
        session.delete(IntStream.range(10, 60).mapToObj(i -> "m" + i).toList());
        append(session, "later");
        assertThat(ids(newestFirst)).hasSize(10).startsWith("m9");
    }

    @Test
    void a_message_added_later_is_not_part_of_a_history_that_has_begun() {
        appendMany(60);
        History history = session.history();
        history.nextWindow();
        append(session, "later");
        assertThat(ids(history)).doesNotContain("later").hasSize(10);
    }

    @Test
    void the_recent_history_is_the_longest_end_of_the_path_that_fits_S43() {
        appendSized(10, 20, 30, 40);
        assertThat(session.recent(69)).satisfies(r -> assertThat(idsOf(r)).containsExactly("s3"));
        assertThat(session.recent(70)).satisfies(r -> {
            assertThat(idsOf(r)).containsExactly("s2", "s3");
            assertThat(r.truncated()).isTrue();
            assertThat(r.bytes()).isEqualTo(70);
            assertThat(r.messages().getFirst().parentId()).contains("s1");
        });
        assertThat(session.recent(100)).satisfies(r -> {
            assertThat(idsOf(r)).containsExactly("s0", "s1", "s2", "s3");
            assertThat(r.truncated()).isFalse();
        });
        assertThat(idsOf(session.recent("s1", 20))).containsExactly("s1");
    }

    @Test
    void the_recent_history_holds_the_leaf_whatever_its_size_S43() {
        appendSized(10, 1000);
        assertThat(session.recent(0)).satisfies(r -> {
            assertThat(idsOf(r)).containsExactly("s1");
            assertThat(r.truncated()).isTrue();
        });
    }

    @Test
    void a_recent_history_beyond_the_limit_is_refused() {
        assertThatThrownBy(() -> session.recent(SessionLimits.MAX_RECENT_BYTES + 1))
                .isInstanceOf(InvalidArgument.class);
        assertThatThrownBy(() -> session.recent(-1)).isInstanceOf(InvalidArgument.class);
    }

    private void appendMany(int count) {
        IntStream.range(0, count).forEach(i -> session.append(user("m" + i)));
    }

    private void appendSized(int... sizes) {
        for (int i = 0; i < sizes.length; i++) {
            session.append(MessageDraft.of("s" + i, "user", new byte[sizes[i]]));
        }
    }

    private static List<Integer> windowSizes(History history) {
        List<Integer> sizes = new ArrayList<>();
        for (List<Message> window = history.nextWindow(); !window.isEmpty(); window = history.nextWindow()) {
            sizes.add(window.size());
        }
        return sizes;
    }

    private static List<String> ids(History history) {
        return history.toList().stream().map(Message::id).toList();
    }

    private static List<String> idsOf(RecentHistory recent) {
        return recent.messages().stream().map(Message::id).toList();
    }
}
