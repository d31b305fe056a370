package dev.holdfast.verification.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamLimits;
import dev.holdfast.stream.StreamListing;
import dev.holdfast.stream.StreamOptions;
import dev.holdfast.stream.StreamState;
import dev.holdfast.stream.StreamStatus;
import dev.holdfast.stream.StreamWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Listing and status. */
final class ListingTest extends StreamsFixture {

    private List<String> names(StreamListing listing) {
        return streams.list(listing).stream().map(StreamStatus::name).toList();
    }

    private Instant now() {
        return Instant.ofEpochMilli(instance.clock().wallMillis());
    }

    @Test
    void streams_are_listed_newest_first_and_those_of_one_millisecond_in_a_fixed_order_S20() {
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            streams.open("s" + i);
            expected.add("s" + i);
            if (i % 4 == 3) {
                instance.clock().advance(Duration.ofMillis(1));
            }
        }
        Collections.reverse(expected);
        assertThat(names(StreamListing.all())).isEqualTo(expected);
        instance.restart();
        streams = instance.streams();
        assertThat(names(StreamListing.all())).isEqualTo(expected);
    }

    @Test
    void states_and_tags_filter_and_no_state_means_any_S20() {
        streams.open("live a", StreamOptions.DEFAULTS.withTag("a"));
        streams.open("done a", StreamOptions.DEFAULTS.withTag("a")).settle(Settlement.completed());
        streams.open("broken b", StreamOptions.DEFAULTS.withTag("b")).settle(Settlement.errored("x"));
        streams.open("gone a", StreamOptions.DEFAULTS.withTag("a"))
                .settle(Settlement.completed().discard());

        StreamListing all = StreamListing.all();
        assertThat(names(all)).containsExactly("broken b", "done a", "live a");
        assertThat(names(all.in(EnumSet.noneOf(StreamState.class)))).hasSize(3);
        assertThat(names(all.in(Set.of(StreamState.LIVE)))).containsExactly("live a");
        assertThat(names(all.in(Set.of(StreamState.COMPLETED, StreamState.ERRORED))))
                .containsExactly("broken b", "done a");
        assertThat(names(all.tagged("a"))).containsExactly("done a", "live a");
        assertThat(names(all.tagged("a").in(Set.of(StreamState.LIVE)))).containsExactly("live a");
        assertThat(names(all.tagged("none"))).isEmpty();
    }

    @Test
    void pages_follow_each_other_by_key_so_that_streams_opened_or_deleted_meanwhile_shift_nothing_S20() {
        for (int i = 0; i < 25; i++) {
            streams.open("s" + i);
        }
        List<String> seen = new ArrayList<>();
        StreamListing page = StreamListing.all().limit(4);
        List<StreamStatus> rows = streams.list(page);
        while (!rows.isEmpty()) {
            rows.forEach(row -> seen.add(row.name()));
            streams.open("newer " + seen.size());
            streams.delete(seen.getFirst());
            page = page.after(rows.getLast().position());
            rows = streams.list(page);
        }
        List<String> expected = new ArrayList<>();
        for (int i = 24; i >= 0; i--) {
            expected.add("s" + i);
        }
        assertThat(seen).isEqualTo(expected);
    }

    @Test
    void a_page_is_bounded_S20() {
        assertThatThrownBy(() -> streams.list(StreamListing.all().limit(0))).isInstanceOf(InvalidArgument.class);
        assertThatThrownBy(() -> streams.list(StreamListing.all().limit(StreamLimits.MAX_PAGE + 1)))
                .isInstanceOf(InvalidArgument.class);
    }

    @Test
    void tenants_do_not_see_each_other() {
        instance.streams("other").open("theirs");
        streams.open("mine");
        assertThat(names(StreamListing.all())).containsExactly("mine");
    }

    @Test
    void the_status_of_a_live_stream_comes_from_the_tail_of_the_log_before_and_after_a_restart_S21() {
        StreamWriter writer = streams.open("s");
        Instant opened = now();
        instance.clock().advance(Duration.ofSeconds(5));
        writer.append("a");
        instance.clock().advance(Duration.ofSeconds(5));
        writer.append("b");
        Instant appended = now();
        instance.clock().advance(Duration.ofSeconds(5));

        for (int i = 0; i < 2; i++) {
            StreamStatus status = streams.status("s").orElseThrow();
            assertThat(status.tail()).isEqualTo(2);
            assertThat(status.createdAt()).isEqualTo(opened);
            assertThat(status.lastAppendAt()).isEqualTo(appended);
            assertThat(status.closedAt()).isNull();
            assertThat(streams.list(StreamListing.all()).getFirst().tail()).isEqualTo(2);
            assertThat(streams.list(StreamListing.all()).getFirst().lastAppendAt())
                    .isEqualTo(appended);
            instance.restart();
            streams = instance.streams();
        }
        streams.open("s").settle(Settlement.completed());
        assertThat(streams.status("s").orElseThrow().closedAt()).isEqualTo(now());
        assertThat(streams.status("s").orElseThrow().lastAppendAt()).isEqualTo(appended);
        instance.restart();
        assertThat(instance.streams().status("s").orElseThrow().lastAppendAt()).isEqualTo(appended);
    }
}
