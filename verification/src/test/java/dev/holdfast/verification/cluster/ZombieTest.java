package dev.holdfast.verification.cluster;

import static dev.holdfast.verification.rig.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.models.loopback.Pace;
import dev.holdfast.store.postgres.CuttingProxy;
import dev.holdfast.store.postgres.CuttingProxy.Cut;
import dev.holdfast.store.postgres.PostgresServer;
import dev.holdfast.verification.cluster.Conversation.Seen;
import dev.holdfast.verification.cluster.Servers.Way;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A server that is stopped after its transaction checked the epoch and before the database has its COMMIT, and goes on when its lease is another's. */
final class ZombieTest {

    private static final int SHARD = 3;
    private static final String SESSION = Servers.namesOfAllShards("chat-").get(SHARD);
    private static final String STREAM = Servers.namesOfAllShards("stream-").get(SHARD);
    private static final String TURN = "turn-1";
    private static final String COMMIT = "COMMIT\0";
    private static final int NUMBERS = 20;
    private static final int SAID_FIRST = 4;
    private static final int MAX_MINUTES = 2;

    @TempDir
    private Path scratch;

    /** When the database gets the COMMIT, which is on its way when the server is stopped. */
    enum Arrival {
        /** The lease is over, and whoever wants the shard waits for the transaction. */
        BEFORE_IT_IS_ENDED,
        /** The database has ended the silent transaction, and another server has the shard. */
        AFTER_ANOTHER_HAS_THE_SHARD
    }

    @ParameterizedTest
    @EnumSource
    @Timeout(600)
    void what_it_had_begun_is_there_wholly_or_not_at_all_and_then_it_is_refused_and_stops_its_model_call_ONE_WRITER(
            Arrival arrival) throws Exception {
        PostgresServer database = PostgresServer.shared();
        CuttingProxy[] proxies = new CuttingProxy[Servers.COUNT];
        for (int server = 0; server < proxies.length; server++) {
            proxies[server] = new CuttingProxy(database.port());
        }
        try (CountingModel model = new CountingModel(Pace.gated());
                Servers servers = new Servers(
                        scratch, model.options(), database.jdbcUrl(), server -> Way.through(proxies[server]));
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            int zombie = servers.holder(SHARD);
            try (Client near = new Client(any -> servers.uri(zombie), 0);
                    Client far = new Client(any -> servers.uri((zombie + 1) % Servers.COUNT), 0)) {
                play(arrival, model, servers, proxies[zombie], threads, zombie, near, far);
            } catch (Exception | AssertionError e) {
                throw new AssertionError(servers.logs(), e);
            } finally {
                servers.thaw(zombie);
            }
        } finally {
            for (CuttingProxy proxy : proxies) {
                proxy.close();
            }
        }
    }

    private static void play(
            Arrival arrival,
            CountingModel model,
            Servers servers,
            CuttingProxy proxy,
            ExecutorService threads,
            int zombie,
            Client near,
            Client far)
            throws Exception {
        long epoch = servers.epoch(SHARD);
        Conversation talk = new Conversation(far, SESSION, NUMBERS);
        talk.create();
        talk.begin(TURN);
        model.begin(SAID_FIRST);
        Future<?> watching = threads.submit(() -> {
            talk.follow(TURN, false);
            return true;
        });
        await().until(() -> talk.deltas() >= SAID_FIRST);

        proxy.arm(new Cut.Held(COMMIT));
        Future<Integer> creation = threads.submit(() -> statusOfCreation(near));
        await().until(proxy::hasCut);
        servers.freeze(zombie);
        await().until(() -> servers.shardsOf(zombie) == 0);
        assertThat(servers.epoch(SHARD))
                .as("the transaction that checked the epoch keeps the shard")
                .isEqualTo(epoch);
        if (arrival == Arrival.BEFORE_IT_IS_ENDED) {
            proxy.deliver();
        }
        await().until(() -> servers.heldShards() == Servers.SHARDS);
        assertThat(servers.holder(SHARD)).isNotEqualTo(zombie);
        if (arrival == Arrival.AFTER_ANOTHER_HAS_THE_SHARD) {
            proxy.deliver();
        }
        servers.thaw(zombie);

        for (int number = SAID_FIRST + 1; number <= NUMBERS; number++) {
            int said = number;
            model.say(1);
            await().until(() -> talk.deltas() >= said);
        }
        await().until(() -> model.lostReaders() > 0);
        model.end();
        watching.get(MAX_MINUTES, TimeUnit.MINUTES);
        check(arrival, servers, creation.get(MAX_MINUTES, TimeUnit.MINUTES), talk, List.of(near, far));
    }

    private static void check(
            Arrival arrival, Servers servers, int statusOfCreation, Conversation talk, List<Client> clients)
            throws Exception {
        boolean there = arrival == Arrival.BEFORE_IT_IS_ENDED;
        assertThat(statusOfCreation)
                .as("of a creation whose commit " + (there ? "happened" : "did not happen"))
                .isIn(there ? List.of(201, 503) : List.of(503));
        servers.awaitShares();
        assertThat(talk.seen()).containsEntry(TURN, new Seen("completed", CountingModel.counted(NUMBERS)));
        for (Client each : clients) {
            assertThat(each.insist("GET", StreamWriter.path(STREAM) + "?offset=-1", "")
                            .statusCode())
                    .isEqualTo(there ? 200 : 404);
            Said.check(each, 0, talk);
        }
        try (Aftermath aftermath = new Aftermath(servers)) {
            assertThat(aftermath.outcomes(SESSION)).containsExactly(TURN);
        }
    }

    /** Of a request that is not repeated; 503 also if it was cut. */
    private static int statusOfCreation(Client client) throws InterruptedException {
        try {
            return client.ask(0, "PUT", StreamWriter.path(STREAM), "", "Content-Type", "application/json")
                    .statusCode();
        } catch (IOException e) {
            return 503;
        }
    }
}
