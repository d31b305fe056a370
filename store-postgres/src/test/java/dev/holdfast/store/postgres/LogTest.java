package dev.holdfast.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.StoreDamaged;
import dev.holdfast.store.AppendRecord;
import dev.holdfast.store.LogEntry;
import dev.holdfast.store.Store;
import dev.holdfast.store.StoreTransaction;
import dev.holdfast.store.StreamRow;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The log by stream: what goes with a seal and a deletion, what a follower reads, and what damage shows. */
final class LogTest {

    private final Shard shard = new Shard();

    @AfterEach
    void close() {
        shard.close();
    }

    private long segments() throws SQLException {
        return shard.number("SELECT count(*) FROM @segments");
    }

    private void append(long stream, int from, int to) {
        for (int i = from; i < to; i++) {
            int seq = i;
            shard.commit(tx -> tx.append(Rows.append(stream, seq, "c" + seq)));
        }
    }

    private static StreamRow sealed(long key, long to) {
        return row(key, to, Rows.stream(key, "s" + key).state());
    }

    private static StreamRow row(long key, long to, StreamRow.State state) {
        StreamRow s = Rows.stream(key, "s" + key);
        return new StreamRow(
                s.key(),
                s.tenant(),
                s.name(),
                s.incarnation(),
                s.owner(),
                state,
                s.error(),
                s.tag(),
                s.contentType(),
                s.metadata(),
                s.createdAt(),
                s.updatedAt(),
                s.closedAt(),
                s.epoch(),
                s.firstSeq(),
                to,
                to,
                s.lastAppendAt(),
                s.ttlMillis(),
                s.expiresAt(),
                s.marks(),
                s.kin(),
                s.retained());
    }

    @Test
    void a_release_spares_what_a_discarded_stream_had_for_those_who_read_it_on_other_nodes_NO_SEAM() throws Exception {
        shard.commit(tx -> {
            tx.insertStream(Rows.stream(1, "s1"));
            tx.insertStream(Rows.stream(2, "s2"));
        });
        append(1, 0, 3);
        append(2, 0, 3);
        shard.commit(tx -> tx.updateStream(row(1, 0, StreamRow.State.DISCARDED)));
        shard.commit(tx -> assertThat(tx.releaseLog(6)).isEqualTo(6));
        assertThat(segments()).isEqualTo(3);
        assertThat(shard.number("SELECT count(*) FROM @segments WHERE stream = 1"))
                .isEqualTo(3);
    }

    @Test
    void a_commit_is_one_row_for_each_of_its_streams_and_one_entry() throws Exception {
        shard.commit(tx -> {
            tx.append(Rows.append(2, 0, "a"));
            tx.append(Rows.append(1, 0, "b"));
            tx.append(Rows.append(2, 1, "c"));
        });
        assertThat(segments()).isEqualTo(2);
        Rows.Log log = shard.reopen();
        assertThat(log.positions).containsExactly(1L);
        assertThat(log.texts()).containsExactly("2:a", "2:c", "1:b");
    }

    @Test
    void a_seal_deletes_what_is_wholly_in_the_block_of_that_stream_alone() throws Exception {
        append(1, 0, 5);
        append(2, 0, 5);
        shard.commit(tx -> tx.append(Rows.append(1, 5, "across", "the end")));

        shard.commit(tx -> tx.insertBlock(Rows.block(1, 0, 6, 10)));

        assertThat(shard.reopen().texts())
                .containsExactly("2:c0", "2:c1", "2:c2", "2:c3", "2:c4", "1:across", "1:the end");
        assertThat(segments()).isEqualTo(6);
    }

    @Test
    void positions_go_on_after_every_row_of_the_log_is_gone_and_the_store_was_opened_anew() throws Exception {
        append(1, 0, 3);
        shard.commit(tx -> tx.insertBlock(Rows.block(1, 0, 3, 10)));
        assertThat(segments()).isZero();
        assertThat(shard.reopen().positions).isEmpty();
        assertThat(shard.commit(tx -> tx.append(Rows.append(1, 3, "x"))).position())
                .isEqualTo(4);
    }

    @Test
    void what_is_left_of_a_stream_is_deleted_with_it_in_bounded_steps() throws Exception {
        int rows = 3 * PostgresLimits.SEGMENTS_PER_DELETION + 1;
        append(1, 0, rows);
        append(2, 0, 1);
        int[] steps = new int[1];
        int deleted;
        do {
            int[] step = new int[1];
            shard.commit(tx -> step[0] = tx.deleteBlocks(1, Long.MAX_VALUE, 2));
            deleted = step[0];
            assertThat(deleted).isLessThanOrEqualTo(2);
            steps[0]++;
        } while (deleted == 2);
        assertThat(steps[0]).isBetween(2, 3);
        assertThat(shard.reopen().texts()).containsExactly("2:c0");
    }

    @Test
    void a_trim_deletes_no_row_of_the_log_that_is_not_sealed_for_the_log_must_have_no_gap() throws Exception {
        shard.commit(tx -> tx.insertStream(sealed(1, 2)));
        append(1, 0, 5);
        shard.commit(tx -> assertThat(tx.deleteBlocks(1, 4, 64)).isEqualTo(1));
        assertThat(shard.reopen().texts()).containsExactly("1:c2", "1:c3", "1:c4");
    }

