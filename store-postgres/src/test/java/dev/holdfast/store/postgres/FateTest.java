package dev.holdfast.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.error.HoldfastException.StoreBusy;
import dev.holdfast.error.HoldfastException.StorePoisoned;
import dev.holdfast.store.StoreTransaction;
import dev.holdfast.store.postgres.CuttingProxy.Cut;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** FAIL-STOP on a remote store: a commit whose answer is lost is asked about before anyone is told anything. */
final class FateTest {

    private static final String APPEND = "WITH fence AS";
    /** With the end of the text, as the isolation level has the word in it. */
    private static final String COMMIT = "COMMIT\0";

    private static final int ROUNDS = "nightly".equals(System.getProperty("holdfast.profile")) ? 2_000 : 120;

    private CuttingProxy proxy;
    private Shard shard;

    @BeforeEach
    void open() throws IOException {
        PostgresServer server = PostgresServer.shared();
        proxy = new CuttingProxy(server.port());
        // Statements travel as text with a pooler, so that the proxy can read them; and the server ends what is left
        // open within a moment.
        shard = new Shard(settings -> server.settings(PostgresServer.jdbcUrl(proxy.port()))
                .withPooler(PostgresSettings.Pooler.PER_TRANSACTION)
                .withTimeouts(Duration.ofSeconds(10), Duration.ofMillis(300), Duration.ofSeconds(1)));
        shard.commit(tx -> tx.append(Rows.append(1, 0, "first")));
    }

    @AfterEach
    void close() throws IOException {
        shard.close();
        proxy.close();
    }

    private void append(long seq, String text) {
        assertThat(shard.commit(tx -> tx.append(Rows.append(1, seq, text))).position())
                .isPositive();
    }

    private long change(long key) {
        return shard.commit(tx -> {
                    tx.append(Rows.append(2, key, "of " + key));
                    tx.insertSession(Rows.session(key, "s" + key, 1));
                })
                .position();
    }

    @Test
    void an_append_that_happened_is_acknowledged_though_its_answer_was_lost() {
        proxy.arm(new Cut.BeforeTheAnswer(APPEND, 0));
        append(1, "second");
        assertThat(proxy.disarm()).isTrue();

        append(2, "third");
        assertThat(shard.reopen().texts()).containsExactly("1:first", "1:second", "1:third");
    }

    @Test
    void an_append_that_never_arrived_is_refused_and_leaves_nothing() {
        proxy.arm(new Cut.BeforeTheServer(APPEND, 0));
        assertThatExceptionOfType(StoreBusy.class).isThrownBy(() -> append(1, "lost"));
        assertThat(proxy.disarm()).isTrue();

        append(1, "second");
        assertThat(shard.reopen().texts()).containsExactly("1:first", "1:second");
    }

    @Test
    void an_append_that_arrives_after_it_was_refused_changes_nothing_ONE_WRITER() {
        proxy.arm(new Cut.Late(APPEND));
        assertThatExceptionOfType(StoreBusy.class).isThrownBy(() -> append(1, "lost"));

        proxy.deliver();

        append(1, "second");
        assertThat(shard.reopen().texts()).containsExactly("1:first", "1:second");
    }

    @Test
    void a_commit_that_happened_is_acknowledged_though_its_answer_was_lost() {
        proxy.arm(new Cut.BeforeTheAnswer(COMMIT, 0));
        assertThat(change(5)).isEqualTo(2);
        assertThat(proxy.disarm()).isTrue();

        assertThat(change(6)).isEqualTo(3);
        assertThat(shard.reopen().texts()).containsExactly("1:first", "2:of 5", "2:of 6");
        assertThat(shard.sees(reads -> reads.session(5).isPresent())).isTrue();
    }

    @Test
    void a_commit_that_never_arrived_is_refused_and_leaves_nothing() {
        proxy.arm(new Cut.BeforeTheServer(COMMIT, 3));
        assertThatExceptionOfType(StoreBusy.class).isThrownBy(() -> change(5));
        assertThat(proxy.disarm()).isTrue();

        assertThat(change(5)).isEqualTo(2);
        assertThat(shard.reopen().texts()).containsExactly("1:first", "2:of 5");
    }

    @Test
    void a_commit_that_arrives_after_it_was_refused_changes_nothing() {
        proxy.arm(new Cut.Late(COMMIT));
        assertThatExceptionOfType(StoreBusy.class)
                .isThrownBy(() -> change(5)); // waits until the server ends the transaction

        proxy.deliver();

        assertThat(shard.sees(reads -> reads.session(5).isPresent())).isFalse();
        assertThat(change(5)).isEqualTo(2);
        assertThat(shard.reopen().texts()).containsExactly("1:first", "2:of 5");
    }

