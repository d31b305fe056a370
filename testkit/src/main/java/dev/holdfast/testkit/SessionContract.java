package dev.holdfast.testkit;

import static dev.holdfast.testkit.Samples.TENANT;
import static dev.holdfast.testkit.Samples.deleted;
import static dev.holdfast.testkit.Samples.event;
import static dev.holdfast.testkit.Samples.message;
import static dev.holdfast.testkit.Samples.session;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.store.FeedRow;
import dev.holdfast.store.PropertyRow.Owner;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.TurnRow;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Keys, sessions and their feeds. */
interface SessionContract extends ContractPart {

    @Test
    default void keys_start_at_one_or_above_and_no_reservation_overlaps_another_over_restarts() {
        Set<Long> handedOut = new HashSet<>();
        for (int i = 0; i < 6; i++) {
            int count = 1 + 10 * i;
            long first = alone().reserveKeys(count);
            assertThat(first).isPositive();
            for (long key = first; key < first + count; key++) {
                assertThat(handedOut.add(key)).isTrue();
            }
            if (i % 2 == 1) {
                store().restart();
            }
        }
    }

    @Test
    default void two_reservations_in_one_transaction_do_not_overlap() {
        long[] first = store().answer(t -> new long[] {t.reserveKeys(5), t.reserveKeys(5)});

        assertThat(first[1]).isGreaterThanOrEqualTo(first[0] + 5);
    }

    @Test
    default void a_session_is_found_by_id_and_by_key_with_every_column_as_written() {
        store().commit(t -> {
            t.insertSession(session(1, "a"));
            t.insertSession(new SessionRow(2, "other", "a", false, 1, 2, 3));
        });

        store().restart();

        assertThat(reads().session(TENANT, "a")).contains(session(1, "a"));
        assertThat(reads().session("other", "a")).contains(new SessionRow(2, "other", "a", false, 1, 2, 3));
        assertThat(reads().session(1)).contains(session(1, "a"));
        assertThat(reads().session(TENANT, "b")).isEmpty();
    }

    @Test
    default void a_deleted_session_frees_its_id_and_waits_for_its_purge() {
        store().commit(t -> t.insertSession(session(1, "a")));
        store().commit(t -> {
            t.updateSession(deleted(session(1, "a")));
            t.insertSession(session(2, "a"));
        });

        assertThat(reads().session(TENANT, "a")).contains(session(2, "a"));
        assertThat(reads().session(1)).contains(deleted(session(1, "a")));
        assertThat(reads().deletedSessions(10)).containsExactly(1L);
        assertThat(reads().sessions(TENANT, Long.MAX_VALUE, Long.MAX_VALUE, 10)).containsExactly(session(2, "a"));
        store().commit(t -> t.deleteSession(1));
        assertThat(reads().session(1)).isEmpty();
        assertThat(reads().deletedSessions(10)).isEmpty();
    }

    @Test
    default void sessions_are_listed_by_last_activity_and_page_without_gap_or_repeat() {
        List<Long> expected = new ArrayList<>();
        store().commit(t -> {
            for (long key = 1; key <= 20; key++) {
                t.insertSession(new SessionRow(key, TENANT, "s" + key, false, 1, 100, 1));
            }
            for (long key = 20; key >= 1; key--) { // the older session was used later
                t.updateSession(new SessionRow(key, TENANT, "s" + key, false, 1, 1_000 - key / 3, 1));
            }
        });
        for (long group = 0; group <= 20 / 3; group++) {
            for (long key = 20; key >= 1; key--) {
                if (key / 3 == group) {
                    expected.add(key);
                }
            }
        }

        List<Long> listed = new ArrayList<>();
        long beforeAt = Long.MAX_VALUE;
        long beforeKey = Long.MAX_VALUE;
        while (true) {
            long at = beforeAt;
            long key = beforeKey;
            List<SessionRow> page = reads().sessions(TENANT, at, key, 7);
            page.forEach(row -> listed.add(row.key()));
            if (page.size() < 7) {
                break;
            }
            beforeAt = page.getLast().updatedAt();
            beforeKey = page.getLast().key();
        }

        assertThat(listed).isEqualTo(expected);
    }

