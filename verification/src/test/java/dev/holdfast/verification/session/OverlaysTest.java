package dev.holdfast.verification.session;

import static dev.holdfast.verification.session.Opened.append;
import static dev.holdfast.verification.session.Opened.user;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.LimitExceeded;
import dev.holdfast.error.HoldfastException.MessageNotFound;
import dev.holdfast.session.CompactedHistory;
import dev.holdfast.session.FeedEvent;
import dev.holdfast.session.Message;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.session.Overlay;
import dev.holdfast.session.Session;
import dev.holdfast.session.SessionLimits;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Summaries in the place of older messages: they hide nothing from people, nothing on other branches, and are gone with what they stand for. */
final class OverlaysTest {

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

    /** The entries as text: ids of messages, and summaries in brackets with how many messages they stand for. */
    private List<String> read(String leaf) {
        return entries(session.compacted(leaf, SessionLimits.MAX_RECENT_BYTES));
    }

    private static List<String> entries(CompactedHistory history) {
        return history.entries().stream()
                .map(entry -> switch (entry) {
                    case CompactedHistory.Entry.Stored stored ->
                        stored.message().id();
                    case CompactedHistory.Entry.Folded folded ->
                        "[" + folded.overlay().summary() + " " + folded.messages() + "]";
                })
                .toList();
    }

    @Test
    @Tag("S45")
    void a_model_reads_the_summary_and_everyone_else_reads_every_message() {
        append(session, "a", "b", "c", "d", "e");
        Overlay overlay = session.overlays().put("b", "d", "sum");
        assertThat(read("e")).containsExactly("a", "[sum 3]", "e");
        assertThat(session.history().toList()).extracting(Message::id).containsExactly("a", "b", "c", "d", "e");
        assertThat(session.overlays().list()).containsExactly(overlay);
        assertThat(session.feed().read(0, 100))
                .extracting(FeedEvent::detail)
                .contains("holdfast/overlays/000000000001");
        assertThat(session.properties().list("", 10).properties()).isEmpty();
    }

    @Test
    @Tag("S45")
    void a_summary_counts_only_on_the_branches_that_hold_all_it_stands_for() {
        append(session, "a", "b", "c");
        session.append(user("x").under("b"));
        session.overlays().put("b", "c", "of c");
        session.append(user("d").under("c"));
        assertThat(read("d")).containsExactly("a", "[of c 2]", "d");
        assertThat(read("x")).containsExactly("a", "b", "x");
        session.overlays().put("a", "b", "of both");
        assertThat(read("x")).containsExactly("[of both 2]", "x");
        assertThat(read("d")).containsExactly("[of both 2]", "c", "d");
    }

    @Test
    @Tag("S45")
    void the_next_summary_takes_the_place_of_the_one_before_and_deleting_it_brings_that_back() {
        append(session, "a", "b", "c", "d", "e");
        session.overlays().put("b", "c", "first");
        Overlay second = session.overlays().put("b", "d", "second");
        assertThat(read("e")).containsExactly("a", "[second 3]", "e");
        assertThat(session.overlays().delete(second.id())).isTrue();
        assertThat(session.overlays().delete(second.id())).isFalse();
        assertThat(session.overlays().delete("no number")).isFalse();
        assertThat(read("e")).containsExactly("a", "[first 2]", "d", "e");
    }

    @Test
    void a_summary_without_one_of_its_ends_counts_no_more() {
        append(session, "a", "b", "c", "d");
        session.overlays().put("b", "c", "sum");
        session.delete("b");
        assertThat(read("d")).containsExactly("a", "c", "d");
        session.clear();
        assertThat(session.overlays().list()).isEmpty();
    }

    @Test
    void what_is_no_part_of_one_conversation_is_refused_and_so_are_summaries_without_text_or_end() {
        append(session, "a", "b");
        session.append(user("x").under("a"));
        assertThatThrownBy(() -> session.overlays().put("x", "b", "sum"))
                .isInstanceOf(InvalidArgument.class)
                .hasMessageContaining("does not hang below");
        assertThatThrownBy(() -> session.overlays().put("b", "a", "sum")).isInstanceOf(InvalidArgument.class);
        assertThatThrownBy(() -> session.overlays().put("a", "none", "sum")).isInstanceOf(MessageNotFound.class);
        assertThatThrownBy(() -> session.overlays().put("a", "b", " ")).isInstanceOf(InvalidArgument.class);
        assertThatThrownBy(() -> session.overlays().put("a", "b", "x".repeat(SessionLimits.MAX_SUMMARY_BYTES + 1)))
                .isInstanceOf(LimitExceeded.class)
                .hasMessageContaining("MAX_SUMMARY_BYTES");
        assertThat(session.overlays().list()).isEmpty();
    }

