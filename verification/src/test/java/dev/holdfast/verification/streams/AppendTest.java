package dev.holdfast.verification.streams;

import static dev.holdfast.verification.rig.Reading.allTexts;
import static dev.holdfast.verification.rig.Reading.bytes;
import static dev.holdfast.verification.rig.Reading.chunks;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.LimitExceeded;
import dev.holdfast.error.HoldfastException.StaleEpoch;
import dev.holdfast.error.HoldfastException.StreamClosed;
import dev.holdfast.error.HoldfastException.StreamConflict;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.stream.AppendResult;
import dev.holdfast.stream.Chunk;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamLimits;
import dev.holdfast.stream.StreamOptions;
import dev.holdfast.stream.StreamState;
import dev.holdfast.stream.StreamStatus;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.stream.Streams;
import dev.holdfast.verification.rig.Instance;
import dev.holdfast.verification.rig.Instance.Setup;
import dev.holdfast.verification.rig.Reading;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Opening and appending: positions, refusals, and what a chunk may be. */
final class AppendTest {

    private static final int MAX_CHUNK_BYTES = 1000;

    @TempDir
    Path folder;

    private Instance instance;
    private Streams streams;

    @BeforeEach
    void open() {
        instance = new Instance(
                folder, Setup.defaults().withStreams(StreamLimits.defaults().withMaxChunkBytes(MAX_CHUNK_BYTES)));
        streams = instance.streams();
    }

    @AfterEach
    void close() {
        instance.close();
    }

    private static AppendResult appended(long firstSeq, long nextSeq) {
        return new AppendResult(firstSeq, nextSeq, false, false, OptionalLong.empty());
    }

    @Test
    void appends_get_dense_positions_from_0_and_writer_and_status_agree_on_the_tail_while_live_and_settled_S1() {
        StreamWriter writer = streams.open("s");
        assertThat(writer.tail().seq()).isZero();

        assertThat(writer.append("a")).isEqualTo(appended(0, 1));
        assertThat(writer.append("b")).isEqualTo(appended(1, 2));
        assertThat(writer.appendAll(chunks("c", "d", "e"))).isEqualTo(appended(2, 5));
        assertThat(writer.tail().seq()).isEqualTo(5);
        assertThat(streams.status("s").orElseThrow().tail()).isEqualTo(5);

        assertThat(writer.settle(Settlement.completed()).tail()).isEqualTo(5);
        assertThat(writer.tail().seq()).isEqualTo(5);
        StreamStatus settled = streams.status("s").orElseThrow();
        assertThat(settled.tail()).isEqualTo(5);
        assertThat(settled.state()).isEqualTo(StreamState.COMPLETED);
    }

    @Test
    void a_live_stream_is_reopened_at_its_tail_also_after_a_restart_S13() {
        streams.open("s").appendAll(chunks("a", "b"));
        assertThat(streams.open("s").tail().seq()).isEqualTo(2);
        streams.open("s").append("c");

        instance.restart();

        StreamWriter again = instance.streams().open("s");
        assertThat(again.tail().seq()).isEqualTo(3);
        assertThat(again.append("d").firstSeq()).isEqualTo(3);
        assertThat(allTexts(instance.streams(), "s")).containsExactly("a", "b", "c", "d");
    }

    @Test
    void a_settled_stream_that_is_kept_is_not_reopened_S13() {
        streams.open("done").settle(Settlement.completed());
        streams.open("broken").settle(Settlement.errored("no power"));

        assertThatThrownBy(() -> streams.open("done"))
                .isInstanceOf(StreamClosed.class)
                .hasMessageContaining("completed");
        assertThatThrownBy(() -> streams.open("broken"))
                .isInstanceOf(StreamClosed.class)
                .hasMessageContaining("errored");
    }

    @Test
    void a_reopen_with_another_tag_or_content_type_is_a_conflict_and_without_one_it_is_fine_S13() {
        streams.open("tagged", StreamOptions.DEFAULTS.withTag("t").withContentType("text/plain"));
        streams.open("untagged");

        assertThatThrownBy(() -> streams.open("tagged", StreamOptions.DEFAULTS.withTag("u")))
                .isInstanceOf(StreamConflict.class);
        assertThatThrownBy(() -> streams.open("untagged", StreamOptions.DEFAULTS.withTag("t")))
                .isInstanceOf(StreamConflict.class);
        assertThatThrownBy(() -> streams.open("tagged", StreamOptions.DEFAULTS.withContentType("text/html")))
                .isInstanceOf(StreamConflict.class);
        assertThat(streams.open("tagged").append("a").firstSeq()).isZero();
        assertThat(streams.status("tagged").orElseThrow().tag()).isEqualTo("t");
    }

