package dev.holdfast.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import dev.holdfast.error.HoldfastException.StoreBusy;
import dev.holdfast.error.HoldfastException.StorePoisoned;
import dev.holdfast.store.postgres.CuttingProxy.Cut;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A server that crashes forgets the numbers of transactions of which nothing was on its disk, and gives them to others. Whoever asks by such a number
 * what became of a commit must not take the other's fate for it (VISIBLE-IS-DURABLE).
 */
final class ReusedNumberTest {

    /** With the end of the text, as the isolation level has the word in it. */
    private static final String COMMIT = "COMMIT\0";

    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int OTHERS = 20;

    /** Nothing but a commit brings anything to the disk. */
    private static final Map<String, String> LAZY = Map.of("wal_writer_delay", "10000ms", "autovacuum", "off");

    private PostgresServer server;
    private CuttingProxy proxy;
    private Shard shard;
    private final AtomicInteger tables = new AtomicInteger();

    @BeforeEach
    void open() throws IOException {
        server = PostgresServer.start(LAZY);
        proxy = new CuttingProxy(server.port());
        // statements travel as text with a pooler, so that the proxy can read them
        shard = new Shard(
                server,
                settings -> server.settings(PostgresServer.jdbcUrl(proxy.port()))
                        .withPooler(PostgresSettings.Pooler.PER_TRANSACTION)
                        .withConnectTimeout(Duration.ofMillis(500)));
        shard.commit(tx -> tx.append(Rows.append(1, 0, "first")));
    }

    @AfterEach
    void close() throws IOException {
        shard.close();
        proxy.close();
        server.close();
    }

    private long change(long key) {
        return shard.commit(tx -> {
                    tx.append(Rows.append(2, key, "of " + key));
                    tx.insertSession(Rows.session(key, "s" + key, 1));
                })
                .position();
    }

    private void crash() {
        try {
            server.crash();
            server.restart();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Others' transactions, which take the next numbers and commit. */
    private void others() {
        try {
            for (int i = 0; i < OTHERS; i++) {
                server.run("CREATE TABLE other_" + tables.incrementAndGet() + " (x int)");
            }
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private boolean isThere(long key) {
        return await().atMost(PATIENCE)
                        .ignoreExceptionsInstanceOf(StoreBusy.class)
                        .until(() -> shard.sees(reads -> reads.session(key).isPresent()) ? 1 : 0, count -> true)
                == 1;
    }

    private void assertGoesOn() {
        assertThat(shard.reopen().texts()).containsExactly("1:first");
        assertThat(change(6)).isEqualTo(2);
    }

    @Test
    void a_commit_that_a_crash_undid_is_not_acknowledged_though_its_number_is_that_of_another_one_that_happened() {
        proxy.arm(new Cut.BeforeTheServer(COMMIT, 0), () -> {
            crash();
            others();
        });

        Throwable told = catchThrowable(() -> change(5));

        assertThat(told).isInstanceOfAny(StoreBusy.class, StorePoisoned.class);
        assertThat(isThere(5)).isFalse();
        assertGoesOn();
    }

    @Test
    void a_commit_that_a_crash_undid_is_refused_though_the_server_does_not_know_its_number_any_more() {
        proxy.arm(new Cut.BeforeTheServer(COMMIT, 0), this::crash);

        Throwable told = catchThrowable(() -> change(5));

        assertThat(told).isInstanceOf(StoreBusy.class);
        assertThat(isThere(5)).isFalse();
        assertThat(change(5)).isEqualTo(2);
    }

    @Test
    void a_commit_that_happened_just_before_a_crash_is_acknowledged_or_of_unknown_fate_and_never_refused() {
        proxy.arm(new Cut.BeforeTheAnswer(COMMIT, 0), this::crash);

        Throwable told = catchThrowable(() -> change(5));

        assertThat(told)
                .satisfiesAnyOf(e -> assertThat(e).isNull(), e -> assertThat(e).isInstanceOf(StorePoisoned.class));
        assertThat(isThere(5)).isTrue();
        assertThat(shard.reopen().texts()).containsExactly("1:first", "2:of 5");
    }

    @Test
    void after_a_crash_that_nobody_asked_about_a_lost_answer_is_asked_about_as_before() {
        crash();
        await().atMost(PATIENCE).ignoreExceptionsInstanceOf(StoreBusy.class).until(() -> change(5) == 2);
        proxy.arm(new Cut.BeforeTheServer(COMMIT, 0));
        assertThat(catchThrowable(() -> change(6))).isInstanceOf(StoreBusy.class);
        assertThat(change(6)).isEqualTo(3);
    }
}
