package dev.holdfast.verification.streams;

import static dev.holdfast.verification.rig.Reading.chunks;
import static dev.holdfast.verification.rig.Reading.payload;
import static dev.holdfast.verification.rig.Reading.seqs;
import static dev.holdfast.verification.rig.Reading.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.CursorAhead;
import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.error.HoldfastException.WrongCursor;
import dev.holdfast.stream.Attach;
import dev.holdfast.stream.Chunk;
import dev.holdfast.stream.Cursor;
import dev.holdfast.stream.ReadBatch;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamLimits;
import dev.holdfast.stream.StreamReader;
import dev.holdfast.stream.StreamState;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.verification.rig.Reading;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Reading what is there: positions, slices, cursors, and the borders of blocks. */
final class ReadTest extends StreamsFixture {

    @Test
    void a_read_starts_at_0_in_the_middle_or_exactly_at_the_tail_and_says_whether_it_is_up_to_date_S2() {
        streams.open("s").appendAll(chunks("a", "b", "c"));

        assertThat(texts(streams.read("s", 0, 100))).containsExactly("a", "b", "c");
        assertThat(texts(streams.read("s", 1, 100))).containsExactly("b", "c");
        ReadBatch atTail = streams.read("s", 3, 100);
        assertThat(atTail.chunks()).isEmpty();
        assertThat(atTail.upToDate()).isTrue();
        assertThat(atTail.ended()).isFalse();
        assertThat(streams.read("s", 0, 1).upToDate()).isFalse();
    }

    @Test
    void a_position_beyond_the_tail_or_below_0_is_named_EXPLICIT_CURSOR_S2() {
        streams.open("s").append("a");

        assertThatThrownBy(() -> streams.read("s", 2, 100))
                .isInstanceOfSatisfying(
                        CursorAhead.class, e -> assertThat(e.tail()).isEqualTo(1));
        assertThatThrownBy(() -> streams.read("s", -1, 100)).isInstanceOf(InvalidArgument.class);
        assertThatThrownBy(() -> streams.read("none", 0, 100)).isInstanceOf(StreamNotFound.class);
    }

    @Test
    void a_read_is_bounded_in_bytes_but_returns_at_least_one_chunk_S3() {
        streams.open("s").appendAll(chunks("11", "22", "33", "44", "5"));

        List<List<Long>> slices = new ArrayList<>();
        try (StreamReader reader = streams.tail("s", 0)) {
            ReadBatch batch;
            do {
                batch = reader.read(4);
                slices.add(seqs(batch));
            } while (!batch.upToDate());
            assertThat(reader.cursor().seq()).isEqualTo(5);
        }
        assertThat(slices).containsExactly(List.of(0L, 1L), List.of(2L, 3L), List.of(4L));
        assertThat(seqs(streams.read("s", 0, 0))).containsExactly(0L);
        assertThat(seqs(streams.read("s", 0, -7))).containsExactly(0L);
        assertThat(seqs(streams.read("s", 0, Integer.MAX_VALUE))).hasSize(5);
    }

    @Test
    void a_read_of_a_settled_stream_gives_every_chunk_and_the_outcome_S7() {
        StreamWriter writer = streams.open("s");
        writer.appendAll(chunks("a", "b"));
        writer.settle(Settlement.errored("the model broke off").append(chunks("last")));

        ReadBatch batch = streams.read("s", 0, 100);
        assertThat(texts(batch)).containsExactly("a", "b", "last");
        assertThat(batch.ended()).isTrue();
        assertThat(batch.state()).isEqualTo(StreamState.ERRORED);
        assertThat(batch.error()).isEqualTo("the model broke off");
    }

    @Test
    void a_caught_up_reader_of_an_empty_live_stream_is_up_to_date_and_not_ended_S8() {
        streams.open("live");
        streams.open("settled").settle(Settlement.completed());

        assertThat(streams.read("live", 0, 1).upToDate()).isTrue();
        assertThat(streams.read("live", 0, 1).ended()).isFalse();
        assertThat(streams.read("settled", 0, 1).ended()).isTrue();
    }

