package dev.holdfast.verification.session;

import static dev.holdfast.verification.session.Opened.user;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.error.HoldfastException.LimitExceeded;
import dev.holdfast.session.History;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.session.RecentHistory;
import dev.holdfast.session.Session;
import dev.holdfast.session.SessionLimits;
import dev.holdfast.store.MessageRow;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** The limits of sessions that only many rows reach: what is within passes, the next is refused and changes nothing (BOUNDED). */
final class LimitsTest {

    private static final int ROWS_PER_COMMIT = 10_000;
    private static final byte[] NOTHING = {};

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

    /** Where a message hangs, by its number. */
    @FunctionalInterface
    private interface Parents {
        long parentOf(long seq);
    }

    /** Puts empty messages with the numbers {@code from} to {@code to} into the store itself; through the API it would take minutes. */
    private void insert(long from, long to, Parents parents) {
        long key = opened.command(scope -> opened.row(scope, session).key());
        for (long first = from; first <= to; first += ROWS_PER_COMMIT) {
            long begin = first;
            long end = Math.min(to, first + ROWS_PER_COMMIT - 1);
            Boolean unused = opened.command(scope -> {
                for (long seq = begin; seq <= end; seq++) {
                    scope.writes()
                            .insertMessage(
                                    new MessageRow(key, seq, "m" + seq, parents.parentOf(seq), "user", 0, 1, 1),
                                    NOTHING);
                }
                return true;
            });
        }
    }

    private static LimitExceeded refused(Runnable call) {
        return catchThrowableOfType(LimitExceeded.class, call::run);
    }

    @Test
    void the_limit_MAX_DELETED_MESSAGES_bounds_one_deletion() {
        int most = SessionLimits.MAX_DELETED_MESSAGES;
        insert(1, most + 1, seq -> seq - 1);
        List<String> ids = new ArrayList<>();
        for (int seq = 1; seq <= most + 1; seq++) {
            ids.add("m" + seq);
        }

        assertThat(refused(() -> session.delete(ids)).limit()).isEqualTo("MAX_DELETED_MESSAGES");
        assertThat(session.count()).isEqualTo(most + 1);

        assertThat(session.delete(ids.subList(0, most))).isEqualTo(most);
        assertThat(session.leaf().orElseThrow().id()).isEqualTo("m" + (most + 1));
        assertThat(session.leaf().orElseThrow().parentId()).isEmpty();
    }

    @Test
    void the_limit_MAX_MOVED_MESSAGES_bounds_the_children_that_a_deletion_moves() {
        int most = SessionLimits.MAX_MOVED_MESSAGES;
        insert(1, 2, seq -> seq - 1); // the second one's children move to the first
        insert(3, most + 3, seq -> 2);

        assertThat(refused(() -> session.delete("m2")).limit()).isEqualTo("MAX_MOVED_MESSAGES");
        assertThat(session.count()).isEqualTo(most + 3);
        assertThat(session.children("m2", 10)).as("nothing moved").hasSize(10);
        assertThat(session.children("m1", 10)).hasSize(1);

        assertThat(session.delete("m3")).isTrue();
        assertThat(session.delete("m2")).isTrue();
        assertThat(session.count()).isEqualTo(most + 1);
        assertThat(session.leaf().orElseThrow().parentId()).contains("m1");
    }

    @Test
    void the_limit_MAX_CLEARED_MESSAGES_bounds_what_is_cleared_at_once() {
        int most = SessionLimits.MAX_CLEARED_MESSAGES;
        insert(1, most + 1, seq -> seq - 1);
        long events = session.feed().next();

        assertThat(refused(session::clear).limit()).isEqualTo("MAX_CLEARED_MESSAGES");
        assertThat(session.count()).isEqualTo(most + 1);
        assertThat(session.feed().next()).isEqualTo(events);

        assertThat(session.delete("m1")).isTrue();
        assertThat(session.clear()).isEqualTo(most);
        assertThat(session.count()).isZero();
        session.append(user("anew"));
        assertThat(session.leaf().orElseThrow().id()).isEqualTo("anew");
    }

    @Test
    void the_limit_MAX_RECENT_MESSAGES_bounds_a_recent_history_whatever_its_bytes() {
        int most = SessionLimits.MAX_RECENT_MESSAGES;
        insert(1, most, seq -> seq - 1);
        assertThat(session.recent(1 << 20).messages()).hasSize(most);
        assertThat(session.recent(1 << 20).truncated()).isFalse();

        insert(most + 1, most + 1, seq -> seq - 1);

        RecentHistory recent = session.recent(1 << 20);
        assertThat(recent.messages()).hasSize(most);
        assertThat(recent.truncated()).isTrue();
        assertThat(recent.messages().getFirst().id()).isEqualTo("m2");
        assertThat(recent.messages().getLast().id()).isEqualTo("m" + (most + 1));
        assertThat(session.feed().snapshot(1 << 20).recent().messages()).hasSize(most);
    }

    @Test
    @EnabledIfSystemProperty(named = "holdfast.profile", matches = "nightly", disabledReason = "a million rows")
    void the_limit_MAX_PATH_MESSAGES_bounds_a_path_that_is_read_root_first() {
        long most = SessionLimits.MAX_PATH_MESSAGES;
        insert(1, most + 1, seq -> seq - 1);

        assertThat(refused(() -> session.history().next()).limit()).isEqualTo("MAX_PATH_MESSAGES");

        assertThat(session.newestFirst().next().id())
                .as("which is why newest first is offered")
                .isEqualTo("m" + (most + 1));
        History within = session.history("m" + most);
        assertThat(within.next().id()).isEqualTo("m1");
    }

    @Test
    @EnabledIfSystemProperty(named = "holdfast.profile", matches = "nightly", disabledReason = "takes 2 GiB of memory")
    void a_message_of_MAX_MESSAGE_BYTES_is_kept_to_the_byte_and_one_byte_more_is_refused_S41() {
        byte[] content = new byte[SessionLimits.MAX_MESSAGE_BYTES];
        new SplittableRandom(1).nextBytes(content);
        session.append(MessageDraft.of("large", "user", content));
        byte[] larger = new byte[SessionLimits.MAX_MESSAGE_BYTES + 1];
        assertThat(refused(() -> session.append(MessageDraft.of("larger", "user", larger)))
                        .limit())
                .isEqualTo("MAX_MESSAGE_BYTES");

        opened.close();
        opened = new Opened(folder);
        session = opened.sessions.get("chat");

        assertThat(Arrays.equals(session.message("large").orElseThrow().content(), content))
                .isTrue();
        assertThat(session.message("larger")).isEmpty();
    }
}
