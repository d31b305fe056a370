package dev.holdfast.testkit;

import static dev.holdfast.testkit.Samples.bytes;
import static dev.holdfast.testkit.Samples.message;
import static dev.holdfast.testkit.Samples.noise;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.store.MessageRow;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages: a tree of rows, and contents of any size. */
interface MessageContract extends ContractPart {

    @Test
    default void a_message_is_found_by_id_and_by_seq_with_every_column_as_written() {
        MessageRow row = new MessageRow(1, 4, "ïd", 3, "assistant", 2, 5, 6);
        store().commit(t -> t.insertMessage(row, bytes("hi")));

        store().restart();

        assertThat(reads().message(1, "ïd")).contains(row);
        assertThat(reads().message(1, 4)).contains(row);
        assertThat(reads().messageContent(1, 4)).isEqualTo(bytes("hi"));
        assertThat(reads().message(1, "id")).isEmpty();
        assertThat(reads().message(2, 4)).isEmpty();
    }

    /** The sizes lie around the places where stores spill; the last is one that a person may well upload. */
    @ParameterizedTest
    @ValueSource(
            ints = {
                0,
                1,
                1_000,
                4_096,
                65_535,
                65_536,
                65_537,
                262_143,
                262_144,
                262_145,
                1 << 20,
                (3 << 20) + 7,
                64 << 20
            })
    default void a_content_of_any_size_comes_back_whole(int size) {
        byte[] content = noise(size);
        store().commit(t -> t.insertMessage(message(1, 1, 0, content), content));

        store().restart();

        assertThat(reads().messageContent(1, 1)).isEqualTo(content);
        assertThat(reads().message(1, 1).map(MessageRow::bytes)).contains((long) size);
    }

    @Test
    default void a_content_can_grow_and_shrink_over_any_size() {
        store().commit(t -> t.insertMessage(message(1, 1, 0, noise(1)), noise(1)));
        for (int size : new int[] {2 << 20, 10, 70_000, 300_000, 0, 5 << 20}) {
            byte[] content = noise(size);
            store().commit(t -> t.updateMessage(message(1, 1, 0, content), content));
            assertThat(reads().messageContent(1, 1)).isEqualTo(content);
        }
    }

    @Test
    default void a_rolled_back_update_leaves_the_content_of_before() {
        byte[] before = noise(1 << 20);
        store().commit(t -> t.insertMessage(message(1, 1, 0, before), before));

        store().rollBack(t -> t.updateMessage(message(1, 1, 0, noise(99)), noise(99)));

        assertThat(reads().messageContent(1, 1)).isEqualTo(before);
    }

    @Test
    default void an_update_replaces_every_column_of_a_message() {
        store().commit(t -> t.insertMessage(message(1, 1, 0, bytes("a")), bytes("a")));
        MessageRow changed = new MessageRow(1, 1, "renamed", 0, "system", 3, 77, 78);

        store().commit(t -> t.updateMessage(changed, bytes("abc")));

        assertThat(reads().message(1, 1)).contains(changed);
        assertThat(reads().message(1, "renamed")).contains(changed);
        assertThat(reads().message(1, "m1")).isEmpty();
    }

    @Test
    default void the_tree_is_read_down_and_up() {
        tree();

        assertThat(seqs(reads().children(1, 0, 10))).containsExactly(1L, 6L);
        assertThat(seqs(reads().children(1, 1, 10))).containsExactly(2L, 4L, 5L);
        assertThat(seqs(reads().children(1, 1, 2))).containsExactly(2L, 4L);
        assertThat(reads().children(1, 3, 10)).isEmpty();
        assertThat(seqs(reads().ancestors(1, 3, 10))).containsExactly(3L, 2L, 1L);
        assertThat(seqs(reads().ancestors(1, 3, 2))).containsExactly(3L, 2L);
        assertThat(reads().ancestors(1, 99, 10)).isEmpty();
        assertThat(reads().activeLeaf(1).map(MessageRow::seq)).contains(6L);
        assertThat(reads().activeLeaf(3)).isEmpty();
        assertThat(reads().messageCount(1)).isEqualTo(6);
        assertThat(reads().messageCount(3)).isZero();
    }

    @Test
    default void a_long_path_is_read_in_pages() {
        store().commit(t -> {
            for (int seq = 1; seq <= 500; seq++) {
                t.insertMessage(message(1, seq, seq - 1, bytes("x")), bytes("x"));
            }
        });

        long at = 500;
        long seen = 0;
        while (at != 0) {
            long from = at;
            List<MessageRow> page = reads().ancestors(1, from, 60);
            assertThat(page.getFirst().seq()).isEqualTo(from);
            seen += page.size();
            at = page.getLast().parentSeq();
        }
        assertThat(seen).isEqualTo(500);
    }

    @Test
    default void a_message_that_is_moved_hangs_elsewhere_and_keeps_its_content() {
        tree();

        store().commit(t -> {
            t.moveMessage(1, 3, 1);
            t.deleteMessage(1, 2);
        });

        assertThat(seqs(reads().children(1, 1, 10))).containsExactly(3L, 4L, 5L);
        assertThat(seqs(reads().ancestors(1, 3, 10))).containsExactly(3L, 1L);
        assertThat(reads().message(1, 2)).isEmpty();
        assertThat(reads().messageContent(1, 3)).isEqualTo(bytes("3"));
    }

    @Test
    default void clearing_goes_newest_first_in_bounded_steps_and_spares_other_sessions() {
        tree();

        assertThat(alone().clearMessages(1, 4)).isEqualTo(4);
        assertThat(seqs(reads().ancestors(1, 2, 10))).containsExactly(2L, 1L);
        assertThat(reads().activeLeaf(1).map(MessageRow::seq)).contains(2L);
        assertThat(alone().clearMessages(1, 4)).isEqualTo(2);
        assertThat(alone().clearMessages(1, 4)).isZero();
        assertThat(reads().messageCount(1)).isZero();
        assertThat(reads().messageContent(2, 1)).isEqualTo(bytes("other"));
    }

    /** Two roots, 1 and 6; under 1 the siblings 2, 4 and 5; under 2 the message 3; and another session. */
    private void tree() {
        long[] parents = {0, 1, 2, 1, 1, 0};
        store().commit(t -> {
            for (int i = 0; i < parents.length; i++) {
                byte[] content = bytes(String.valueOf(i + 1));
                t.insertMessage(message(1, i + 1, parents[i], content), content);
            }
            t.insertMessage(message(2, 1, 0, bytes("other")), bytes("other"));
        });
    }

    private static List<Long> seqs(List<MessageRow> rows) {
        return rows.stream().map(MessageRow::seq).toList();
    }
}
