package dev.holdfast.store.sqlite;

import static dev.holdfast.store.sqlite.OpenStore.assertSame;
import static dev.holdfast.store.sqlite.Rows.NOW;
import static dev.holdfast.store.sqlite.Rows.bytes;
import static dev.holdfast.store.sqlite.Rows.random;
import static dev.holdfast.store.sqlite.Rows.turn;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.store.PropertyRow;
import dev.holdfast.store.TurnRow;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Turns and properties: what a verb writes is read in the transaction, on a snapshot after it, and after a restart. */
final class TurnsAndPropertiesTest {

    @TempDir
    Path folder;

    private OpenStore store;

    @BeforeEach
    void open() {
        store = new OpenStore(folder);
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void a_turn_keeps_each_field_through_its_life() {
        TurnRow accepted = turn(1, "t1", TurnRow.State.ACCEPTED, NOW, random(5000, 9));
        TurnRow ended = new TurnRow(
                1,
                "t1",
                TurnRow.State.FAILED,
                "b",
                bytes("h2"),
                random(3 << 20, 10),
                null,
                "m9",
                8,
                null,
                "s/t",
                2,
                3,
                4,
                true,
                "bad",
                NOW + 1,
                NOW + 2,
                NOW + 3,
                TurnRow.Kind.REGENERATE,
                NOW + 4,
                11);
        store.commit(tx -> tx.insertTurn(accepted));
        store.check(reads -> assertSame(reads.turn(1, "t1"), accepted));
        store.commit(tx -> tx.updateTurn(ended));
        store.check(reads -> {
            assertSame(reads.turn(1, "t1"), ended);
            assertThat(reads.liveTurns(1)).isEmpty();
            assertThat(reads.turn(1, "t2")).isEmpty();
        });
    }

    @Test
    void live_turns_are_listed_per_session_and_over_all_sessions_in_pages() {
        store.commit(tx -> {
            for (int s = 1; s <= 3; s++) {
                tx.insertTurn(turn(s, "x", TurnRow.State.STREAMING, NOW + 2, bytes("")));
                tx.insertTurn(turn(s, "y", TurnRow.State.AWAITING, NOW + 1, bytes("")));
                tx.insertTurn(turn(s, "z", TurnRow.State.STOPPED, NOW, bytes("")));
            }
        });
        store.check(reads -> {
            assertThat(reads.liveTurns(2)).extracting(TurnRow::id).containsExactly("y", "x");
            assertThat(reads.liveTurns(0, "", 4))
                    .extracting(t -> t.sessionKey() + t.id())
                    .containsExactly("1x", "1y", "2x", "2y");
            assertThat(reads.liveTurns(2, "x", 9))
                    .extracting(t -> t.sessionKey() + t.id())
                    .containsExactly("2y", "3x", "3y");
            assertThat(reads.turns(1, Long.MAX_VALUE, "", 2))
                    .extracting(TurnRow::id)
                    .containsExactly("x", "y");
            assertThat(reads.turns(1, NOW + 1, "y", 9)).extracting(TurnRow::id).containsExactly("z");
        });
    }

    @Test
    void properties_are_put_listed_by_prefix_and_purged() {
        List<String> names = List.of("a", "a/1", "a/2", "a/\uD83D\uDE00", "a0", "b");
        store.commit(tx -> {
            for (String name : names) {
                tx.putProperty(new PropertyRow("t:x", name, 1, bytes(name), 0));
            }
            tx.putProperty(new PropertyRow("t:y", "a/3", 1, new byte[0], 0));
            tx.putProperty(new PropertyRow("t:x", "a/1", 2, random(60_000, 11), 0));
        });
        store.check(reads -> {
            assertSame(reads.property("t:x", "a/1"), new PropertyRow("t:x", "a/1", 2, random(60_000, 11), 0));
            assertThat(reads.property("t:y", "a/3").orElseThrow().value()).isEmpty();
            assertThat(reads.properties("t:x", "", "", 9))
                    .extracting(PropertyRow::name)
                    .containsExactlyElementsOf(names);
            assertThat(reads.properties("t:x", "a/", "", 9))
                    .extracting(PropertyRow::name)
                    .containsExactly("a/1", "a/2", "a/\uD83D\uDE00");
            assertThat(reads.properties("t:x", "a/", "a/1", 1))
                    .extracting(PropertyRow::name)
                    .containsExactly("a/2");
            assertThat(reads.properties("t:x", "a/", "a/\uD83D\uDE00", 9)).isEmpty();
            assertThat(reads.properties("t:x", "a/", "b", 9)).isEmpty();
            assertThat(reads.properties("t:x", "\uDBFF\uDFFF", "", 9)).isEmpty();
        });
        store.commit(tx -> {
            tx.deleteProperty("t:x", "a");
            assertThat(tx.purgeProperties("t:x", 3)).isEqualTo(3);
            assertThat(tx.purgeProperties("t:x", 3)).isEqualTo(2);
            assertThat(tx.purgeProperties("t:x", 3)).isZero();
        });
        store.check(reads -> assertThat(reads.property("t:y", "a/3")).isPresent());
    }

    @Test
    void properties_expire_earliest_first() {
        store.commit(tx -> {
            tx.putProperty(new PropertyRow("t:x", "a", 1, bytes("1"), 30));
            tx.putProperty(new PropertyRow("t:x", "b", 1, bytes("2"), 10));
            tx.putProperty(new PropertyRow("s:1", "c", 1, bytes("3"), 20));
            tx.putProperty(new PropertyRow("t:x", "d", 1, bytes("4"), 0));
        });
        store.check(reads -> {
            assertThat(reads.expiredProperties(20, 9))
                    .extracting(PropertyRow::name)
                    .containsExactly("b", "c");
            assertThat(reads.nextPropertyExpiry()).isEqualTo(10);
        });
        store.commit(tx -> tx.putProperty(new PropertyRow("t:x", "b", 2, bytes("2"), 0)));
        store.check(reads -> assertThat(reads.nextPropertyExpiry()).isEqualTo(20));
    }
}
