package dev.holdfast.store.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.error.HoldfastException.StorePoisoned;
import dev.holdfast.node.NodeSettings;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.store.Placement;
import dev.holdfast.stream.AppendRequest;
import dev.holdfast.stream.StreamReader;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.testkit.MovedTime;
import dev.holdfast.testkit.cluster.SlowOnce;
import dev.holdfast.turn.TurnRequest;
import dev.holdfast.turn.TurnSettings;
import dev.holdfast.turn.TurnState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/**
 * A machine that is suspended for longer than its lease, and whose clocks stand still meanwhile: when it goes on, its node takes its lease for good.
 * What the database says counts.
 */
final class SuspendedMachineTest {

    private static final Duration LEASE = CoordinationSettings.MAX_LEASE;
    private static final Logger ROOT = (Logger) LoggerFactory.getLogger("dev.holdfast");

    private final Cluster cluster = new Cluster();
    private final MovedTime still = new MovedTime();
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final List<Holdfast> nodes = new ArrayList<>();

    private final SlowOnce agent = new SlowOnce(Cluster.SHARDS);
    private final TurnSettings turns = TurnSettings.defaults().withAgent("slow-once", agent);

    @BeforeEach
    void listen() {
        log.start();
        ROOT.addAppender(log);
    }

    @AfterEach
    void close() {
        ROOT.detachAppender(log);
        nodes.forEach(Holdfast::close);
        cluster.close();
    }

    private Holdfast join(String name, HoldfastSettings settings) {
        Holdfast node = Holdfast.join(
                cluster.process(Cluster.POLLING.withLease(LEASE)),
                settings.withTurns(turns),
                NodeSettings.named(name).withLease(LEASE).withoutHints());
        nodes.add(node);
        await().until(() -> node.shardsHeld() == Cluster.SHARDS);
        return node;
    }

    private static List<String> nameInEachShard() {
        Placement placement = new Placement(Cluster.SHARDS);
        return IntStream.range(0, Cluster.SHARDS)
                .mapToObj(shard -> Stream.iterate(0, i -> i + 1)
                        .map(i -> "name-" + i)
                        .filter(name -> placement.of(Holdfast.DEFAULT_TENANT, name) == shard)
                        .findFirst()
                        .orElseThrow())
                .toList();
    }

    @Test
    void it_is_refused_and_its_model_calls_are_stopped_and_nothing_is_there_twice_ONE_WRITER_ONE_OUTCOME()
            throws Exception {
        List<String> names = nameInEachShard();
        Holdfast suspended = join("suspended", HoldfastSettings.defaults().withTime(still, () -> still));
        for (String name : names) {
            suspended.sessions().create(name);
            suspended.turns().start(name, TurnRequest.answer("t", "slow-once", MessageDraft.of("q", "user", "?")));
        }
        agent.awaitBegun();
        StreamWriter writer = suspended.streams().open(names.getFirst());
        writer.append("before");

        cluster.expire(suspended.peers().self(), 1); // time goes by for the database alone
        Holdfast other = join("other", HoldfastSettings.defaults());
        for (String name : names) {
            await().until(() -> other.turns().status(name, "t").orElseThrow().state() == TurnState.COMPLETED);
        }
        other.streams().append(names.getFirst(), AppendRequest.of(List.of("meanwhile".getBytes(UTF_8))));

        assertThat(suspended.healthy())
                .as("for all it knows it holds its lease")
                .isTrue();
        assertThat(agent.interrupted()).isEmpty();
        assertThatExceptionOfType(StorePoisoned.class)
                .isThrownBy(() -> writer.append("late"))
                .satisfies(e -> assertThat(e.isLeaseLost()).isTrue());

        await().untilAsserted(() -> assertThat(agent.interrupted()).containsExactlyInAnyOrderElementsOf(names));
        assertThat(agent.runs()).isEqualTo(2 * Cluster.SHARDS);
        for (String name : names) {
            assertThat(other.sessions().get(name).count()).isEqualTo(2);
            assertThat(other.sessions().get(name).leaf().orElseThrow().text()).isEqualTo("attempt 2");
        }
        try (StreamReader reader = other.streams().tail(names.getFirst(), 0)) {
            assertThat(reader.read(1_000).chunks())
                    .extracting(chunk -> new String(chunk.toByteArray(), UTF_8))
                    .containsExactly("before", "meanwhile");
        }
        assertThat(log.list)
                .as("a lost lease is no error, and is told once for each shard")
                .noneMatch(event -> event.getLevel() == Level.ERROR)
                .filteredOn(event -> event.getLevel() == Level.WARN)
                .hasSize(Cluster.SHARDS);
    }
}
