package dev.holdfast.verification.streams;

import static dev.holdfast.verification.rig.Reading.chunks;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.CursorTooOld;
import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.store.BlockInfo;
import dev.holdfast.stream.AppendRequest;
import dev.holdfast.stream.Chunk;
import dev.holdfast.stream.Fork;
import dev.holdfast.stream.Retention;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamCreation;
import dev.holdfast.stream.StreamLimits;
import dev.holdfast.stream.StreamOptions;
import dev.holdfast.stream.StreamStatus;
import dev.holdfast.verification.rig.Reading;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Old chunks go by blocks: never too early, never much too late, over restarts, and silently while there is nothing to do. */
final class RetentionTest extends StreamsFixture {

    private static final Duration AGE = Duration.ofSeconds(80);
    private static final int QUARTER = StreamLimits.MAX_BLOCK_BYTES / 4;

    private void create(String name, Retention retention) {
        streams.create(name, StreamCreation.of(StreamOptions.DEFAULTS.withRetention(retention)));
    }

    private void append(String name, int bytes) {
        streams.append(name, AppendRequest.of(List.of(new byte[bytes])));
        instance.settleDown();
    }

    /** Timers that upkeep sets while the clock moves, for a time that it has passed by then, are due at once. */
    private void advance(Duration by) {
        instance.clock().advance(by);
        instance.settleDown();
        instance.clock().advance(Duration.ZERO);
        instance.settleDown();
    }

    private StreamStatus status(String name) {
        return streams.status(name).orElseThrow();
    }

    private List<BlockInfo> blocks(String name) {
        long key = status(name).position().key();
        return instance.store().read(reads -> reads.blocks(key, 0, 1000));
    }

    private long readableBytes(String name) {
        return Reading.all(streams, name, status(name).firstSeq(), Reading.MAX_BYTES).stream()
                .mapToLong(Chunk::size)
                .sum();
    }

    @Test
    void by_bytes_at_least_so_much_is_kept_and_at_most_a_block_and_what_is_open_more() {
        long kept = 3L * StreamLimits.MAX_BLOCK_BYTES - 1000;
        create("s", Retention.ofBytes(kept));
        long appended = 0;
        for (int i = 0; i < 60; i++) {
            append("s", QUARTER);
            appended += QUARTER;
            long readable = readableBytes("s");
            assertThat(readable).isGreaterThanOrEqualTo(Math.min(appended, kept));
            assertThat(readable).isLessThan(kept + 2L * StreamLimits.MAX_BLOCK_BYTES);
            if (i % 20 == 10) {
                restart();
            }
        }
        long first = status("s").firstSeq();
        assertThat(first).isPositive();
        assertThatThrownBy(() -> streams.read("s", first - 1, 1))
                .isInstanceOfSatisfying(
                        CursorTooOld.class, e -> assertThat(e.first()).isEqualTo(first));
        assertThat(blocks("s").getFirst().fromSeq()).isEqualTo(first);
        assertThat(status("s").retention()).isEqualTo(Retention.ofBytes(kept));
    }

    @Test
    void by_age_no_chunk_goes_before_its_time_and_none_stays_a_quarter_longer() {
        create("s", Retention.ofAge(AGE));
        Random random = new Random(7);
        List<Long> appendedAt = new ArrayList<>();
        for (int i = 0; i < 120; i++) {
            advance(Duration.ofMillis(random.nextInt(6_000)));
            for (int n = random.nextInt(3); n > 0; n--) {
                append("s", random.nextInt(10) == 0 ? StreamLimits.MAX_BLOCK_BYTES : 10);
                appendedAt.add(instance.clock().wallMillis());
            }
            if (i % 17 == 3) {
                restart();
                instance.settleDown();
            }
            check(appendedAt);
        }
        for (int i = 0; i < 30; i++) {
            advance(Duration.ofSeconds(4));
            check(appendedAt);
        }
        assertThat(status("s").firstSeq()).isEqualTo(status("s").tail());
    }

    private void check(List<Long> appendedAt) {
        long now = instance.clock().wallMillis();
        long first = status("s").firstSeq();
        for (int seq = 0; seq < appendedAt.size(); seq++) {
            long age = now - appendedAt.get(seq);
            if (age < AGE.toMillis()) {
                assertThat(first).as("chunk %d, %d ms old", seq, age).isLessThanOrEqualTo(seq);
            } else if (age > AGE.toMillis() * 5 / 4) {
                assertThat(first).as("chunk %d, %d ms old", seq, age).isGreaterThan(seq);
            }
        }
    }

    @Test
    void what_became_too_old_while_the_store_was_closed_goes_when_it_is_opened() {
        create("sealed", Retention.ofAge(AGE));
        create("open", Retention.ofAge(AGE));
        append("sealed", StreamLimits.MAX_BLOCK_BYTES);
        append("open", 10);
        instance.close();
        instance.clock().advance(Duration.ofSeconds(101));
        restart();
        advance(Duration.ZERO);

        assertThat(status("sealed").firstSeq()).isEqualTo(1);
        assertThat(status("open").firstSeq()).isEqualTo(1);
        assertThat(blocks("sealed")).isEmpty();
    }

