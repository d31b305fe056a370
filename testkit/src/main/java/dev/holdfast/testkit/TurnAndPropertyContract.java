package dev.holdfast.testkit;

import static dev.holdfast.testkit.Samples.bytes;
import static dev.holdfast.testkit.Samples.property;
import static dev.holdfast.testkit.Samples.turn;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.store.PropertyRow;
import dev.holdfast.store.PropertyRow.Owner;
import dev.holdfast.store.TurnRow;
import dev.holdfast.store.TurnRow.State;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Turns and properties. */
interface TurnAndPropertyContract extends ContractPart {

    @Test
    default void a_turn_is_found_with_every_column_as_written() {
        TurnRow full = turn(1, "t", State.STREAMING, 5);
        TurnRow bare = new TurnRow(
                1,
                "u",
                State.ACCEPTED,
                "agent",
                new byte[0],
                new byte[0],
                null,
                "m",
                0,
                null,
                null,
                1,
                0,
                0,
                false,
                null,
                1,
                2,
                0,
                TurnRow.Kind.REGENERATE,
                7,
                8);
        store().commit(t -> {
            t.insertTurn(full);
            t.insertTurn(bare);
        });

        store().restart();

        assertSame(reads().turn(1, "t"), full);
        assertSame(reads().turn(1, "u"), bare);
        assertThat(reads().turn(2, "t")).isEmpty();
    }

    @Test
    default void an_updated_turn_has_its_outcome_and_is_live_no_more_ONE_OUTCOME() {
        store().commit(t -> t.insertTurn(turn(1, "t", State.STREAMING, 5)));

        store().commit(t -> t.updateTurn(turn(1, "t", State.STOPPED, 6)));

        assertSame(reads().turn(1, "t"), turn(1, "t", State.STOPPED, 6));
        assertThat(reads().liveTurns(1)).isEmpty();
        assertThat(reads().liveTurns(0, "", 10)).isEmpty();
    }

    @Test
    default void an_input_of_a_few_mebibytes_comes_back_whole() {
        TurnRow small = turn(1, "t", State.ACCEPTED, 5);
        byte[] input = Samples.noise(3 << 20);
        TurnRow large = new TurnRow(
                1,
                "t",
                State.ACCEPTED,
                "agent",
                small.fingerprint(),
                input,
                null,
                "m",
                0,
                null,
                null,
                1,
                0,
                0,
                false,
                null,
                5,
                2,
                0);
        store().commit(t -> t.insertTurn(large));

        assertThat(reads().turn(1, "t").orElseThrow().input()).isEqualTo(input);
    }

    @Test
    default void live_turns_come_oldest_first_by_session_and_by_key_over_all_sessions() {
        store().commit(t -> {
            t.insertTurn(turn(1, "a", State.STREAMING, 30));
            t.insertTurn(turn(1, "b", State.AWAITING, 10));
            t.insertTurn(turn(1, "c", State.COMPLETED, 20));
            t.insertTurn(turn(2, "a", State.ACCEPTED, 5));
            t.insertTurn(turn(3, "a", State.FAILED, 5));
            t.insertTurn(turn(3, "b", State.ACCEPTED, 6));
        });

        assertThat(reads().liveTurns(1)).extracting(TurnRow::id).containsExactly("b", "a");
        List<String> all = new ArrayList<>();
        long session = 0;
        String id = "";
        while (true) {
            long afterSession = session;
            String afterId = id;
            List<TurnRow> page = reads().liveTurns(afterSession, afterId, 1);
            if (page.isEmpty()) {
                break;
            }
            session = page.getLast().sessionKey();
            id = page.getLast().id();
            all.add(session + id);
        }
        assertThat(all).containsExactly("1a", "1b", "2a", "3b");
    }

    @Test
    default void turns_are_listed_newest_first_and_page_without_gap_or_repeat() {
        store().commit(t -> {
            t.insertTurn(turn(1, "a", State.COMPLETED, 10));
            t.insertTurn(turn(1, "b", State.COMPLETED, 20));
            t.insertTurn(turn(1, "c", State.ACCEPTED, 20));
            t.insertTurn(turn(1, "d", State.COMPLETED, 5));
            t.insertTurn(turn(2, "e", State.COMPLETED, 15));
        });

        List<TurnRow> first = reads().turns(1, Long.MAX_VALUE, "", 2);
        TurnRow last = first.getLast();
        List<TurnRow> second = reads().turns(1, last.createdAt(), last.id(), 5);

        assertThat(first).extracting(TurnRow::id).containsExactly("c", "b");
        assertThat(second).extracting(TurnRow::id).containsExactly("a", "d");
    }