    @Test
    void metadata_given_at_a_reopen_is_ignored() {
        streams.open("s", StreamOptions.DEFAULTS.withMetadata(bytes("first")));
        streams.open("s", StreamOptions.DEFAULTS.withMetadata(bytes("second")));

        assertThat(streams.status("s").orElseThrow().metadata()).isEqualTo(bytes("first"));
    }

    @Test
    void an_append_after_the_end_is_refused_and_says_which_end_it_was_S15() {
        StreamWriter settled = streams.open("settled");
        settled.append("a");
        settled.settle(Settlement.completed());
        StreamWriter deleted = streams.open("deleted");
        streams.delete("deleted");
        StreamWriter discarded = streams.open("discarded");
        discarded.settle(Settlement.completed().discard());

        assertThatThrownBy(() -> settled.append("b"))
                .isInstanceOfSatisfying(
                        StreamClosed.class, e -> assertThat(e.tail()).isEqualTo(1));
        assertThatThrownBy(() -> deleted.append("b")).isInstanceOf(StreamNotFound.class);
        assertThatThrownBy(() -> discarded.append("b")).isInstanceOf(StreamNotFound.class);
        assertThat(allTexts(streams, "settled")).containsExactly("a");
    }

    @Test
    void a_writer_of_a_discarded_incarnation_cannot_write_into_its_successor_S15() {
        StreamWriter old = streams.open("s");
        old.append("old");
        old.settle(Settlement.completed().discard());
        StreamWriter successor = streams.open("s");
        successor.append("new");

        assertThatThrownBy(() -> old.append("late")).isInstanceOf(StreamNotFound.class);
        assertThat(allTexts(streams, "s")).containsExactly("new");
        assertThat(successor.tail().incarnation()).isNotEqualTo(old.tail().incarnation());
    }

    @Test
    void a_writer_that_was_taken_over_is_refused_each_time_and_at_settling_too_ONE_WRITER() {
        StreamWriter first = streams.open("s");
        first.append("a");
        StreamWriter second = streams.takeOver("s", StreamOptions.DEFAULTS);
        assertThat(second.epoch()).isGreaterThan(first.epoch());

        for (int attempt = 0; attempt < 3; attempt++) {
            assertThatThrownBy(() -> first.append("x"))
                    .isInstanceOfSatisfying(
                            StaleEpoch.class, e -> assertThat(e.current()).isEqualTo(second.epoch()));
        }
        assertThatThrownBy(() -> first.settle(Settlement.completed())).isInstanceOf(StaleEpoch.class);
        second.append("b");

        instance.restart();

        StreamWriter third = instance.streams().takeOver("s", StreamOptions.DEFAULTS);
        assertThat(third.epoch()).isGreaterThan(second.epoch());
        assertThat(allTexts(instance.streams(), "s")).containsExactly("a", "b");
    }

    @Test
    void empty_text_newlines_unicode_and_any_byte_come_back_as_they_were_also_after_a_restart_S16() {
        List<byte[]> given = new ArrayList<>(chunks("", "null", "false", "0", "\"\"", "a\nb\r\nc\u0000", "grüß 🚀 漢字"));
        byte[] every = new byte[256];
        for (int i = 0; i < every.length; i++) {
            every[i] = (byte) i;
        }
        given.add(every);
        StreamWriter writer = streams.open("s");
        given.forEach(writer::append);

        assertSame(given);
        instance.restart();
        assertSame(given);
    }

    private void assertSame(List<byte[]> given) {
        List<Chunk> read = Reading.all(instance.streams(), "s", 0, Reading.MAX_BYTES);
        assertThat(read).hasSize(given.size());
        for (int i = 0; i < given.size(); i++) {
            assertThat(read.get(i).toByteArray()).isEqualTo(given.get(i));
        }
    }