    @Test
    void one_more_than_there_may_be_takes_the_place_of_the_oldest() {
        append(session, "a", "b");
        for (int i = 0; i <= SessionLimits.MAX_OVERLAYS; i++) {
            session.overlays().put("a", "b", "sum " + i);
        }
        List<Overlay> overlays = session.overlays().list();
        assertThat(overlays).hasSize(SessionLimits.MAX_OVERLAYS);
        assertThat(overlays.getFirst().summary()).isEqualTo("sum " + SessionLimits.MAX_OVERLAYS);
        assertThat(overlays.getLast().summary()).isEqualTo("sum 1");
    }

    @Test
    void a_summary_is_still_there_after_a_restart_and_gone_with_its_session() {
        append(session, "a", "b", "c");
        Overlay overlay = session.overlays().put("a", "b", "sum");
        opened.close();
        opened = new Opened(folder);
        session = opened.sessions.find("chat").orElseThrow();
        assertThat(session.overlays().list()).containsExactly(overlay);
        assertThat(read("c")).containsExactly("[sum 2]", "c");
        opened.sessions.delete("chat");
        session = opened.sessions.create("chat");
        assertThat(session.overlays().list()).isEmpty();
    }

    @Test
    void the_budget_counts_summaries_and_what_they_stand_for_is_not_read() {
        session.append(MessageDraft.of("a", "user", "x".repeat(1_000)));
        session.append(MessageDraft.of("b", "user", "x".repeat(100_000)));
        session.append(MessageDraft.of("c", "user", "x".repeat(10)));
        session.overlays().put("b", "b", "12345");
        CompactedHistory all = session.compacted("c", 2_000);
        assertThat(entries(all)).containsExactly("a", "[12345 1]", "c");
        assertThat(all.bytes()).isEqualTo(1_015);
        assertThat(all.truncated()).isFalse();
        CompactedHistory some = session.compacted("c", 15);
        assertThat(entries(some)).containsExactly("[12345 1]", "c");
        assertThat(some.truncated()).isTrue();
        assertThat(entries(session.compacted("c", 0))).containsExactly("c");
        assertThat(entries(session.compacted("b", 0))).containsExactly("[12345 1]");
    }

    /** Random trees and overlays, against the plain rule: the newest first, wherever both ends lie on the path and nothing newer is in the way. */
    @RepeatedTest(40)
    void any_overlays_on_any_tree_read_as_the_plain_rule_says(RepetitionInfo repetition) {
        Random random = new Random(repetition.getCurrentRepetition());
        List<List<String>> paths = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            List<String> parent = paths.isEmpty() || random.nextInt(10) == 0
                    ? List.of()
                    : paths.get(random.nextInt(Math.max(0, paths.size() - 4), paths.size()));
            MessageDraft draft = user("m" + i);
            session.append(parent.isEmpty() ? draft.asRoot() : draft.under(parent.getLast()));
            List<String> path = new ArrayList<>(parent);
            path.add("m" + i);
            paths.add(path);
        }
        List<Overlay> overlays = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            List<String> path = paths.get(random.nextInt(paths.size()));
            int from = random.nextInt(path.size());
            int to = random.nextInt(from, path.size());
            overlays.addFirst(session.overlays().put(path.get(from), path.get(to), "o" + i));
        }
        for (List<String> path : paths) {
            assertThat(read(path.getLast()))
                    .as("seed %d", repetition.getCurrentRepetition())
                    .isEqualTo(plain(path, overlays));
        }
    }

    private static List<String> plain(List<String> path, List<Overlay> newestFirst) {
        List<String> read = new ArrayList<>(path);
        Set<String> folded = new HashSet<>();
        for (Overlay overlay : newestFirst) {
            int from = path.indexOf(overlay.from());
            int to = path.indexOf(overlay.to());
            if (from < 0 || to < from || path.subList(from, to + 1).stream().anyMatch(folded::contains)) {
                continue;
            }
            List<String> range = path.subList(from, to + 1);
            folded.addAll(range);
            read.add(read.indexOf(range.getFirst()), "[" + overlay.summary() + " " + range.size() + "]");
            read.removeAll(range);
        }
        return read;
    }
}
