package dev.holdfast.verification.session;

import static dev.holdfast.verification.session.Opened.append;
import static dev.holdfast.verification.session.Opened.user;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.LimitExceeded;
import dev.holdfast.error.HoldfastException.MessageNotFound;
import dev.holdfast.session.FeedEvent;
import dev.holdfast.session.History;
import dev.holdfast.session.Message;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.session.MessageInfo;
import dev.holdfast.session.PutResult;
import dev.holdfast.session.Session;
import dev.holdfast.session.SessionLimits;
import dev.holdfast.store.FeedRow.Kind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class MessagesTest {

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
    void a_message_goes_under_the_active_leaf_unless_told_otherwise_S38() {
        append(session, "a", "b", "c");
        assertThat(ids(session.history())).containsExactly("a", "b", "c");
        assertThat(session.leaf().orElseThrow().parentId()).contains("b");
    }

    @Test
    void a_message_under_an_older_one_begins_a_branch_and_is_the_active_leaf_S38() {
        append(session, "a", "b", "c");
        session.append(user("d").under("a"));
        assertThat(ids(session.history())).containsExactly("a", "d");
        assertThat(ids(session.history("c"))).containsExactly("a", "b", "c");
        assertThat(session.children("a", 10)).extracting(MessageInfo::id).containsExactly("b", "d");
        append(session, "e");
        assertThat(ids(session.history())).containsExactly("a", "d", "e");
    }

    @Test
    void a_root_begins_a_tree_of_its_own_S38() {
        append(session, "a", "b");
        session.append(user("c").asRoot());
        assertThat(ids(session.history())).containsExactly("c");
        assertThat(session.roots(10)).extracting(MessageInfo::id).containsExactly("a", "c");
        assertThat(session.message("c").orElseThrow().parentId()).isEmpty();
    }

    @Test
    void a_parent_that_the_session_does_not_have_is_refused_and_nothing_is_written_S38() {
        append(opened.sessions.create("other"), "x");
        opened.store.takeWrites();
        assertThatThrownBy(() -> session.append(user("a").under("x"))).isInstanceOf(MessageNotFound.class);
        assertThatThrownBy(() -> session.append(user("a").under("a"))).isInstanceOf(MessageNotFound.class);
        assertThat(opened.store.takeWrites()).isEmpty();
        assertThat(session.count()).isZero();
    }

    @Test
    void two_sessions_can_have_messages_of_the_same_id_S38() {
        Session other = opened.sessions.create("other");
        session.append(MessageDraft.of("a", "user", "one"));
        other.append(MessageDraft.of("a", "user", "two"));
        assertThat(session.message("a").orElseThrow().text()).isEqualTo("one");
        assertThat(other.message("a").orElseThrow().text()).isEqualTo("two");
    }

    @Test
    void appending_an_id_again_keeps_the_stored_message_and_writes_nothing_S39() {
        PutResult first = session.append(MessageDraft.of("a", "user", "one"));
        opened.store.takeWrites();
        PutResult again = session.append(MessageDraft.of("a", "user", "two").asRoot());
        assertThat(first.inserted()).isTrue();
        assertThat(again.unchanged()).isTrue();
        assertThat(again.seq()).isEqualTo(first.seq());
        assertThat(session.message("a").orElseThrow().text()).isEqualTo("one");
        assertThat(opened.store.takeWrites()).isEmpty();
    }

    @Test
    void an_upsert_of_the_same_content_writes_no_row_and_no_event_S39() {
        session.upsert(user("a"));
        opened.store.takeWrites();
        opened.time.advance(Duration.ofSeconds(1));
        assertThat(session.upsert(user("a")).unchanged()).isTrue();
        assertThat(opened.store.takeWrites()).isEmpty();
        assertThat(kinds()).containsExactly(Kind.MESSAGE_ADDED);
    }

    @Test
    void an_upsert_of_other_content_writes_one_message_one_event_and_the_time_of_activity_S39() {
        append(session, "a", "b");
        opened.store.takeWrites();
        opened.time.advance(Duration.ofSeconds(1));
        assertThat(session.upsert(MessageDraft.of("a", "user", "changed").inTurn("t"))
                        .updated())
                .isTrue();
        assertThat(opened.store.takeWrites())
                .containsExactly("updateMessage", "putWords", "appendFeed", "updateSession");
        Message changed = session.message("a").orElseThrow();
        assertThat(changed.text()).isEqualTo("changed");
        assertThat(changed.updatedAt()).isEqualTo(changed.createdAt().plusSeconds(1));
        assertThat(ids(session.history())).containsExactly("a", "b");
        FeedEvent event = session.feed().read(0, 10).getLast();
        assertThat(event.kind()).isEqualTo(Kind.MESSAGE_UPDATED);
        assertThat(event.messageId()).contains("a");
        assertThat(event.turnId()).contains("t");
    }

    @Test
    void an_upsert_of_another_role_is_a_change() {
        session.upsert(MessageDraft.of("a", "user", "x"));
        assertThat(session.upsert(MessageDraft.of("a", "system", "x")).updated())
                .isTrue();
        assertThat(session.message("a").orElseThrow().role()).isEqualTo("system");
    }

    @Test
    void children_of_a_deleted_message_move_to_its_parent_S40() {
        append(session, "a", "b", "c");
        session.append(user("d").under("b"));
        assertThat(session.delete("b")).isTrue();
        assertThat(ids(session.history("c"))).containsExactly("a", "c");
        assertThat(ids(session.history())).containsExactly("a", "d");
        assertThat(session.message("b")).isEmpty();
    }

    @Test
    void children_of_a_deleted_root_become_roots_S40() {
        append(session, "a", "b", "c");
        session.delete("a");
        assertThat(ids(session.history())).containsExactly("b", "c");
        assertThat(session.roots(10)).extracting(MessageInfo::id).containsExactly("b");
    }

    @Test
    void when_the_active_leaf_is_deleted_the_newest_message_left_takes_its_place_S40() {
        append(session, "a", "b", "c");
        session.append(user("d").under("a"));
        session.delete("d");
        assertThat(session.leaf().orElseThrow().id()).isEqualTo("c");
        append(session, "e");
        assertThat(ids(session.history())).containsExactly("a", "b", "c", "e");
    }

    @Test
    void messages_deleted_together_leave_their_children_to_the_nearest_ancestor_that_stays_S40() {
        append(session, "a", "b", "c", "d", "e", "f");
        session.append(user("g").under("c"));
        assertThat(session.delete(List.of("e", "c", "b", "unknown", "c"))).isEqualTo(3);
        assertThat(ids(session.history("f"))).containsExactly("a", "d", "f");
        assertThat(ids(session.history("g"))).containsExactly("a", "g");
        assertThat(kinds().subList(7, 10)).containsOnly(Kind.MESSAGE_DELETED);
        assertThat(session.feed().read(7, 10)).extracting(FeedEvent::message).containsExactly("b", "c", "e");
    }

    @Test
    void deleting_unknown_messages_writes_nothing() {
        append(session, "a");
        opened.store.takeWrites();
        assertThat(session.delete("b")).isFalse();
        assertThat(opened.store.takeWrites()).isEmpty();
    }

    @Test
    void clearing_deletes_all_branches_with_one_event_and_the_next_message_is_a_root_S40() {
        append(session, "a", "b");
        session.append(user("c").asRoot());
        assertThat(session.clear()).isEqualTo(3);
        assertThat(session.clear()).isZero();
        assertThat(session.count()).isZero();
        assertThat(session.leaf()).isEmpty();
        assertThat(kinds().subList(3, 4)).containsExactly(Kind.MESSAGES_CLEARED);
        append(session, "a");
        assertThat(session.leaf().orElseThrow().parentId()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 1_468_006, 1_677_722, 5 << 20, 32 << 20})
    void a_message_of_any_size_comes_back_byte_for_byte_S41(int bytes) {
        byte[] content = text(bytes);
        session.append(MessageDraft.of("a", "user", content));
        assertThat(session.message("a").orElseThrow().content()).isEqualTo(content);
        assertThat(session.recent(0).messages().getFirst().content()).isEqualTo(content);
    }

    @Test
    void a_large_message_shrinks_and_grows_again_without_a_trace_S41() {
        for (int bytes : new int[] {5 << 20, 100, 4 << 20, 0}) {
            session.upsert(MessageDraft.of("a", "user", text(bytes)));
            assertThat(session.message("a").orElseThrow().content()).isEqualTo(text(bytes));
            assertThat(session.roots(1).getFirst().bytes()).isEqualTo(bytes);
        }
    }

    @Test
    void a_message_beyond_the_limit_is_refused_by_the_limits_name() {
        opened.close();
        opened = new Opened(folder, SessionLimits.defaults().withMaxMessageBytes(10));
        Session small = opened.sessions.get("chat");
        small.append(MessageDraft.of("a", "user", new byte[10]));
        assertThatThrownBy(() -> small.append(MessageDraft.of("b", "user", new byte[11])))
                .isInstanceOfSatisfying(LimitExceeded.class, e -> {
                    assertThat(e.limit()).isEqualTo("MAX_MESSAGE_BYTES");
                    assertThat(e.allowed()).isEqualTo(10);
                    assertThat(e.actual()).isEqualTo(11);
                });
        assertThatThrownBy(() -> small.upsert(MessageDraft.of("a", "user", new byte[11])))
                .isInstanceOf(LimitExceeded.class);
        assertThat(SessionLimits.MAX_MESSAGE_BYTES).isEqualTo(256 * 1024 * 1024);
    }

    @Test
    void ids_that_are_no_names_are_refused() {
        assertThatThrownBy(() -> user("")).isInstanceOf(InvalidArgument.class);
        assertThatThrownBy(() -> user("a\u0000")).isInstanceOf(InvalidArgument.class);
        assertThatThrownBy(() -> user("\uD800")).isInstanceOf(InvalidArgument.class);
        assertThatThrownBy(() -> user("x".repeat(257))).isInstanceOf(LimitExceeded.class);
        assertThatThrownBy(() -> MessageDraft.of("a", "", "x")).isInstanceOf(InvalidArgument.class);
        assertThatThrownBy(() -> user("a").under("")).isInstanceOf(InvalidArgument.class);
        assertThatThrownBy(() -> opened.sessions.create("\n")).isInstanceOf(InvalidArgument.class);
    }

    private static byte[] text(int bytes) {
        byte[] content = new byte[bytes];
        byte[] clef = {(byte) 0xF0, (byte) 0x9D, (byte) 0x84, (byte) 0x9E};
        for (int i = 0; i < bytes; i++) { // characters of four bytes lie across every boundary
            content[i] = i + 4 - i % 4 <= bytes ? clef[i % 4] : (byte) 'x';
        }
        return content;
    }

    private List<Kind> kinds() {
        return session.feed().read(0, 1000).stream().map(FeedEvent::kind).toList();
    }

    private static List<String> ids(History history) {
        return history.toList().stream().map(Message::id).toList();
    }
}