    @Test
    default void a_property_is_put_replaced_and_deleted() {
        String owner = new Owner.Tenant("t").encoded();
        store().commit(t -> t.putProperty(property(owner, "n", 1, 0)));
        store().commit(t -> t.putProperty(property(owner, "n", 2, 99)));

        store().restart();

        assertSame(reads().property(owner, "n"), property(owner, "n", 2, 99));
        assertThat(reads().property(owner, "m")).isEmpty();
        assertThat(reads().property(new Owner.Tenant("u").encoded(), "n")).isEmpty();
        store().commit(t -> t.deleteProperty(owner, "n"));
        assertThat(reads().property(owner, "n")).isEmpty();
    }

    @Test
    default void the_largest_property_comes_back_whole() {
        PropertyRow large = new PropertyRow("t:a", "n", 1, Samples.noise(64 << 10), 0);
        store().commit(t -> t.putProperty(large));

        assertThat(reads().property("t:a", "n").orElseThrow().value()).isEqualTo(large.value());
    }

    @Test
    default void properties_are_listed_by_prefix_in_order_of_their_names_and_page() {
        List<String> names =
                List.of("a", "b", "b/", "b/1", "b/10", "b/2", "b/%", "b/_x", "b/é", "b/\uFFFD", "b/😀", "b0", "c");
        store().commit(t -> {
            names.forEach(name -> t.putProperty(property("t:a", name, 1, 0)));
            t.putProperty(property("t:b", "b/zz", 1, 0));
        });

        List<String> listed = new ArrayList<>();
        String after = "";
        while (true) {
            String last = after;
            List<PropertyRow> page = reads().properties("t:a", "b/", last, 2);
            page.forEach(row -> listed.add(row.name()));
            if (page.size() < 2) {
                break;
            }
            after = page.getLast().name();
        }

        assertThat(listed).containsExactly("b/", "b/%", "b/1", "b/10", "b/2", "b/_x", "b/é", "b/\uFFFD", "b/😀");
        assertThat(reads().properties("t:a", "", "b/é", 3))
                .extracting(PropertyRow::name)
                .containsExactly("b/\uFFFD", "b/😀", "b0");
        assertThat(reads().properties("t:a", "B", "", 10)).isEmpty();
    }

    @Test
    default void properties_that_expire_are_named_earliest_first() {
        assertThat(reads().nextPropertyExpiry()).isZero();
        store().commit(t -> {
            t.putProperty(property("t:a", "x", 1, 300));
            t.putProperty(property("t:a", "y", 1, 100));
            t.putProperty(property("t:b", "z", 1, 0));
            t.putProperty(property("s:1", "x", 1, 200));
        });

        assertThat(reads().nextPropertyExpiry()).isEqualTo(100);
        assertThat(reads().expiredProperties(200, 10))
                .extracting(PropertyRow::name)
                .containsExactly("y", "x");
        assertThat(reads().expiredProperties(400, 2))
                .extracting(PropertyRow::expiresAt)
                .containsExactly(100L, 200L);
        assertThat(reads().expiredProperties(99, 10)).isEmpty();
    }

    @Test
    default void an_owners_properties_are_purged_in_bounded_steps() {
        store().commit(t -> {
            for (int i = 0; i < 5; i++) {
                t.putProperty(new PropertyRow("x:1", "p" + i, 1, bytes("v"), 0));
                t.putProperty(new PropertyRow("x:11", "p" + i, 1, bytes("v"), 0));
            }
        });

        assertThat(alone().purgeProperties("x:1", 3)).isEqualTo(3);
        assertThat(alone().purgeProperties("x:1", 3)).isEqualTo(2);
        assertThat(alone().purgeProperties("x:1", 3)).isZero();
        assertThat(reads().properties("x:11", "", "", 10)).hasSize(5);
    }

    private static void assertSame(Optional<? extends Record> actual, Record expected) {
        assertThat(actual)
                .get()
                .usingRecursiveComparison()
                .withEqualsForType(Arrays::equals, byte[].class)
                .isEqualTo(expected);
    }
}