    @Test
    void the_bytes_are_copied_so_that_the_caller_may_reuse_its_array() {
        byte[] buffer = bytes("one");
        StreamWriter writer = streams.open("s");
        writer.append(buffer);
        buffer[0] = 'X';

        assertThat(allTexts(streams, "s")).containsExactly("one");
    }

    @Test
    void a_chunk_one_byte_over_the_limit_is_refused_where_bytes_count_and_not_characters_S17() {
        StreamWriter writer = streams.open("s");
        String fits = "ä".repeat(MAX_CHUNK_BYTES / 2);
        writer.append(fits);

        assertThatThrownBy(() -> writer.append(fits + "x")).isInstanceOfSatisfying(LimitExceeded.class, e -> {
            assertThat(e.limit()).isEqualTo("maxChunkBytes");
            assertThat(e.allowed()).isEqualTo(MAX_CHUNK_BYTES);
            assertThat(e.actual()).isEqualTo(MAX_CHUNK_BYTES + 1);
        });
        assertThatThrownBy(() -> writer.appendAll(chunks("a", fits + "x"))).isInstanceOf(LimitExceeded.class);
        assertThatThrownBy(() -> writer.settle(Settlement.completed().append(chunks(fits + "x"))))
                .isInstanceOf(LimitExceeded.class);
        assertThat(allTexts(streams, "s")).containsExactly(fits);
        assertThat(streams.status("s").orElseThrow().state()).isEqualTo(StreamState.LIVE);
    }

    @Test
    void one_append_is_bounded_over_all_its_chunks() {
        StreamWriter writer = streams.open("s");
        byte[] chunk = new byte[MAX_CHUNK_BYTES];
        List<byte[]> fits = Collections.nCopies(StreamLimits.MAX_APPEND_BYTES / MAX_CHUNK_BYTES, chunk);
        List<byte[]> tooMany = Collections.nCopies(StreamLimits.MAX_APPEND_BYTES / MAX_CHUNK_BYTES + 1, chunk);

        assertThatThrownBy(() -> writer.appendAll(tooMany))
                .isInstanceOfSatisfying(
                        LimitExceeded.class, e -> assertThat(e.limit()).isEqualTo("MAX_APPEND_BYTES"));
        assertThat(writer.appendAll(fits).nextSeq()).isEqualTo(fits.size());
    }

    @Test
    void names_of_1_to_256_bytes_are_taken_and_others_refused_S18() {
        String longest = "ä".repeat(128);
        assertThat(streams.open("x").name()).isEqualTo("x");
        assertThat(streams.open(longest).name()).isEqualTo(longest);

        assertThatThrownBy(() -> streams.open("")).isInstanceOf(InvalidArgument.class);
        assertThatThrownBy(() -> streams.open(longest + "x")).isInstanceOf(LimitExceeded.class);
        assertThat(streams.status(longest)).isPresent();
    }

    @Test
    void metadata_over_its_limit_is_refused_and_nothing_is_created_S17() {
        byte[] most = new byte[StreamLimits.MAX_METADATA_BYTES];
        streams.open("fits", StreamOptions.DEFAULTS.withMetadata(most));

        byte[] more = new byte[StreamLimits.MAX_METADATA_BYTES + 1];
        assertThatThrownBy(() -> streams.open("s", StreamOptions.DEFAULTS.withMetadata(more)))
                .isInstanceOf(LimitExceeded.class);
        assertThat(streams.status("s")).isEmpty();
        assertThat(streams.status("fits").orElseThrow().metadata()).hasSize(StreamLimits.MAX_METADATA_BYTES);
    }

    @Test
    void an_append_of_nothing_is_refused() {
        StreamWriter writer = streams.open("s");
        assertThatThrownBy(() -> writer.appendAll(List.of())).isInstanceOf(InvalidArgument.class);
    }

    @Test
    void the_same_name_in_two_tenants_is_two_streams() {
        instance.streams("a").open("s").append("of a");
        instance.streams("b").open("s").append("of b");

        assertThat(allTexts(instance.streams("a"), "s")).containsExactly("of a");
        assertThat(allTexts(instance.streams("b"), "s")).containsExactly("of b");
        assertThat(streams.status("s")).isEmpty();
    }
}