    /**
     * Sizes that end a block exactly at the limit, one byte over it, with a chunk larger than a block alone, and with empty chunks on a
     * border. After sealing, the rest stays in the open block, so positions cross blocks and the border between block and memory.
     */
    private List<byte[]> fillBlocks(String name) {
        int block = StreamLimits.MAX_BLOCK_BYTES;
        int[] sizes = {
            block / 2, block / 2, // exactly one block
            0, block, // a whole block after an empty chunk
            block - 1, 2, // one byte over
            block * 2, 1, // larger than a block
            0, 0, block - 1, 1, 0, 5, 7, 0
        };
        StreamWriter writer = streams.open(name);
        List<byte[]> given = new ArrayList<>();
        for (int size : sizes) {
            byte[] chunk = payload(name, given.size(), size);
            given.add(chunk);
            writer.append(chunk);
            instance.settleDown();
        }
        return given;
    }

    @Test
    @Tag("S47")
    void from_every_position_around_block_borders_prefix_and_resume_make_the_whole_EVERY_CURSOR_S25() {
        List<byte[]> given = fillBlocks("s");
        assertThat(sealedTo("s")).as("something is sealed").isPositive();
        assertThat(sealedTo("s")).as("something is not sealed").isLessThan(given.size());

        assertEveryCursor("s", given);
        instance.restart();
        streams = instance.streams();
        assertEveryCursor("s", given);
        streams.open("s").settle(Settlement.completed());
        instance.settleDown();
        assertThat(sealedTo("s")).isEqualTo(given.size());
        assertEveryCursor("s", given);
        instance.restart();
        streams = instance.streams();
        assertEveryCursor("s", given);
    }

    private long sealedTo(String name) {
        return instance.store()
                .read(reads -> reads.stream("default", name).orElseThrow())
                .sealedTo();
    }

    private void assertEveryCursor(String name, List<byte[]> given) {
        for (int k = 0; k <= given.size(); k++) {
            for (int maxBytes : new int[] {1, StreamLimits.MAX_BLOCK_BYTES, Integer.MAX_VALUE}) {
                List<Chunk> resumed = Reading.all(streams, name, k, maxBytes);
                assertThat(resumed).hasSize(given.size() - k);
                for (int i = 0; i < resumed.size(); i++) {
                    assertThat(resumed.get(i).toByteArray())
                            .as("chunk %d resumed from %d", k + i, k)
                            .isEqualTo(given.get(k + i));
                }
            }
        }
    }

    @Test
    void a_cursor_survives_its_token_and_a_restart_and_goes_on_exactly_there() {
        StreamWriter writer = streams.open("s");
        writer.appendAll(chunks("a", "b", "c"));
        String token;
        try (StreamReader reader = streams.tail("s", 0)) {
            reader.read(2);
            token = reader.cursor().token();
        }
        instance.restart();
        streams = instance.streams();

        Attach attach = streams.attach("s", Cursor.parse(token));
        assertThat(attach).isInstanceOf(Attach.Ok.class);
        try (StreamReader reader = ((Attach.Ok) attach).reader()) {
            assertThat(texts(reader.read(100))).containsExactly("c");
        }
    }

    @Test
    void each_cursor_gets_its_named_answer_EXPLICIT_CURSOR() {
        StreamWriter writer = streams.open("s");
        writer.appendAll(chunks("a", "b", "c"));
        Cursor tail = writer.tail();
        Cursor start = new Cursor(tail.incarnation(), 0);
        streams.trim("s", 2);

        assertThat(streams.attach("s", new Cursor(tail.incarnation(), 1)))
                .isEqualTo(new Attach.TooOld(new Cursor(tail.incarnation(), 2)));
        assertThat(streams.attach("s", new Cursor(tail.incarnation(), 4))).isEqualTo(new Attach.Ahead(tail));
        assertThat(streams.attach("none", tail)).isEqualTo(new Attach.Gone());

        writer.settle(Settlement.completed().discard());
        assertThat(streams.attach("s", start)).isEqualTo(new Attach.Gone());

        streams.open("s").append("new");
        Attach restarted = streams.attach("s", tail);
        assertThat(restarted).isInstanceOf(Attach.Restarted.class);
        try (StreamReader reader = ((Attach.Restarted) restarted).reader()) {
            assertThat(texts(reader.read(100))).containsExactly("new");
        }
    }

    @Test
    void what_is_no_cursor_is_refused() {
        String token = new Cursor(1, 2).token();
        assertThat(Cursor.parse(token)).isEqualTo(new Cursor(1, 2));
        for (String bad :
                List.of("", "0", "x".repeat(100), token.substring(1), token + "A", token.replace('A', 'B'), "ä")) {
            assertThatThrownBy(() -> Cursor.parse(bad)).as(bad).isInstanceOf(WrongCursor.class);
        }
    }
}