    @Test
    default void the_feed_is_read_in_order_from_any_event_on() {
        FeedRow bare = new FeedRow(1, 2, FeedRow.Kind.MESSAGES_CLEARED, 9, null, null, null);
        store().commit(t -> {
            t.appendFeed(event(1, 0));
            t.appendFeed(event(1, 1));
            t.appendFeed(bare);
            t.appendFeed(event(2, 0));
        });

        store().restart();

        assertThat(reads().feed(1, 0, 10)).containsExactly(event(1, 0), event(1, 1), bare);
        assertThat(reads().feed(1, 1, 1)).containsExactly(event(1, 1));
        assertThat(reads().feed(1, 3, 10)).isEmpty();
        assertThat(reads().feed(3, 0, 10)).isEmpty();
        assertThat(reads().feedFirst(1)).isZero();
        assertThat(reads().feedNext(1)).isEqualTo(3);
        assertThat(reads().feedNext(3)).isZero();
        assertThat(reads().feedFirst(3)).isZero();
    }

    @Test
    default void trimming_a_feed_is_bounded_and_never_lowers_its_numbering() {
        store().commit(t -> {
            for (int seq = 0; seq < 10; seq++) {
                t.appendFeed(event(1, seq));
            }
        });

        assertThat(alone().trimFeed(1, 6, 4)).isEqualTo(4);
        assertThat(reads().feedFirst(1)).isEqualTo(4);
        assertThat(alone().trimFeed(1, 6, 4)).isEqualTo(2);
        assertThat(alone().trimFeed(1, Long.MAX_VALUE, 100)).isEqualTo(3);
        assertThat(alone().trimFeed(1, Long.MAX_VALUE, 100)).isZero();
        store().restart();
        assertThat(reads().feedFirst(1)).isEqualTo(9);
        assertThat(reads().feedNext(1)).isEqualTo(10);
    }

    @Test
    default void purging_a_session_takes_all_its_rows_in_bounded_steps_and_no_other_sessions() {
        store().commit(t -> {
            for (long session = 1; session <= 2; session++) {
                t.insertSession(session(session, "s" + session));
                for (int seq = 1; seq <= 5; seq++) {
                    t.insertMessage(message(session, seq, seq - 1, Samples.noise(10)), Samples.noise(10));
                    t.appendFeed(event(session, seq - 1));
                    t.insertTurn(Samples.turn(session, "t" + seq, TurnRow.State.COMPLETED, seq));
                    t.putProperty(Samples.property(new Owner.Session(session).encoded(), "p" + seq, 1, 0));
                }
            }
        });

        int total = 0;
        int step;
        do {
            step = alone().purgeSession(1, 3);
            assertThat(step).isLessThanOrEqualTo(3);
            total += step;
        } while (step == 3);

        assertThat(total).isEqualTo(20);
        assertThat(reads().messageCount(1)).isZero();
        assertThat(reads().feed(1, 0, 10)).isEmpty();
        assertThat(reads().turns(1, Long.MAX_VALUE, "", 10)).isEmpty();
        assertThat(reads().properties(new Owner.Session(1).encoded(), "", "", 10))
                .isEmpty();
        assertThat(reads().messageCount(2)).isEqualTo(5);
        assertThat(reads().feed(2, 0, 10)).hasSize(5);
        assertThat(reads().turns(2, Long.MAX_VALUE, "", 10)).hasSize(5);
        assertThat(reads().properties(new Owner.Session(2).encoded(), "", "", 10))
                .hasSize(5);
    }

    @Test
    default void a_title_is_kept_changed_and_taken_away() {
        store().commit(t -> t.insertSession(session(1, "a").titled("Ein Titel: ä😀")));
        store().commit(t -> t.insertSession(session(2, "b")));

        store().restart();

        assertThat(reads().session(1).map(SessionRow::title)).contains("Ein Titel: ä😀");
        assertThat(reads().session(2)).contains(session(2, "b"));

        store().commit(t -> {
            t.updateSession(session(1, "a"));
            t.updateSession(session(2, "b").titled("New").touched(3_000));
        });

        assertThat(reads().session(1)).contains(session(1, "a"));
        assertThat(reads().sessions(TENANT, Long.MAX_VALUE, Long.MAX_VALUE, 1))
                .containsExactly(session(2, "b").titled("New").touched(3_000));
    }
}
