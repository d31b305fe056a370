package dev.holdfast.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.StoreFailed;
import dev.holdfast.store.StoreTransaction;
import dev.holdfast.store.TurnRow;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** A change of a row that is not there is refused, although the commit was sent together with it. */
final class MissingRowTest {

    private static final List<Consumer<StoreTransaction>> CHANGES = List.of(
            tx -> tx.updateStream(Rows.stream(7, "s")),
            tx -> tx.updateSession(Rows.session(7, "s", 1)),
            tx -> tx.updateMessage(Rows.message(7, 1, 0, 1), Rows.bytes("x")),
            tx -> tx.moveMessage(7, 1, 2),
            tx -> tx.updateTurn(Rows.turn(7, "t", TurnRow.State.COMPLETED, 1, Rows.bytes("x"))),
            tx -> tx.updateTurn(Rows.turn(7, "t", TurnRow.State.COMPLETED, 1, Rows.random(9_000, 1))));

    @Test
    void nothing_of_a_transaction_is_committed_whose_change_finds_no_row() {
        try (Shard shard = new Shard()) {
            for (Consumer<StoreTransaction> change : CHANGES) {
                StoreTransaction tx = shard.begin();
                tx.appendFeed(Rows.event(1, 0));
                assertThat(tx.feedNext(1)).isEqualTo(1); // from here on the commit goes with the last writes
                tx.append(Rows.append(1, 0, "x"));
                assertThatThrownBy(() -> {
                            change.accept(tx);
                            tx.commit();
                        })
                        .isInstanceOf(StoreFailed.class)
                        .hasMessageContaining("to be changed is not in the database");
                tx.rollback();
                assertThat(shard.sees(reads -> reads.feedNext(1) == 0)).isTrue();
            }
            assertThat(shard.reopen().positions).isEmpty();
        }
    }
}
