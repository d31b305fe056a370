package dev.holdfast.verification.streams;

import static dev.holdfast.verification.rig.Patience.await;
import static dev.holdfast.verification.rig.Reading.allTexts;
import static dev.holdfast.verification.rig.Reading.chunks;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.StreamConflict;
import dev.holdfast.error.HoldfastException.StreamGone;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.stream.AppendRequest;
import dev.holdfast.stream.Attach;
import dev.holdfast.stream.Chunk;
import dev.holdfast.stream.Cursor;
import dev.holdfast.stream.Fork;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamCreation;
import dev.holdfast.stream.StreamLimits;
import dev.holdfast.stream.StreamListing;
import dev.holdfast.stream.StreamOptions;
import dev.holdfast.stream.StreamReader;
import dev.holdfast.stream.StreamStatus;
import dev.holdfast.verification.rig.Reading;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** A stream with forks outlives its end for them alone, and the last of them ends it for good, up the whole chain. */
final class EndOfForksTest extends StreamsFixture {

    private static final byte[] LARGE = new byte[StreamLimits.MAX_BLOCK_BYTES];

    /** A stream with a sealed block and an open one. */
    private long create(String name) {
        StreamStatus status = streams.create(
                        name, StreamCreation.of(StreamOptions.DEFAULTS).with(List.of(LARGE)))
                .status();
        instance.settleDown();
        streams.append(name, AppendRequest.of(chunks(name)));
        return status.position().key();
    }

    private long fork(String name, String source) {
        return fork(name, source, StreamOptions.DEFAULTS);
    }

    private long fork(String name, String source, StreamOptions options) {
        StreamStatus status = streams.create(
                        name, StreamCreation.of(options).from(Fork.of(source)).with(chunks(name)))
                .status();
        return status.position().key();
    }

    private List<String> texts(String name) {
        return Reading.all(streams, name, 1, Reading.MAX_BYTES).stream()
                .map(Chunk::text)
                .toList();
    }

    /** Timers that upkeep sets while the clock moves, for a time that it has passed by then, are due at once. */
    private void advance(Duration by) {
        instance.clock().advance(by);
        instance.settleDown();
        instance.clock().advance(Duration.ZERO);
        instance.settleDown();
    }

    private boolean hasRow(long key) {
        return instance.store().read(reads -> reads.stream(key)).isPresent();
    }

    private boolean hasBlocks(long key) {
        return !instance.store().read(reads -> reads.blocks(key, 0, 1)).isEmpty();
    }

