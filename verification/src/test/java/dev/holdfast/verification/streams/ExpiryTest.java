package dev.holdfast.verification.streams;

import static dev.holdfast.verification.rig.Reading.allTexts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.stream.Attach;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamListing;
import dev.holdfast.stream.StreamOptions;
import dev.holdfast.stream.StreamWriter;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Fixed and sliding expiry on a clock that the test moves. */
final class ExpiryTest extends StreamsFixture {

    private static final Duration TTL = Duration.ofSeconds(100);

    private void advance(long seconds) {
        instance.clock().advance(Duration.ofSeconds(seconds));
        instance.settleDown();
    }

    private StreamWriter openSliding() {
        return streams.open("s", StreamOptions.DEFAULTS.withTimeToLive(TTL));
    }

    private Instant now() {
        return Instant.ofEpochMilli(instance.clock().wallMillis());
    }

    private boolean hasRow() {
        return instance.store().read(reads -> reads.stream("default", "s")).isPresent();
    }

    @Test
    void a_stream_with_a_fixed_expiry_is_gone_at_that_instant_however_much_it_is_used() {
        StreamWriter writer = streams.open("s", StreamOptions.DEFAULTS.withExpiresAt(now().plusSeconds(50)));
        writer.append("a");
        advance(49);
        writer.append("b");
        assertThat(allTexts(streams, "s")).containsExactly("a", "b");

        advance(1);

        assertThat(streams.status("s")).isEmpty();
        assertThatThrownBy(() -> streams.tail("s", 0)).isInstanceOf(StreamNotFound.class);
        assertThatThrownBy(() -> writer.append("c")).isInstanceOf(StreamNotFound.class);
        assertThat(hasRow()).as("it was deleted, not only hidden").isFalse();
        assertThat(instance.clock().pending()).as("IDLE-IS-SILENT").isZero();
    }

    @Test
    void appends_and_attaching_readers_extend_a_sliding_life_and_looking_at_the_status_does_not() {
        StreamWriter writer = openSliding();
        advance(90);
        writer.append("a");
        advance(90);
        assertThat(allTexts(streams, "s")).containsExactly("a");
        advance(90);
        assertThat(streams.status("s").orElseThrow().expiresAt()).isEqualTo(now().plusSeconds(10));
        assertThat(streams.list(StreamListing.all())).hasSize(1);
        advance(10);
        assertThat(streams.status("s")).isEmpty();
    }

    @Test
    void the_status_of_a_stream_that_is_not_in_memory_does_not_extend_its_life_either() {
        openSliding();
        restart();
        advance(60);
        assertThat(streams.status("s")).isPresent();
        advance(60); // the persisted deadline is later than the true one by a tenth
        assertThat(streams.status("s")).isEmpty();
    }

    @Test
    void once_it_is_told_to_be_gone_no_append_or_settlement_brings_it_back_EXPLICIT_CURSOR() {
        StreamWriter writer = openSliding();
        writer.append("a");
        instance.clock().advance(TTL); // the alarm is set for the persisted deadline, a tenth later

        assertThat(streams.status("s")).isEmpty();
        assertThatThrownBy(() -> writer.append("late")).isInstanceOf(StreamNotFound.class);
        assertThatThrownBy(() -> writer.settle(Settlement.completed())).isInstanceOf(StreamNotFound.class);
        assertThatThrownBy(() -> streams.settle("s", Settlement.completed())).isInstanceOf(StreamNotFound.class);
        assertThat(streams.attach("s", writer.tail())).isEqualTo(new Attach.Gone());
    }

    @Test
    void opening_the_name_of_an_expired_stream_makes_a_new_incarnation() {
        StreamWriter old = openSliding();
        old.append("old");
        instance.clock().advance(TTL);

        StreamWriter fresh = openSliding();
        fresh.append("new");

        assertThat(fresh.tail().incarnation()).isNotEqualTo(old.tail().incarnation());
        assertThat(allTexts(streams, "s")).containsExactly("new");
    }

    @Test
    void a_restart_never_shortens_a_life() {
        openSliding().append("a");
        advance(95);
        assertThat(allTexts(streams, "s")).containsExactly("a");

        restart();

        advance(95);
        assertThat(allTexts(streams, "s")).as("used 95 s ago").containsExactly("a");
    }

    @Test
    void a_stream_that_expired_while_nobody_ran_is_deleted_after_the_start() {
        openSliding().append("a");
        instance.close();
        instance.clock().advance(TTL.multipliedBy(2));

        restart();
        instance.clock().advance(Duration.ZERO);
        instance.settleDown();

        assertThat(streams.status("s")).isEmpty();
        assertThat(hasRow()).isFalse();
    }

    @Test
    void use_is_written_at_most_once_per_tenth_of_the_life() {
        openSliding().append("a");
        instance.settleDown();
        long before = instance.committer().commits();
        for (int i = 0; i < 100; i++) {
            advance(1);
            assertThat(allTexts(streams, "s")).containsExactly("a");
            instance.settleDown();
        }
        assertThat(instance.committer().commits() - before).isBetween(1L, 11L);
    }

    @Test
    void many_streams_that_expire_at_once_are_all_deleted_and_nothing_is_left_to_run() {
        for (int i = 0; i < 300; i++) {
            streams.open("s" + i, StreamOptions.DEFAULTS.withTimeToLive(TTL));
        }
        for (int i = 0; i < 10; i++) {
            advance(20);
        }
        assertThat(streams.list(StreamListing.all().limit(1000))).isEmpty();
        assertThat(instance.clock().pending()).isZero();
    }

    @Test
    void a_life_of_any_length_is_taken_or_refused_but_never_harms_the_store() {
        StreamWriter longest =
                streams.open("centuries", StreamOptions.DEFAULTS.withTimeToLive(Duration.ofDays(365L * 1000)));
        streams.open("later", StreamOptions.DEFAULTS.withExpiresAt(now().plus(Duration.ofDays(365L * 1000))));
        assertThatThrownBy(() -> streams.open(
                        "overflow", StreamOptions.DEFAULTS.withTimeToLive(Duration.ofSeconds(Long.MAX_VALUE))))
                .isInstanceOf(InvalidArgument.class);
        assertThatThrownBy(() -> streams.open(
                        "overflow", StreamOptions.DEFAULTS.withTimeToLive(Duration.ofMillis(Long.MAX_VALUE))))
                .isInstanceOf(InvalidArgument.class);
        assertThatThrownBy(() -> streams.open("overflow", StreamOptions.DEFAULTS.withExpiresAt(Instant.MAX)))
                .isInstanceOf(InvalidArgument.class);
        assertThatThrownBy(() -> streams.open("past", StreamOptions.DEFAULTS.withExpiresAt(Instant.MIN)))
                .isInstanceOf(InvalidArgument.class);

        advance(Duration.ofDays(2).toSeconds());
        assertThat(longest.append("still here").firstSeq()).isZero();
        assertThat(instance.committer().poison()).isNull();
        restart();
        assertThat(allTexts(streams, "centuries")).containsExactly("still here");
    }
}
