package dev.holdfast.http.durablestreams;

import static dev.holdfast.http.Patience.await;
import static dev.holdfast.http.durablestreams.StreamServer.JSON;
import static dev.holdfast.http.durablestreams.StreamServer.MOUNT;
import static dev.holdfast.http.durablestreams.StreamServer.TEXT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.EventStream;
import dev.holdfast.http.EventStream.Event;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.testkit.MovedTime;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Event streams that have nothing to write, and so no thread: what wakes them, and what ends them. */
final class IdleEventStreamTest {

    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration KEEP_ALIVE = Duration.ofSeconds(15);

    @TempDir
    private Path folder;

    private final MovedTime time = new MovedTime();

    /** On a clock that stands still, so that nothing but what is tested wakes a connection. */
    private DurableStreamsSettings still() {
        return StreamServer.quick()
                .withTime(time, () -> time)
                .withKeepAlive(KEEP_ALIVE)
                .withRotateAfter(Duration.ZERO);
    }

    private static EventStream events(StreamServer wire, String name) throws Exception {
        return EventStream.open(wire.server, MOUNT + name + "?live=sse&offset=-1");
    }

    /** Moves the clock once the connections wait for it. */
    private void advance(Duration by) {
        await().until(() -> time.waitingTimers() > 0);
        time.advance(by);
    }

    @Test
    void a_silent_connection_is_kept_alive_and_ends_when_it_is_old_S36() throws Exception {
        Duration rotation = Duration.ofSeconds(100); // a tenth less for some
        try (StreamServer wire = new StreamServer(folder, still().withRotateAfter(rotation))) {
            wire.put("s", TEXT);
            try (EventStream stream = events(wire, "s")) {
                assertThat(stream.take(1)).extracting(Event::name).containsExactly("control");
                for (int i = 0; i < 5; i++) {
                    advance(KEEP_ALIVE);
                    assertThat(stream.nextLine()).startsWith(":");
                    assertThat(stream.nextLine()).isEmpty();
                }
                wire.post("s", TEXT, "x");
                assertThat(stream.take(1)).extracting(Event::data).containsExactly("x");
                stream.take(1);
                advance(rotation.minus(KEEP_ALIVE.multipliedBy(5)));
                assertThat(stream.nextLine()).isNull();
            }
            await().until(() -> wire.server.door().open().count() == 0);
            assertThat(time.waitingTimers()).as("IDLE-IS-SILENT").isZero();
        }
    }

    @Test
    void without_keep_alive_and_rotation_a_silent_connection_has_no_timer() throws Exception {
        try (StreamServer wire = new StreamServer(folder, still().withKeepAlive(Duration.ZERO))) {
            wire.put("s", TEXT);
            try (EventStream stream = events(wire, "s")) {
                stream.take(1);
                wire.post("s", TEXT, "x");
                stream.take(2);
                assertThat(time.timersMade()).isZero();
            }
        }
    }

    @Test
    void a_client_that_left_a_silent_connection_is_noticed_and_nothing_is_left_of_it() throws Exception {
        try (StreamServer wire = new StreamServer(folder, still())) {
            wire.put("s", TEXT);
            try (Socket socket = wire.server.connect()) {
                ask(socket, "s", "offset=-1");
                assertThat(socket.getInputStream().readNBytes(200)).hasSize(200);
            }
            await().until(() -> {
                time.advance(KEEP_ALIVE);
                return wire.server.door().open().count() == 0;
            });
            assertThat(time.waitingTimers()).isZero();
        }
    }

