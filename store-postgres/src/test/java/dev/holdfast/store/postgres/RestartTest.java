package dev.holdfast.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.error.HoldfastException.Closed;
import dev.holdfast.error.HoldfastException.StoreBusy;
import dev.holdfast.stream.Chunk;
import dev.holdfast.stream.StreamWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The server is crashed and started again under load: every commit has a fate that is known, and writing goes on by itself. */
final class RestartTest {

    private static final int WRITERS = 4;
    private static final int CRASHES = 3;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** One caller that appends to a stream of its own, and remembers what was acknowledged. */
    private static final class Appending {
        final List<String> acknowledged = new ArrayList<>();
        final Set<String> refused = new HashSet<>();
        final AtomicInteger count = new AtomicInteger();

        void run(StreamWriter stream, AtomicBoolean stop) {
            for (int i = 0; !stop.get(); i++) {
                try {
                    long unused = stream.append("c" + i).firstSeq();
                    acknowledged.add("c" + i);
                    count.incrementAndGet();
                } catch (StoreBusy e) {
                    refused.add("c" + i);
                } catch (Closed e) {
                    return;
                }
            }
        }
    }

    @Test
    void what_was_acknowledged_is_there_and_what_was_refused_is_not_after_crashes_under_load_EXACT_PREFIX()
            throws Exception {
        try (PostgresServer server = PostgresServer.start();
                Shard shard = new Shard(server, settings -> settings.withConnectTimeout(Duration.ofMillis(500)))) {
            List<Appending> writers = new ArrayList<>();
            AtomicBoolean stop = new AtomicBoolean();
            try (Holdfast holdfast =
                    Holdfast.open(shard.database.store(1, shard.database.claim(1)), HoldfastSettings.defaults())) {
                List<Thread> threads = new ArrayList<>();
                for (int i = 0; i < WRITERS; i++) {
                    Appending writer = new Appending();
                    StreamWriter stream = holdfast.streams().open("s" + i);
                    writers.add(writer);
                    threads.add(Thread.ofVirtual().start(() -> writer.run(stream, stop)));
                }
                for (int crash = 0; crash < CRASHES; crash++) {
                    awaitProgress(writers);
                    server.crash();
                    server.restart();
                }
                awaitProgress(writers);
                assertThat(holdfast.healthy()).isTrue();
                stop.set(true);
                for (Thread thread : threads) {
                    thread.join();
                }
            }
            try (Holdfast again =
                    Holdfast.open(shard.database.store(1, shard.database.claim(1)), HoldfastSettings.defaults())) {
                for (int i = 0; i < WRITERS; i++) {
                    assertThat(read(again, "s" + i)).isEqualTo(writers.get(i).acknowledged);
                    assertThat(writers.get(i).acknowledged).noneMatch(writers.get(i).refused::contains);
                }
            }
        }
    }

    private static void awaitProgress(List<Appending> writers) {
        List<Integer> before = writers.stream().map(w -> w.count.get()).toList();
        await().atMost(PATIENCE).until(() -> {
            for (int i = 0; i < before.size(); i++) {
                if (writers.get(i).count.get() < before.get(i) + 50) {
                    return false;
                }
            }
            return true;
        });
    }

    private static List<String> read(Holdfast holdfast, String name) {
        List<String> texts = new ArrayList<>();
        while (true) {
            List<Chunk> chunks =
                    holdfast.streams().read(name, texts.size(), 1 << 20).chunks();
            if (chunks.isEmpty()) {
                return texts;
            }
            chunks.forEach(chunk -> texts.add(new String(chunk.toByteArray(), StandardCharsets.UTF_8)));
        }
    }
}
