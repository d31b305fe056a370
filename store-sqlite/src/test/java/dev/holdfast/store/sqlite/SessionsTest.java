package dev.holdfast.store.sqlite;

import static dev.holdfast.store.sqlite.Rows.NOW;
import static dev.holdfast.store.sqlite.Rows.bytes;
import static dev.holdfast.store.sqlite.Rows.event;
import static dev.holdfast.store.sqlite.Rows.message;
import static dev.holdfast.store.sqlite.Rows.random;
import static dev.holdfast.store.sqlite.Rows.session;
import static dev.holdfast.store.sqlite.Rows.turn;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.StoreDamaged;
import dev.holdfast.store.FeedRow;
import dev.holdfast.store.MessageRow;
import dev.holdfast.store.PropertyRow;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.TurnRow;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sessions, feeds and messages: what a verb writes is read in the transaction, on a snapshot after it, and after a restart. */
final class SessionsTest {

    @TempDir
    Path folder;

    private OpenStore store;

    @BeforeEach
    void open() {
        store = new OpenStore(folder);
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void sessions_are_found_by_id_and_key_and_listed_by_activity() {
        store.commit(tx -> {
            tx.insertSession(session(1, "a", 100));
            tx.insertSession(session(2, "b", 300));
            tx.insertSession(session(3, "c", 300));
            tx.insertSession(session(4, "d", 200));
        });
        store.check(reads -> {
            assertThat(reads.session("tenant", "a")).contains(session(1, "a", 100));
            assertThat(reads.session(2)).contains(session(2, "b", 300));
            assertThat(reads.session("other", "a")).isEmpty();
            assertThat(reads.sessions("tenant", Long.MAX_VALUE, 0, 3))
                    .extracting(SessionRow::key)
                    .containsExactly(3L, 2L, 4L);
            assertThat(reads.sessions("tenant", 300, 3, 9))
                    .extracting(SessionRow::key)
                    .containsExactly(2L, 4L, 1L);
        });
        SessionRow moved = new SessionRow(1, "tenant", "a", false, NOW, 400, 2);
        store.commit(tx -> tx.updateSession(moved));
        store.check(reads -> {
            assertThat(reads.session(1)).contains(moved);
            assertThat(reads.sessions("tenant", Long.MAX_VALUE, Long.MAX_VALUE, 1))
                    .containsExactly(moved);
        });
    }

    @Test
    void a_deleted_session_gives_its_id_free_and_is_purged_in_bounded_steps() {
        store.commit(tx -> {
            tx.insertSession(session(1, "a", 100));
            for (int i = 1; i <= 4; i++) {
                tx.insertMessage(message(1, i, i - 1, 10), random(10, i));
                tx.appendFeed(event(1, i - 1));
                tx.insertTurn(turn(1, "t" + i, TurnRow.State.COMPLETED, i, bytes("in")));
                tx.putProperty(new PropertyRow("s:1", "p" + i, 1, bytes("v"), 0));
            }
            tx.putProperty(new PropertyRow("s:11", "p", 1, bytes("v"), 0));
        });
        store.commit(tx -> tx.updateSession(new SessionRow(1, "tenant", "a", true, NOW, 100, 1)));
        store.commit(tx -> tx.insertSession(session(2, "a", 100)));
        store.check(reads -> {
            assertThat(reads.session("tenant", "a")).contains(session(2, "a", 100));
            assertThat(reads.session(1).orElseThrow().deleted()).isTrue();
            assertThat(reads.deletedSessions(10)).containsExactly(1L);
        });
        store.commit(tx -> {
            assertThat(tx.purgeSession(1, 7)).isEqualTo(7);
            assertThat(tx.purgeSession(1, 7)).isEqualTo(7);
            assertThat(tx.purgeSession(1, 7)).isEqualTo(2);
            assertThat(tx.purgeSession(1, 7)).isZero();
            tx.deleteSession(1);
        });
        store.check(reads -> {
            assertThat(reads.session(1)).isEmpty();
            assertThat(reads.messageCount(1)).isZero();
            assertThat(reads.feedNext(1)).isZero();
            assertThat(reads.turn(1, "t1")).isEmpty();
            assertThat(reads.property("s:1", "p1")).isEmpty();
            assertThat(reads.property("s:11", "p")).isPresent();
        });
    }

    @Test
    void a_feed_is_numbered_from_zero_and_trimming_never_lowers_the_next_number() {
        store.commit(tx -> {
            assertThat(tx.feedNext(1)).isZero();
            assertThat(tx.feedFirst(1)).isZero();
            for (int i = 0; i < 5; i++) {
                assertThat(tx.feedNext(1)).isEqualTo(i);
                tx.appendFeed(event(1, i));
            }
            tx.appendFeed(new FeedRow(2, 0, FeedRow.Kind.TURN_ENDED, NOW, null, "t", "completed"));
        });
        store.commit(tx -> {
            assertThat(tx.trimFeed(1, 3, 2)).isEqualTo(2);
            assertThat(tx.trimFeed(1, 3, 2)).isEqualTo(1);
            assertThat(tx.trimFeed(1, 3, 2)).isZero();
        });
        store.check(reads -> {
            assertThat(reads.feedFirst(1)).isEqualTo(3);
            assertThat(reads.feed(1, 0, 10)).containsExactly(event(1, 3), event(1, 4));
            assertThat(reads.feed(1, 4, 10)).containsExactly(event(1, 4));
            assertThat(reads.feed(1, 0, 1)).containsExactly(event(1, 3));
            assertThat(reads.feed(2, 0, 10).getFirst().detail()).isEqualTo("completed");
        });
        store.commit(tx -> assertThat(tx.trimFeed(1, Long.MAX_VALUE, 100)).isEqualTo(1));
        store.check(reads -> {
            assertThat(reads.feedFirst(1)).isEqualTo(4);
            assertThat(reads.feedNext(1)).isEqualTo(5);
        });
    }

    @Test
    void messages_form_a_tree_that_is_walked_in_both_directions() {
        store.commit(tx -> {
            tx.insertSession(session(1, "a", 1));
            tx.insertMessage(message(1, 1, 0, 3), bytes("one"));
            tx.insertMessage(message(1, 2, 1, 3), bytes("two"));
            tx.insertMessage(message(1, 3, 1, 5), bytes("three"));
            tx.insertMessage(message(1, 4, 3, 0), new byte[0]);
            tx.insertMessage(message(2, 9, 0, 1), bytes("x"));
        });
        store.check(reads -> {
            assertThat(reads.message(1, "m3")).contains(message(1, 3, 1, 5));
            assertThat(reads.message(1, 3)).contains(message(1, 3, 1, 5));
            assertThat(reads.message(2, "m3")).isEmpty();
            assertThat(reads.activeLeaf(1).orElseThrow().seq()).isEqualTo(4);
            assertThat(reads.activeLeaf(3)).isEmpty();
            assertThat(reads.children(1, 1, 10)).extracting(MessageRow::seq).containsExactly(2L, 3L);
            assertThat(reads.children(1, 0, 10)).extracting(MessageRow::seq).containsExactly(1L);
            assertThat(reads.children(1, 1, 1)).extracting(MessageRow::seq).containsExactly(2L);
            assertThat(reads.ancestors(1, 4, 10)).extracting(MessageRow::seq).containsExactly(4L, 3L, 1L);
            assertThat(reads.ancestors(1, 4, 2)).extracting(MessageRow::seq).containsExactly(4L, 3L);
            assertThat(reads.ancestors(1, 7, 2)).isEmpty();
            assertThat(reads.messageCount(1)).isEqualTo(4);
            assertThat(reads.messageContent(1, 3)).isEqualTo(bytes("three"));
            assertThat(reads.messageContent(1, 4)).isEmpty();
        });
        store.commit(tx -> {
            tx.moveMessage(1, 4, 2);
            tx.deleteMessage(1, 3);
        });
        store.check(reads -> {
            assertThat(reads.ancestors(1, 4, 10)).extracting(MessageRow::seq).containsExactly(4L, 2L, 1L);
            assertThat(reads.message(1, 3)).isEmpty();
        });
        store.commit(tx -> {
            assertThat(tx.clearMessages(1, 2)).isEqualTo(2);
            assertThat(tx.message(1, 1)).isPresent();
            assertThat(tx.clearMessages(1, 2)).isEqualTo(1);
        });
    }

    @Test
    void a_message_is_replaced_whether_its_content_grows_or_shrinks_over_the_size_of_a_piece() {
        byte[] large = random((5 << 20) + 17, 4);
        byte[] exact = random(2 * SqliteLimits.MAX_PIECE_BYTES, 5);
        store.commit(tx -> tx.insertMessage(message(1, 1, 0, 3), bytes("one")));
        for (byte[] content : List.of(large, exact, bytes("small"), new byte[0], bytes("again"))) {
            MessageRow row = new MessageRow(1, 1, "m1", 0, "assistant", content.length, NOW, NOW + 9);
            store.commit(tx -> tx.updateMessage(row, content));
            store.snapshot(reads -> {
                assertThat(reads.message(1, 1)).contains(row);
                assertThat(reads.messageContent(1, 1)).isEqualTo(content);
            });
        }
        MessageRow renamed = new MessageRow(1, 1, "other", 7, "assistant", 1, NOW, NOW);
        store.commit(tx -> tx.updateMessage(renamed, bytes("x")));
        store.check(reads -> assertThat(reads.message(1, "other")).contains(renamed));
    }

    @Test
    void contents_keep_apart_when_neighbours_of_many_pieces_come_and_go() {
        byte[] two = random(2 * SqliteLimits.MAX_PIECE_BYTES + 1, 6);
        byte[] one = random(1000, 7);
        store.commit(tx -> {
            tx.insertMessage(message(1, 1, 0, two.length), two);
            tx.insertMessage(message(1, 2, 1, one.length), one);
            tx.insertMessage(message(1, 3, 2, two.length), two);
        });
        store.commit(tx -> tx.deleteMessage(1, 3));
        store.commit(tx -> tx.insertMessage(message(1, 4, 2, one.length), one));
        store.commit(tx -> tx.deleteMessage(1, 1));
        store.check(reads -> {
            assertThat(reads.messageContent(1, 2)).isEqualTo(one);
            assertThat(reads.messageContent(1, 4)).isEqualTo(one);
        });
    }

    @Test
    void a_message_whose_content_was_changed_is_damage() throws Exception {
        store.commit(tx -> tx.insertMessage(message(1, 1, 0, 0), bytes("what was said")));
        Sql.run(folder, "UPDATE holdfast_contents SET data = CAST(replace(data, 'said', 'sold') AS BLOB)");
        assertThatThrownBy(() -> store.store().read(reads -> reads.messageContent(1, 1)))
                .isInstanceOf(StoreDamaged.class)
                .hasMessageContaining("checksum");
    }

    @Test
    void a_message_whose_piece_is_missing_is_damage() throws Exception {
        store.commit(tx -> tx.insertMessage(message(1, 1, 0, 0), random(3 << 20, 8)));
        Sql.run(folder, "DELETE FROM holdfast_contents WHERE id = 2");
        assertThatThrownBy(() -> store.store().read(reads -> reads.messageContent(1, 1)))
                .isInstanceOf(StoreDamaged.class)
                .hasMessageContaining("message 1 of session key 1");
    }
}