    @Test
    void a_release_hides_entries_at_once_and_deletes_their_rows_over_time() throws Exception {
        append(1, 0, 30);
        shard.commit(tx -> assertThat(tx.releaseLog(20)).isEqualTo(20));
        assertThat(segments()).isEqualTo(10);
        assertThat(shard.reopen().positions).hasSize(10).startsWith(21L);
        shard.commit(tx -> assertThat(tx.releaseLog(7)).isEqualTo(20));
    }

    @Test
    void a_follower_reads_a_streams_part_of_the_log_from_any_chunk_on_in_bounded_answers() {
        append(1, 0, 3);
        shard.commit(tx -> {
            tx.append(Rows.append(2, 0, "other"));
            tx.append(Rows.append(1, 3, "c3", "c4"));
        });
        Store follower = shard.database.follower(0);

        assertThat(texts(follower.read(reads -> reads.log(1, 0, 1 << 20))))
                .containsExactly("c0", "c1", "c2", "c3", "c4");
        assertThat(texts(follower.read(reads -> reads.log(1, 4, 1 << 20)))).containsExactly("c3", "c4");
        assertThat(texts(follower.read(reads -> reads.log(1, 1, 1)))).containsExactly("c1");
        assertThat(follower.<List<LogEntry>>read(reads -> reads.log(1, 5, 1 << 20)))
                .isEmpty();
        assertThat(follower.<List<LogEntry>>read(reads -> reads.log(3, 0, 1 << 20)))
                .isEmpty();
        List<LogEntry> entries = follower.read(reads -> reads.log(1, 2, 1 << 20));
        assertThat(entries).extracting(LogEntry::position).containsExactly(3L, 4L);
        assertThat(entries.getLast().committedAt()).isPositive();

        shard.commit(tx -> tx.insertBlock(Rows.block(1, 0, 3, 10)));
        assertThat(texts(follower.read(reads -> reads.log(1, 0, 1 << 20)))).containsExactly("c3", "c4");
    }

    private static List<String> texts(List<LogEntry> entries) {
        List<String> texts = new ArrayList<>();
        for (LogEntry entry : entries) {
            for (AppendRecord record : entry.records()) {
                record.chunks().forEach(chunk -> texts.add(new String(chunk, StandardCharsets.UTF_8)));
            }
        }
        return texts;
    }

    @Test
    void keys_name_their_shard_and_are_never_handed_out_twice_not_even_after_a_rollback_or_a_restart() {
        StoreTransaction lost = shard.begin();
        assertThat(lost.reserveKeys(10)).isEqualTo(1);
        lost.rollback();
        shard.commit(tx -> assertThat(tx.reserveKeys(5)).isEqualTo(11));
        shard.reopen();
        shard.commit(tx -> assertThat(tx.reserveKeys(1)).isEqualTo(16));
    }

    @Test
    void a_changed_row_of_the_log_is_damage_and_so_is_one_that_was_moved() throws Exception {
        append(1, 0, 3);
        shard.run("UPDATE @segments SET body = set_byte(body, 12, 65) WHERE position = 2");
        assertThatThrownBy(shard::reopen)
                .isInstanceOf(StoreDamaged.class)
                .hasMessageContaining("Log entry 2 is damaged");
        shard.run("DELETE FROM @segments WHERE position < 3");
        shard.run("UPDATE @segments SET position = 4 WHERE position = 3");
        assertThatThrownBy(shard::reopen)
                .isInstanceOf(StoreDamaged.class)
                .hasMessageContaining("Log entry 4 is damaged");
    }

    @Test
    void a_changed_or_missing_part_of_a_content_is_damage() throws Exception {
        byte[] large = Rows.random(3 << 20, 1);
        shard.commit(tx -> {
            tx.insertMessage(Rows.message(1, 1, 0, 5), Rows.bytes("hello"));
            tx.insertMessage(Rows.message(1, 2, 1, large.length), large);
            tx.insertMessage(Rows.message(1, 3, 2, large.length), large);
        });
        shard.run("UPDATE @messages SET body = 'hellO' WHERE seq = 1");
        shard.run(
                "UPDATE @pieces SET body = set_byte(body, 7, get_byte(body, 7) # 1) WHERE owner = 'm:2' AND piece = 1");
        shard.run("DELETE FROM @pieces WHERE owner = 'm:3' AND piece = 2");
        for (long seq = 1; seq <= 3; seq++) {
            long message = seq;
            assertThatThrownBy(() -> shard.sees(reads -> reads.messageContent(1, message).length > 0))
                    .isInstanceOf(StoreDamaged.class)
                    .hasMessageContaining("message " + message + " of session key 1");
        }
    }

    @Test
    void a_text_with_a_character_that_the_server_cannot_hold_is_kept_with_another_one_in_its_place() {
        StreamRow failed = Rows.stream(1, "s", StreamRow.State.ERRORED, "t\0g", 0, 1, 0);
        shard.commit(tx -> tx.insertStream(failed));
        assertThat(shard.sees(
                        reads -> "t\uFFFDg".equals(reads.stream(1).orElseThrow().tag())))
                .isTrue();
    }
}
