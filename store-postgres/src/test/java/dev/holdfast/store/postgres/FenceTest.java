package dev.holdfast.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.error.HoldfastException.StorePoisoned;
import dev.holdfast.store.Store;
import dev.holdfast.store.StoreTransaction;
import dev.holdfast.store.StoreTransaction.Receipt;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** ONE-WRITER: a store whose lease was taken over changes nothing any more, and a taker never comes between a transaction and its commit. */
final class FenceTest {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final Shard shard = new Shard(
            settings -> settings.withTimeouts(Duration.ofSeconds(30), Duration.ofSeconds(20), Duration.ofSeconds(1)));

    @AfterEach
    void close() {
        shard.close();
    }

    private void assertRefusedForGood() {
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> shard.commit(tx -> tx.append(Rows.append(1, 1, "late"))))
                    .isInstanceOf(StorePoisoned.class)
                    .hasMessageContaining("lease of shard 0 was taken over");
            assertThatThrownBy(() -> shard.commit(tx -> tx.insertSession(Rows.session(1, "late", 1))))
                    .isInstanceOf(StorePoisoned.class)
                    .hasMessageContaining("lease of shard 0 was taken over");
        }
    }

    @Test
    void an_append_with_a_stale_epoch_is_refused_each_time_ONE_WRITER() throws Exception {
        shard.commit(tx -> tx.append(Rows.append(1, 0, "in time")));
        long unused = shard.database.claim(0);

        assertRefusedForGood();

        assertThat(shard.number("SELECT count(*) FROM @segments")).isEqualTo(1);
        assertThat(shard.reopen().texts()).containsExactly("1:in time");
    }

    @Test
    void a_transaction_with_a_stale_epoch_is_refused_at_its_first_read_or_its_commit_ONE_WRITER() {
        StoreTransaction tx = shard.begin();
        tx.insertSession(Rows.session(1, "a", 1));
        long unused = shard.database.claim(0);

        assertThatExceptionOfType(StorePoisoned.class).isThrownBy(() -> tx.session(1));
        assertThatExceptionOfType(StorePoisoned.class).isThrownBy(tx::commit);
        tx.rollback();
        assertRefusedForGood();
        assertThat(shard.sees(reads -> reads.session(1).isPresent())).isFalse();
    }

    @Test
    void a_taker_waits_for_the_commit_of_a_transaction_that_has_begun_to_write_ONE_WRITER() {
        StoreTransaction tx = shard.begin();
        tx.insertSession(Rows.session(1, "a", 1));
        assertThat(tx.session(1)).isPresent(); // sent, and with it the lease is locked
        CompletableFuture<Long> taken = CompletableFuture.supplyAsync(() -> shard.database.claim(0));
        awaitBlocked();
        assertThat(taken).isNotDone();

        tx.append(Rows.append(1, 0, "x"));
        assertThat(tx.commit().position()).isEqualTo(1);

        assertThat(taken.join()).isEqualTo(2);
        assertRefusedForGood();
        assertThat(shard.reopen().texts()).containsExactly("1:x");
    }

    private void awaitBlocked() {
        await().atMost(PATIENCE)
                .until(() -> shard.number(
                                "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%\""
                                        + shard.settings.schema() + "\"%'")
                        == 1);
    }

    private Connection taker() throws SQLException {
        Connection taker = shard.server.connect();
        taker.setAutoCommit(false);
        try (Statement update = taker.createStatement()) {
            update.execute(new SchemaName(shard.settings.schema())
                    .qualify("UPDATE @shards SET epoch = epoch + 1 WHERE shard = 0"));
        }
        return taker;
    }

    @Test
    void an_append_waits_for_a_taker_that_has_begun_and_is_refused_when_it_has_committed_ONE_WRITER() throws Exception {
        try (Connection taker = taker()) {
            CompletableFuture<Receipt> append =
                    CompletableFuture.supplyAsync(() -> shard.commit(tx -> tx.append(Rows.append(1, 0, "late"))));
            awaitBlocked();
            taker.commit();
            assertThatThrownBy(append::join).hasCauseInstanceOf(StorePoisoned.class);
        }
        assertThat(shard.number("SELECT count(*) FROM @segments")).isZero();
    }

    @Test
    void an_append_waits_for_a_taker_that_has_begun_and_happens_when_it_gave_up() throws Exception {
        try (Connection taker = taker()) {
            CompletableFuture<Receipt> append =
                    CompletableFuture.supplyAsync(() -> shard.commit(tx -> tx.append(Rows.append(1, 0, "in time"))));
            awaitBlocked();
            taker.rollback();
            assertThat(append.join().position()).isEqualTo(1);
        }
    }

    @Test
    void a_frozen_transaction_is_ended_by_the_server_and_does_not_keep_the_lease() {
        StoreTransaction frozen = shard.begin();
        frozen.insertSession(Rows.session(1, "a", 1));
        assertThat(frozen.session(1)).isPresent();

        assertThat(shard.database.claim(0)).isEqualTo(2); // waits for the server to end the transaction

        assertThatExceptionOfType(StorePoisoned.class).isThrownBy(frozen::commit);
        frozen.rollback();
        assertRefusedForGood();
        assertThat(shard.sees(reads -> reads.session(1).isPresent())).isFalse();
    }

    @Test
    void a_store_opened_with_a_stale_epoch_is_refused_before_it_reads() {
        Store stale = shard.database.store(0, 0);
        assertThatExceptionOfType(StorePoisoned.class).isThrownBy(() -> stale.recover(new Rows.Log()));
    }

    @Test
    void of_two_stores_with_the_same_epoch_only_the_one_that_was_opened_last_writes() {
        Store second = shard.database.store(0, 1);
        second.recover(new Rows.Log());

        assertRefusedForGood();

        StoreTransaction tx = second.begin();
        tx.append(Rows.append(1, 0, "second"));
        assertThat(tx.commit().position()).isEqualTo(1);
    }

    @Test
    void other_shards_go_on_when_one_is_taken_over() {
        Store other = shard.database.store(1, shard.database.claim(1));
        other.recover(new Rows.Log());
        long unused = shard.database.claim(0);

        StoreTransaction tx = other.begin();
        tx.append(Rows.append(1, 0, "other"));
        assertThat(tx.reserveKeys(3)).isEqualTo((1L << 40) + 1);
        assertThat(tx.commit().position()).isEqualTo(1);
        assertThat(shard.reopen().texts()).isEmpty();
    }

    @Test
    void a_follower_reads_and_does_not_write() {
        shard.commit(tx -> tx.insertSession(Rows.session(1, "a", 1)));
        Store follower = shard.database.follower(0);

        assertThat(follower.<Boolean>read(reads -> reads.session(1).isPresent()))
                .isTrue();
        assertThatThrownBy(follower::begin)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("reading only");
        assertThatThrownBy(() -> follower.recover(new Rows.Log()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("reading only");
    }
}