    @Test
    void a_stream_with_forks_is_gone_for_everyone_and_its_name_stays_taken() {
        create("source");
        Cursor cursor = streams.open("source").tail();
        fork("fork", "source");

        assertThat(streams.delete("source")).isTrue();

        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> streams.status("source")).isInstanceOf(StreamGone.class);
            assertThatThrownBy(() -> streams.tail("source", 0)).isInstanceOf(StreamGone.class);
            assertThatThrownBy(() -> streams.append("source", AppendRequest.of(chunks("x"))))
                    .isInstanceOf(StreamGone.class);
            assertThatThrownBy(() -> streams.settle("source", Settlement.completed()))
                    .isInstanceOf(StreamGone.class);
            assertThatThrownBy(() -> streams.trim("source", 1)).isInstanceOf(StreamGone.class);
            assertThatThrownBy(() -> streams.touch("source")).isInstanceOf(StreamGone.class);
            assertThatThrownBy(() -> streams.delete("source")).isInstanceOf(StreamGone.class);
            assertThatThrownBy(() -> streams.create("source", StreamCreation.of(StreamOptions.DEFAULTS)))
                    .isInstanceOf(StreamConflict.class);
            assertThatThrownBy(() -> streams.open("source")).isInstanceOf(StreamConflict.class);
            assertThatThrownBy(() -> fork("another", "source")).isInstanceOf(StreamConflict.class);
            assertThat(streams.attach("source", cursor)).isInstanceOf(Attach.Gone.class);
            assertThat(streams.list(StreamListing.all()))
                    .extracting(StreamStatus::name)
                    .containsExactly("fork");
            assertThat(texts("fork")).containsExactly("source", "fork");
            restart();
        }
    }

    @Test
    void the_end_of_the_last_fork_frees_the_name_and_the_blocks() {
        long source = create("source");
        fork("a", "source");
        fork("b", "source");
        streams.delete("source");
        streams.delete("a");
        instance.settleDown();
        assertThatThrownBy(() -> streams.status("source")).isInstanceOf(StreamGone.class);
        restart();
        assertThat(texts("b")).containsExactly("source", "b");

        streams.delete("b");

        assertThat(streams.status("source")).isEmpty();
        assertThat(streams.create("source", StreamCreation.of(StreamOptions.DEFAULTS))
                        .created())
                .isTrue();
        assertThat(allTexts(streams, "source")).isEmpty();
        instance.settleDown();
        assertThat(hasRow(source)).isFalse();
        assertThat(hasBlocks(source)).isFalse();
    }

    @Test
    void the_end_of_a_chain_goes_up_link_by_link_as_far_as_nobody_holds_on() {
        long a = create("a");
        long b = fork("b", "a");
        long c = fork("c", "b");
        long d = fork("d", "c");
        fork("side", "b");
        streams.delete("b");
        streams.delete("c");
        streams.delete("a");
        assertThat(texts("d")).containsExactly("a", "b", "c", "d");
        restart();

        streams.delete("d");
        assertThat(streams.status("c")).isEmpty();
        assertThatThrownBy(() -> streams.status("b")).isInstanceOf(StreamGone.class);
        assertThat(texts("side")).containsExactly("a", "b", "side");

        restart();
        streams.delete("side");
        assertThat(streams.status("a")).isEmpty();
        assertThat(streams.status("b")).isEmpty();
        instance.settleDown();
        for (long key : new long[] {a, b, c, d}) {
            assertThat(hasRow(key)).isFalse();
            assertThat(hasBlocks(key)).isFalse();
        }
    }

    @Test
    void a_source_whose_last_fork_ends_later_in_the_same_batch_is_gone_and_its_name_free_there() throws Exception {
        create("source");
        fork("fork", "source");
        long commits = instance.commitsOf(() -> {
            CountDownLatch release = instance.hold();
            List<CompletableFuture<?>> calls = new ArrayList<>();
            queue(calls, () -> streams.delete("source"));
            queue(calls, () -> streams.delete("fork"));
            queue(calls, () -> streams.create("source", StreamCreation.of(StreamOptions.DEFAULTS)));
            release.countDown();
            calls.forEach(CompletableFuture::join);
        });

        assertThat(commits).as("all in one batch").isEqualTo(1);
        assertThat(allTexts(streams, "source")).isEmpty();
    }

    /** Each is queued before the next is asked for. */
    private void queue(List<CompletableFuture<?>> calls, Runnable call) {
        long queued = instance.committer().queuedBytes();
        calls.add(CompletableFuture.runAsync(call, body -> Thread.ofVirtual().start(body)));
        await().until(() -> instance.committer().queuedBytes() > queued);
    }

    @Test
    void a_live_source_notices_nothing_of_its_forks_end() {
        create("source");
        fork("fork", "source");
        streams.delete("fork");
        assertThat(texts("source")).containsExactly("source");
        assertThat(streams.delete("source")).isTrue();
        assertThat(streams.status("source")).isEmpty();
    }

    @Test
    void discarding_a_source_at_its_settlement_is_an_end_like_any_other() {
        create("source");
        fork("fork", "source");
        try (StreamReader reader = streams.tail("source", 1)) {
            streams.settle(
                    "source", Settlement.completed().append(chunks("last")).discard());
            assertThatThrownBy(() -> streams.status("source")).isInstanceOf(StreamGone.class);
            assertThat(Reading.untilEnd(reader)).containsExactly("source", "last");
        }
        assertThat(texts("fork")).containsExactly("source", "fork");
        streams.settle("fork", Settlement.completed().discard());
        assertThat(streams.status("source")).isEmpty();
    }

    @Test
    void readers_of_a_fork_that_is_gone_still_read_the_blocks_of_a_source_that_is_gone() {
        long source = create("source");
        long fork = fork("fork", "source");
        streams.delete("source");
        try (StreamReader reader = streams.tail("fork", 0)) {
            streams.delete("fork");
            instance.settleDown();

            assertThat(hasBlocks(source)).isTrue();
            assertThat(Reading.rest(reader, 1)).hasSize(3);
        }
        instance.settleDown();
        assertThat(hasRow(source)).isFalse();
        assertThat(hasRow(fork)).isFalse();
        assertThat(hasBlocks(source)).isFalse();
    }

    @Test
    void readers_of_a_source_that_is_gone_go_on_though_its_last_fork_ends() {
        long source = create("source");
        fork("fork", "source");
        try (StreamReader reader = streams.tail("source", 0)) {
            streams.delete("source");
            streams.delete("fork");
            instance.settleDown();
            assertThat(Reading.rest(reader, 1)).hasSize(2);
            assertThat(hasBlocks(source)).isTrue();
            instance.clock().advance(StreamLimits.defaults().maxLinger());
            instance.settleDown();
            assertThat(hasBlocks(source)).isFalse();
            assertThatThrownBy(() -> reader.read(1)).isInstanceOf(StreamNotFound.class);
        }
    }

    @Test
    void a_fork_lives_as_its_source_was_told_to_or_as_it_is_told_itself() {
        Instant expiry = Instant.ofEpochMilli(instance.clock().wallMillis()).plusSeconds(100);
        streams.create("sliding", StreamCreation.of(StreamOptions.DEFAULTS.withTimeToLive(Duration.ofSeconds(10))));
        streams.create("fixed", StreamCreation.of(StreamOptions.DEFAULTS.withExpiresAt(expiry)));
        fork("as sliding", "sliding");
        fork("as fixed", "fixed");
        fork("own", "fixed", StreamOptions.DEFAULTS.withTimeToLive(Duration.ofSeconds(5)));

        assertThat(streams.status("as sliding").orElseThrow().ttl()).isEqualTo(Duration.ofSeconds(10));
        assertThat(streams.status("as fixed").orElseThrow().expiresAt()).isEqualTo(expiry);
        StreamStatus own = streams.status("own").orElseThrow();
        assertThat(own.ttl()).isEqualTo(Duration.ofSeconds(5));
        assertThat(own.expiresAt()).isEqualTo(own.createdAt().plusSeconds(5));
        // repeated alike, with and without saying it
        streams.create("as fixed", StreamCreation.of(StreamOptions.DEFAULTS).from(Fork.of("fixed")));
        streams.create(
                "own",
                StreamCreation.of(StreamOptions.DEFAULTS.withTimeToLive(Duration.ofSeconds(5)))
                        .from(Fork.of("fixed")));
        assertThatThrownBy(() -> streams.create(
                        "own", StreamCreation.of(StreamOptions.DEFAULTS).from(Fork.of("fixed"))))
                .isInstanceOf(StreamConflict.class);
    }

    @Test
    void a_source_that_expires_waits_for_its_forks_and_a_fork_that_expires_lets_it_go() {
        long source = create("permanent");
        fork("mid", "permanent", StreamOptions.DEFAULTS.withTimeToLive(Duration.ofSeconds(10)));
        fork("leaf", "mid", StreamOptions.DEFAULTS.withTimeToLive(Duration.ofMinutes(1)));
        streams.delete("permanent");
        advance(Duration.ofSeconds(12));

        assertThatThrownBy(() -> streams.status("mid")).isInstanceOf(StreamGone.class);
        assertThat(texts("leaf")).containsExactly("permanent", "mid", "leaf");

        advance(Duration.ofSeconds(70));
        assertThat(streams.status("leaf")).isEmpty();
        assertThat(streams.status("mid")).isEmpty();
        assertThat(streams.status("permanent")).isEmpty();
        assertThat(hasRow(source)).isFalse();
        assertThat(hasBlocks(source)).isFalse();
    }

    @Test
    void an_expired_source_with_forks_is_not_replaced() {
        streams.create("s", StreamCreation.of(StreamOptions.DEFAULTS.withTimeToLive(Duration.ofSeconds(10))));
        fork("fork", "s", StreamOptions.DEFAULTS.withTimeToLive(Duration.ofMinutes(10)));
        var release = instance.hold();
        instance.clock().advance(Duration.ofSeconds(11));
        release.countDown();

        assertThatThrownBy(() -> streams.create("s", StreamCreation.of(StreamOptions.DEFAULTS)))
                .isInstanceOf(StreamConflict.class);
        advance(Duration.ofSeconds(2)); // now the sweep, if it was not told of it before
        assertThatThrownBy(() -> fork("late", "s")).isInstanceOf(StreamConflict.class);
        assertThat(allTexts(streams, "fork")).containsExactly("fork");
    }
}
