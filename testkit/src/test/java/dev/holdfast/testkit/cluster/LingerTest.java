package dev.holdfast.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.node.NodeSettings;
import dev.holdfast.store.Store;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamLimits;
import dev.holdfast.stream.StreamReader;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.testkit.MovedTime;
import dev.holdfast.testkit.SimCoordination;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is discarded on a node of a cluster stays for those who read it, and costs no timer of its own. */
final class LingerTest {

    private static final Duration LEASE = Duration.ofHours(1);
    private static final Duration LINGER = StreamLimits.defaults().maxLinger();
    private static final int STREAMS = 1_000;

    private final MovedTime time = new MovedTime();
    private final SimCoordination database = new SimCoordination(1, time, LEASE);

    @SuppressWarnings("NullAway.Init") // set before each test
    private Holdfast node;

    @BeforeEach
    void join() {
        node = Holdfast.join(
                database,
                HoldfastSettings.defaults().withTime(time, () -> time),
                NodeSettings.named("a").withLease(LEASE));
        Awaitility.await().until(() -> node.shardsHeld() == 1);
    }

    @AfterEach
    void close() {
        node.close();
    }

    private int discarded() {
        try (Store store = database.follower(0)) {
            return store.read(reads -> reads.discardedStreams(Integer.MAX_VALUE))
                    .size();
        }
    }

    private void discard(int first, int count) {
        for (int i = first; i < first + count; i++) {
            StreamWriter writer = node.streams().open("s" + i);
            writer.append("x");
            writer.settle(Settlement.completed().discard());
        }
    }

    @Test
    void many_discarded_streams_wait_for_readers_on_other_nodes_with_one_timer_and_each_for_its_time() {
        int before = time.waitingTimers();
        discard(0, STREAMS);
        assertThat(time.waitingTimers()).isLessThanOrEqualTo(before + 1);
        Duration half = LINGER.dividedBy(2);
        time.advance(half);
        discard(STREAMS, 10);
        assertThat(discarded()).isEqualTo(STREAMS + 10);
        time.advance(half);
        Awaitility.await().untilAsserted(() -> assertThat(discarded()).isEqualTo(10));
        time.advance(half.minusMillis(1));
        discard(STREAMS + 10, 1); // its commit finds nothing to delete
        assertThat(discarded()).isEqualTo(11);
        time.advance(Duration.ofMillis(1));
        Awaitility.await().untilAsserted(() -> assertThat(discarded()).isEqualTo(1));
        time.advance(LINGER);
        Awaitility.await().untilAsserted(() -> assertThat(discarded()).isZero());
        assertThat(time.waitingTimers()).isLessThanOrEqualTo(before);
    }

    @Test
    void readers_of_many_discarded_streams_are_cut_with_one_timer_each_after_its_time() {
        int before = time.waitingTimers();
        List<StreamReader> early = read(0, 100);
        discardRead(0, 100);
        time.advance(LINGER.dividedBy(2));
        List<StreamReader> late = read(100, 1);
        discardRead(100, 1);
        assertThat(time.waitingTimers()).isLessThanOrEqualTo(before + 2);
        time.advance(LINGER.dividedBy(2));
        for (StreamReader reader : early) {
            assertThatExceptionOfType(StreamNotFound.class).isThrownBy(() -> reader.read(10));
            reader.close();
        }
        assertThat(late.getFirst().read(10).chunks()).hasSize(1);
        late.getFirst().close();
        time.advance(LINGER);
        Awaitility.await().untilAsserted(() -> assertThat(discarded()).isZero());
        assertThat(time.waitingTimers()).isLessThanOrEqualTo(before);
    }

    private List<StreamReader> read(int first, int count) {
        List<StreamReader> readers = new ArrayList<>();
        for (int i = first; i < first + count; i++) {
            node.streams().open("s" + i).append("x");
            readers.add(node.streams().tail("s" + i, 0));
        }
        return readers;
    }

    private void discardRead(int first, int count) {
        for (int i = first; i < first + count; i++) {
            node.streams().settle("s" + i, Settlement.completed().discard());
        }
    }
}