    @Test
    void an_append_that_comes_while_a_connection_is_about_to_rest_wakes_it() throws Exception {
        int readers = 16;
        int rounds = 300;
        SplittableRandom random = new SplittableRandom(11);
        DurableStreamsSettings settings = still().withKeepAlive(Duration.ZERO); // nothing else would wake them
        try (StreamServer wire = new StreamServer(folder, settings);
                ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
            wire.put("j", JSON);
            StreamWriter writer = wire.holdfast.streams().open("j");
            List<Semaphore> arrived = new ArrayList<>();
            List<Future<Integer>> reading = new ArrayList<>();
            int[] seen = new int[readers];
            for (int r = 0; r < readers; r++) {
                Semaphore messages = new Semaphore(0);
                arrived.add(messages);
                EventStream stream = events(wire, "j");
                reading.add(clients.submit(() -> count(stream, messages)));
            }
            for (int i = 1; i <= rounds; i++) {
                writer.append("1");
                int one = random.nextInt(readers);
                assertThat(arrived.get(one).tryAcquire(i - seen[one], PATIENCE.toSeconds(), TimeUnit.SECONDS))
                        .as("message %d reaches reader %d", i, one)
                        .isTrue();
                seen[one] = i;
                for (int spin = random.nextInt(2_000); spin > 0; spin--) {
                    Thread.onSpinWait();
                }
            }
            wire.send("POST", "j", null, "Stream-Closed", "true");
            for (Future<Integer> each : reading) {
                assertThat(each.get()).isEqualTo(rounds);
            }
        }
    }

    /** Reads to the end, telling of each message. */
    private static int count(EventStream stream, Semaphore arrived) throws IOException {
        int all = 0;
        try (stream) {
            for (Optional<Event> each = stream.next(); each.isPresent(); each = stream.next()) {
                if (each.get().name().equals("data")) {
                    int messages = each.get().data().split(",").length;
                    arrived.release(messages);
                    all += messages;
                }
            }
        }
        return all;
    }

    @Test
    void thousands_of_connections_that_come_and_go_while_appends_come_leave_nothing() throws Exception {
        int clients = 8;
        int connections = 250;
        SplittableRandom seeds = new SplittableRandom(5);
        DurableStreamsSettings settings =
                StreamServer.quick().withKeepAlive(Duration.ofMillis(50)).withRotateAfter(Duration.ZERO);
        AtomicBoolean over = new AtomicBoolean();
        try (StreamServer wire = new StreamServer(folder, settings);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            wire.put("s", TEXT);
            StreamWriter writer = wire.holdfast.streams().open("s");
            Future<Integer> writing = threads.submit(() -> {
                int written = 0;
                for (; !over.get(); written++) {
                    writer.append("x");
                }
                return written;
            });
            List<Future<?>> coming = new ArrayList<>();
            for (int c = 0; c < clients; c++) {
                SplittableRandom random = seeds.split();
                coming.add(threads.submit(() -> {
                    for (int i = 0; i < connections; i++) {
                        comeAndGo(wire, random);
                    }
                    return null;
                }));
            }
            for (Future<?> each : coming) {
                each.get();
            }
            over.set(true);
            int written = writing.get();
            await().until(() -> wire.server.door().open().count() == 0);
            wire.send("POST", "s", null, "Stream-Closed", "true");
            try (EventStream stream = events(wire, "s")) {
                String all = String.join(
                        "",
                        stream.rest().stream()
                                .filter(event -> event.name().equals("data"))
                                .map(Event::data)
                                .toList());
                assertThat(all).hasSize(written);
            }
        }
    }

    /** A client that reads for a while at most and leaves as it likes: with an end, with a reset, before its answer began. */
    private static void comeAndGo(StreamServer wire, SplittableRandom random) throws IOException {
        try (Socket socket = wire.server.connect()) {
            ask(socket, "s", "offset=now");
            for (int bytes = random.nextInt(3) * random.nextInt(1_000); bytes > 0; bytes--) {
                assertThat(socket.getInputStream().read()).isNotNegative();
            }
            if (random.nextBoolean()) {
                socket.setSoLinger(true, 0);
            }
        }
    }

    private static void ask(Socket socket, String name, String query) throws IOException {
        socket.getOutputStream()
                .write("GET %s%s?live=sse&%s HTTP/1.1\r\nHost: localhost\r\n\r\n"
                        .formatted(MOUNT, name, query)
                        .getBytes(StandardCharsets.US_ASCII));
    }
}