    @Test
    void a_connection_lost_before_the_commit_was_sent_is_a_refusal() {
        proxy.arm(new Cut.BeforeTheAnswer("INSERT INTO", 0));
        assertThatExceptionOfType(StoreBusy.class).isThrownBy(() -> change(5));
        assertThat(proxy.disarm()).isTrue();
        assertThat(change(5)).isEqualTo(2);
    }

    @Test
    void a_commit_that_happened_just_before_the_lease_was_taken_over_is_acknowledged_and_nothing_after_it()
            throws Exception {
        PostgresDatabase other =
                PostgresDatabase.open(PostgresServer.shared().settings().withSchema(shard.settings.schema()));
        try (other) {
            StoreTransaction tx = shard.begin();
            tx.append(Rows.append(2, 5, "of 5"));
            tx.insertSession(Rows.session(5, "s5", 1));
            assertThat(tx.session(5)).isPresent();
            proxy.arm(new Cut.BeforeTheAnswer(COMMIT, 0), () -> other.claim(0));

            assertThat(tx.commit().position()).isEqualTo(2);

            assertThatExceptionOfType(StorePoisoned.class).isThrownBy(() -> change(6));
        }
        assertThat(shard.reopen().texts()).containsExactly("1:first", "2:of 5");
    }

    @Test
    void an_append_of_which_the_taker_of_the_lease_left_no_trace_poisons_and_does_not_say_that_nothing_changed()
            throws Exception {
        try (PostgresDatabase other =
                PostgresDatabase.open(PostgresServer.shared().settings().withSchema(shard.settings.schema()))) {
            proxy.arm(new Cut.BeforeTheServer(APPEND, 0), () -> other.claim(0));
            assertThatExceptionOfType(StorePoisoned.class)
                    .isThrownBy(() -> append(1, "unknown"))
                    .withMessageContaining("taken over before it could be asked");
        }
    }

    @Test
    void an_answer_that_cannot_be_had_in_time_poisons_the_store_FAIL_STOP() throws Exception {
        PostgresServer server = PostgresServer.shared();
        CuttingProxy first = new CuttingProxy(server.port());
        try (Shard lone = new Shard(settings -> server.settings(PostgresServer.jdbcUrl(first.port()))
                .withPooler(PostgresSettings.Pooler.PER_TRANSACTION)
                .withPools(1, 1)
                .withConnectTimeout(Duration.ofMillis(300))
                .withCommitResolution(Duration.ofMillis(500)))) {
            lone.commit(tx -> tx.append(Rows.append(1, 0, "first")));
            first.arm(new Cut.BeforeTheAnswer(APPEND, 0));
            first.close(); // no way to ask
            for (int i = 0; i < 2; i++) {
                assertThatExceptionOfType(StorePoisoned.class)
                        .isThrownBy(() -> lone.commit(tx -> tx.append(Rows.append(1, 1, "unknown"))));
            }
        }
    }

    @Test
    void wherever_a_connection_is_cut_what_is_acknowledged_is_there_and_what_is_refused_is_not_EXACT_PREFIX() {
        Random random = new Random(7);
        List<String> expected = new ArrayList<>(List.of("1:first"));
        long seq = 1;
        int refused = 0;
        int cut = 0;
        for (int round = 0; round < ROUNDS; round++) {
            boolean alone = random.nextBoolean();
            String mark = alone ? APPEND : random.nextBoolean() ? COMMIT : "INSERT INTO";
            proxy.arm(
                    random.nextBoolean()
                            ? new Cut.BeforeTheServer(mark, random.nextInt(600))
                            : new Cut.BeforeTheAnswer(mark, random.nextInt(80)));
            long from = seq;
            long key = round + 10L;
            try {
                StoreTransaction tx = shard.begin();
                try {
                    tx.append(Rows.append(1, from, "c" + round));
                    if (!alone) {
                        tx.insertSession(Rows.session(key, "s" + key, 1));
                    }
                    assertThat(tx.commit().position()).isEqualTo(expected.size() + 1L);
                } finally {
                    tx.rollback();
                }
                expected.add("1:c" + round);
                seq++;
            } catch (StoreBusy e) {
                refused++;
            }
            cut += proxy.disarm() ? 1 : 0;
            if (!alone) {
                boolean there = expected.getLast().equals("1:c" + round);
                assertThat(shard.sees(reads -> reads.session(key).isPresent())).isEqualTo(there);
            }
        }
        assertThat(shard.reopen().texts()).isEqualTo(expected);
        assertThat(cut).isGreaterThan(ROUNDS / 2);
        assertThat(refused).isBetween(ROUNDS / 20, ROUNDS);
    }
}
