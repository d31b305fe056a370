package dev.holdfast.testkit;

import static dev.holdfast.testkit.Samples.TENANT;
import static dev.holdfast.testkit.Samples.append;
import static dev.holdfast.testkit.Samples.block;
import static dev.holdfast.testkit.Samples.bytes;
import static dev.holdfast.testkit.Samples.event;
import static dev.holdfast.testkit.Samples.message;
import static dev.holdfast.testkit.Samples.property;
import static dev.holdfast.testkit.Samples.session;
import static dev.holdfast.testkit.Samples.stream;
import static dev.holdfast.testkit.Samples.turn;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.error.HoldfastException.StoreFailed;
import dev.holdfast.store.StoreReads;
import dev.holdfast.store.StoreTransaction;
import dev.holdfast.store.StreamRow;
import dev.holdfast.store.TurnRow;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** All or nothing, seen by others only once it is committed, and durable then. */
interface TransactionContract extends ContractPart {

    @Test
    default void a_transaction_over_every_table_is_there_whole_after_a_restart() {
        store().commit(TransactionContract::writeEverywhere);

        assertThat(store().restart()).hasSize(1);

        assertThat(store().read(TransactionContract::found))
                .isEqualTo("stream block session event message turn property");
    }

    @Test
    default void a_rolled_back_transaction_leaves_nothing_in_any_table() {
        store().rollBack(TransactionContract::writeEverywhere);

        assertThat(store().read(TransactionContract::found)).isEmpty();
        assertThat(store().restart()).isEmpty();
        assertThat(store().read(TransactionContract::found)).isEmpty();
    }

    @Test
    default void a_transaction_sees_its_own_changes_and_nobody_else_does_before_the_commit_VISIBLE_IS_DURABLE() {
        StoreTransaction open = store().begin();
        writeEverywhere(open);

        assertThat(found(open)).isEqualTo("stream block session event message turn property");
        assertThat(store().read(TransactionContract::found)).isEmpty();
        open.commit();
        assertThat(store().read(TransactionContract::found))
                .isEqualTo("stream block session event message turn property");
    }

    @Test
    default void a_read_keeps_its_snapshot_while_a_commit_passes() throws Exception {
        store().commit(t -> t.insertStream(stream(1, "before")));
        CompletableFuture<Boolean> started = new CompletableFuture<>();
        CompletableFuture<Boolean> committed = new CompletableFuture<>();
        CompletableFuture<String> seen = CompletableFuture.supplyAsync(() -> store().read(reads -> {
            String first = names(reads);
            started.complete(true);
            committed.join();
            return first + " then " + names(reads);
        }));
        started.get();

        store().commit(t -> {
            t.updateStream(stream(1, "after"));
            t.insertStream(stream(2, "new"));
        });
        committed.complete(true);

        assertThat(seen.get()).isEqualTo("before - then before -");
        assertThat(store().read(TransactionContract::names)).isEqualTo("after new");
    }

    private static String names(StoreReads reads) {
        return reads.stream(1).map(StreamRow::name).orElse("-") + " "
                + reads.stream(2).map(StreamRow::name).orElse("-");
    }

    @Test
    default void a_rollback_after_the_commit_is_harmless() {
        StoreTransaction transaction = store().begin();
        transaction.insertStream(stream(1, "s"));
        transaction.commit();
        transaction.rollback();
        transaction.rollback();

        assertThat(reads().stream(1)).isPresent();
    }

    @Test
    default void an_empty_transaction_commits() {
        assertThat(store().commit(t -> {}).position()).isZero();
        assertThat(store().restart()).isEmpty();
    }

    @Test
    default void a_refused_write_has_a_known_fate_and_dooms_its_transaction_alone() {
        store().commit(t -> t.insertStream(stream(1, "taken")));
        StoreTransaction doomed = store().begin();
        doomed.append(append(1, 0, "a"));
        doomed.insertStream(stream(2, "free"));

        assertRefused(doomed, t -> t.insertStream(stream(3, "taken")));
        assertThatExceptionOfType(StoreFailed.class).isThrownBy(doomed::commit);
        doomed.rollback();

        assertThat(reads().stream(2)).isEmpty();
        store().commit(t -> t.insertStream(stream(2, "free")));
        assertThat(store().restart()).isEmpty();
        assertThat(reads().stream(2)).isPresent();
    }

    @Test
    default void a_write_that_is_refused_at_the_commit_has_a_known_fate() {
        store().commit(t -> t.insertStream(stream(1, "taken")));
        StoreTransaction doomed = store().begin();

        assertThatExceptionOfType(StoreFailed.class).isThrownBy(() -> {
            doomed.insertStream(stream(2, "free"));
            doomed.append(append(2, 0, "a"));
            doomed.insertStream(stream(3, "taken"));
            doomed.commit();
        });
        doomed.rollback();

        assertThat(reads().stream(2)).isEmpty();
        assertThat(store().restart()).isEmpty();
    }

    @Test
    default void what_must_be_unique_is_refused_twice() {
        refusedTwice(t -> t.insertStream(stream(1, "s")));
        refusedTwice(t -> t.insertBlock(block(1, 0, "a")));
        refusedTwice(t -> t.insertSession(session(1, "s")));
        refusedTwice(t -> t.appendFeed(event(1, 0)));
        refusedTwice(t -> t.insertMessage(message(1, 1, 0, bytes("a")), bytes("a")));
        refusedTwice(t -> t.insertTurn(turn(1, "t", TurnRow.State.ACCEPTED, 1)));
    }

    private void refusedTwice(Consumer<StoreTransaction> write) {
        store().commit(write);
        StoreTransaction second = store().begin();
        try {
            assertRefused(second, write);
        } finally {
            second.rollback();
        }
    }

    @Test
    default void every_commit_is_durable_over_many_restarts() {
        for (int i = 1; i <= 5; i++) {
            int key = i;
            store().commit(t -> {
                t.insertStream(stream(key, "s" + key));
                t.append(append(key, 0, "a"));
            });
            assertThat(store().restart()).hasSize(i);
            for (int k = 1; k <= i; k++) {
                int known = k;
                assertThat(reads().stream(TENANT, "s" + known)).isPresent();
            }
        }
    }

    private static void writeEverywhere(StoreTransaction t) {
        t.append(append(1, 0, "chunk"));
        t.insertStream(stream(1, "s"));
        t.insertBlock(block(1, 0, "chunk"));
        t.insertSession(session(1, "s"));
        t.appendFeed(event(1, 0));
        t.insertMessage(message(1, 1, 0, bytes("content")), bytes("content"));
        t.insertTurn(turn(1, "t", TurnRow.State.ACCEPTED, 1));
        t.putProperty(property("t:a", "p", 1, 0));
    }

    private static String found(StoreReads reads) {
        StringBuilder found = new StringBuilder();
        found.append(reads.stream(TENANT, "s").isPresent() ? "stream " : "");
        found.append(reads.block(1, 0).isPresent() ? "block " : "");
        found.append(reads.session(TENANT, "s").isPresent() ? "session " : "");
        found.append(reads.feedNext(1) > 0 ? "event " : "");
        found.append(reads.message(1, "m1").isPresent() ? "message " : "");
        found.append(reads.turn(1, "t").isPresent() ? "turn " : "");
        found.append(reads.property("t:a", "p").isPresent() ? "property " : "");
        return found.toString().trim();
    }
}