    @Test
    void chunks_that_are_sealed_late_together_with_new_ones_go_in_their_own_time() {
        create("s", Retention.ofAge(AGE));
        append("s", 10);
        instance.close();
        instance.clock().advance(Duration.ofSeconds(99));
        restart();
        streams.append("s", AppendRequest.of(List.of(new byte[10])));
        advance(Duration.ofSeconds(2));

        assertThat(status("s").firstSeq()).isEqualTo(1);
        assertThat(readableBytes("s")).isEqualTo(10);
        advance(Duration.ofSeconds(100));
        assertThat(status("s").firstSeq()).isEqualTo(2);
    }

    @Test
    void while_there_is_nothing_to_retain_there_is_no_timer_IDLE_IS_SILENT() {
        create("s", Retention.ofAge(AGE));
        assertThat(instance.clock().pending()).isZero();
        append("s", 10);
        assertThat(instance.clock().pending()).isEqualTo(1);
        advance(Duration.ofSeconds(200));
        advance(Duration.ofSeconds(200));
        assertThat(status("s").firstSeq()).isEqualTo(1);
        assertThat(instance.clock().pending()).isZero();
        create("bytes", Retention.ofBytes(100));
        append("bytes", StreamLimits.MAX_BLOCK_BYTES);
        assertThat(instance.clock().pending()).isZero();
        long commits = instance.committer().commits();
        advance(Duration.ofDays(1));
        assertThat(instance.committer().commits()).isEqualTo(commits);
    }

    @Test
    void a_settled_stream_goes_on_losing_what_is_too_old() {
        create("s", Retention.ofAge(AGE));
        append("s", 10);
        streams.settle("s", Settlement.completed());
        advance(Duration.ofSeconds(101));
        assertThat(status("s").settled()).isTrue();
        assertThat(status("s").firstSeq()).isEqualTo(1);
        assertThat(status("s").tail()).isEqualTo(1);
    }

    @Test
    void a_fork_retains_as_its_source_does_or_as_it_is_told_and_each_loses_its_own() {
        create("source", Retention.ofAge(AGE));
        append("source", StreamLimits.MAX_BLOCK_BYTES);
        streams.create("like", StreamCreation.of(StreamOptions.DEFAULTS).from(Fork.of("source")));
        streams.create(
                "longer",
                StreamCreation.of(StreamOptions.DEFAULTS.withRetention(Retention.ofAge(AGE.multipliedBy(3))))
                        .from(Fork.of("source")));
        assertThat(status("like").retention()).isEqualTo(Retention.ofAge(AGE));
        advance(Duration.ofSeconds(81));
        restart();

        assertThat(status("source").firstSeq()).isEqualTo(1);
        assertThat(status("like").firstSeq()).isEqualTo(1);
        assertThat(status("longer").firstSeq()).isZero();
        assertThat(readableBytes("longer")).isEqualTo(StreamLimits.MAX_BLOCK_BYTES);
        advance(Duration.ofSeconds(161));
        assertThat(status("longer").firstSeq()).isEqualTo(1);
        streams.delete("like");
        streams.delete("longer");
        instance.settleDown();
        assertThat(blocks("source")).isEmpty();
    }

    @Test
    void a_forks_bytes_count_what_it_inherited_also_from_the_middle_of_a_block() {
        streams.create("source", StreamCreation.of(StreamOptions.DEFAULTS));
        for (int i = 0; i < 10; i++) {
            append("source", QUARTER);
        }
        long kept = StreamLimits.MAX_BLOCK_BYTES;
        streams.create(
                "fork",
                StreamCreation.of(StreamOptions.DEFAULTS.withRetention(Retention.ofBytes(kept)))
                        .from(Fork.of("source").at(6)));
        append("fork", StreamLimits.MAX_BLOCK_BYTES);

        assertThat(readableBytes("fork")).isBetween(kept, 2 * kept);
        assertThat(status("fork").firstSeq()).isEqualTo(4);
        assertThat(readableBytes("source")).isEqualTo(10L * QUARTER);
    }

    @Test
    void age_and_bytes_can_be_limited_together() {
        create("s", new Retention(AGE, StreamLimits.MAX_BLOCK_BYTES));
        append("s", StreamLimits.MAX_BLOCK_BYTES);
        append("s", StreamLimits.MAX_BLOCK_BYTES);
        assertThat(status("s").firstSeq()).isEqualTo(1);
        advance(Duration.ofSeconds(90));
        assertThat(status("s").firstSeq()).isEqualTo(2);
    }

    @Test
    void a_retention_that_means_nothing_is_refused() {
        for (Retention wrong : List.of(
                new Retention(null, 0),
                new Retention(Duration.ofMillis(999), 0),
                new Retention(Duration.ofDays(10_000_000), 0),
                new Retention(AGE, -1))) {
            assertThatThrownBy(() -> create("s", wrong)).isInstanceOf(InvalidArgument.class);
        }
        streams.open("s", StreamOptions.DEFAULTS.withRetention(Retention.ofAge(AGE)));
        streams.append("s", AppendRequest.of(chunks("a")));
        advance(Duration.ofSeconds(101));
        assertThat(status("s").firstSeq()).isEqualTo(1);
    }
}
