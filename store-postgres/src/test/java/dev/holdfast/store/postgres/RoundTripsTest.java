package dev.holdfast.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.store.StoreTransaction;
import dev.holdfast.store.TurnRow;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How often a store waits for its server. Packets are counted where they pass. */
final class RoundTripsTest {

    /** The pool asks a connection that slept for so many ms whether it is alive, and a slow machine would let it sleep in between. */
    private static final String ALIVE_WINDOW = "com.zaxxer.hikari.aliveBypassWindowMs";

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private CuttingProxy proxy;
    private Shard shard;

    @BeforeEach
    void open() throws IOException {
        System.setProperty(ALIVE_WINDOW, "600000");
        PostgresServer server = PostgresServer.shared();
        proxy = new CuttingProxy(server.port());
        shard = new Shard(settings ->
                server.settings(PostgresServer.jdbcUrl(proxy.port())).withPools(1, 1));
        shard.commit(RoundTripsTest::startOfTurn); // from here on both connections are open
        readOnce();
    }

    /** One snapshot, and its end, which comes when the caller has its answer already. */
    private void readOnce() {
        long before = proxy.packets();
        assertThat(shard.sees(reads -> reads.session(1).isPresent())).isTrue();
        await().atMost(PATIENCE).until(() -> proxy.packets() >= before + 2);
    }

    @AfterEach
    void close() throws IOException {
        System.clearProperty(ALIVE_WINDOW);
        shard.close();
        proxy.close();
    }

    private static void startOfTurn(StoreTransaction tx) {
        tx.insertSession(Rows.session(1, "a", 1));
        tx.insertMessage(Rows.message(1, 1, 0, 5), Rows.bytes("hello"));
        tx.insertTurn(Rows.turn(1, "t", TurnRow.State.STREAMING, 1, Rows.bytes("input")));
        tx.insertStream(Rows.stream(1, "s"));
        tx.appendFeed(Rows.event(1, 0));
        tx.appendFeed(Rows.event(1, 1));
    }

    private long packets(Consumer<StoreTransaction> work) {
        long before = proxy.packets();
        shard.commit(work);
        return proxy.packets() - before;
    }

    @Test
    void a_transaction_that_only_appends_is_one_round_trip_for_any_number_of_streams() {
        assertThat(packets(tx -> tx.append(Rows.append(1, 0, "a")))).isEqualTo(1);
        assertThat(packets(tx -> {
                    for (int stream = 1; stream <= 20; stream++) {
                        tx.append(Rows.append(stream, 1, "b"));
                    }
                }))
                .isEqualTo(1);
    }

    @Test
    void an_end_of_a_turn_that_reads_nothing_is_two_round_trips() {
        assertThat(packets(tx -> {
                    tx.append(Rows.append(1, 0, "last"));
                    tx.insertMessage(Rows.message(1, 2, 1, 5), Rows.bytes("world"));
                    tx.updateTurn(Rows.turn(1, "t", TurnRow.State.COMPLETED, 1, Rows.bytes("input")));
                    tx.updateSession(Rows.session(1, "a", 2));
                    tx.updateStream(Rows.stream(1, "s"));
                    tx.appendFeed(Rows.event(1, 2));
                }))
                .isEqualTo(2);
    }

    @Test
    void a_read_takes_the_writes_before_it_along_and_the_commit_those_after_it() {
        assertThat(packets(tx -> {
                    tx.appendFeed(Rows.event(1, 2));
                    assertThat(tx.feedNext(1)).isEqualTo(3);
                    tx.appendFeed(Rows.event(1, 3));
                }))
                .isEqualTo(2);
    }

    @Test
    void a_transaction_that_only_reads_locks_nothing_and_one_that_does_nothing_sends_nothing() throws Exception {
        assertThat(packets(tx -> {})).isZero();
        StoreTransaction reading = shard.begin();
        assertThat(reading.feedNext(1)).isEqualTo(2);
        shard.server.run(
                "SET lock_timeout = '30s'",
                new SchemaName(shard.settings.schema()).qualify("UPDATE @shards SET epoch = 2 WHERE shard = 0"));
        reading.rollback();
    }

    @Test
    void a_snapshot_with_one_query_is_one_round_trip_and_one_for_its_end() {
        long before = proxy.packets();
        readOnce();
        assertThat(proxy.packets() - before).isEqualTo(2);
    }
}
