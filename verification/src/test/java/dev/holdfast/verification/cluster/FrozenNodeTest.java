package dev.holdfast.verification.cluster;

import static dev.holdfast.verification.rig.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.models.loopback.Pace;
import dev.holdfast.verification.cluster.Conversation.Seen;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A server that is stopped for longer than its lease while it works, and then goes on as if nothing had happened. */
final class FrozenNodeTest {

    private static final int SHARD = 3;
    private static final String SESSION = Servers.namesOfAllShards("chat-").get(SHARD);
    private static final String STREAM = Servers.namesOfAllShards("stream-").get(SHARD);
    private static final String TURN = "turn-1";
    private static final int NUMBERS = 12;
    private static final int SAID_FIRST = 4;
    private static final int APPENDS = 5;
    private static final int APPENDS_ELSEWHERE = 2;
    private static final int FROZEN = 2;
    private static final int MAX_MINUTES = 2;
    private static final int NUMBERS_PER_SECOND = 40;

    @TempDir
    private Path scratch;

    /** When the turn of the frozen server ends at the one that took it over. */
    enum End {
        WHILE_IT_IS_FROZEN(Learning.BY_LOOKING),
        ONCE_IT_GOES_ON(Learning.BY_HINTS);

        private final Learning learning;

        End(Learning learning) {
            this.learning = learning;
        }
    }

    @ParameterizedTest
    @EnumSource
    void its_late_writes_are_refused_and_its_turn_has_one_outcome_ONE_WRITER_ONE_OUTCOME(End end) throws Exception {
        try (CountingModel model = new CountingModel(Pace.gated());
                Servers servers = new Servers(scratch, model.options(end.learning));
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            int frozen = servers.holder(SHARD);
            long epoch = servers.epoch(SHARD);
            int other = (frozen + 1) % Servers.COUNT;
            try (Client near = new Client(any -> servers.uri(frozen), 0);
                    Client far = new Client(any -> servers.uri(other), 0)) {
                Conversation talk = new Conversation(far, SESSION, NUMBERS);
                Conversation begins = new Conversation(near, SESSION, NUMBERS);
                begins.create();
                begins.begin(TURN);
                model.begin(SAID_FIRST);
                Future<?> watching = threads.submit(() -> {
                    talk.follow(TURN, false);
                    return true;
                });
                await().until(() -> talk.deltas() >= SAID_FIRST);
                StreamWriter writer = new StreamWriter(near, STREAM);
                writer.create();
                for (int i = 0; i < APPENDS; i++) {
                    writer.append();
                }

                try (HalfAppend repeated = new HalfAppend(servers.port(frozen), APPENDS);
                        HalfAppend next = new HalfAppend(servers.port(frozen), APPENDS + APPENDS_ELSEWHERE)) {
                    servers.freeze(frozen);
                    repeated.sendTheRest();
                    next.sendTheRest();
                    await().until(() -> servers.shardsOf(frozen) == 0 && servers.heldShards() == Servers.SHARDS);
                    assertThat(servers.epoch(SHARD)).isGreaterThan(epoch);
                    StreamWriter goesOn = new StreamWriter(far, STREAM, APPENDS);
                    for (int i = 0; i < APPENDS_ELSEWHERE; i++) {
                        goesOn.append();
                    }
                    if (end == End.ONCE_IT_GOES_ON) {
                        servers.thaw(frozen);
                    }
                    model.say(NUMBERS - SAID_FIRST);
                    model.end();
                    watching.get(MAX_MINUTES, TimeUnit.MINUTES);
                    servers.thaw(frozen);
                    assertThat(repeated.status())
                            .as("of an append that was made elsewhere meanwhile")
                            .isIn(204, 503);
                    assertThat(next.status())
                            .as("of the one behind those, which the frozen server knows nothing of")
                            .isIn(200, 503);
                }
                servers.awaitShares();
                new StreamWriter(near, STREAM, APPENDS + APPENDS_ELSEWHERE).append();
                new StreamWriter(far, STREAM).finish();
                assertThat(talk.seen()).containsEntry(TURN, new Seen("completed", CountingModel.counted(NUMBERS)));
                for (Client each : List.of(near, far)) {
                    Said.check(each, 0, talk);
                    assertThat(Said.stream(each, 0, STREAM))
                            .isEqualTo(IntStream.range(0, APPENDS + APPENDS_ELSEWHERE + 1)
                                    .mapToObj(number -> StreamWriter.message(STREAM, number))
                                    .toList());
                }
                try (Aftermath aftermath = new Aftermath(servers)) {
                    assertThat(aftermath.outcomes(SESSION)).containsExactly(TURN);
                }
            } catch (Exception | AssertionError e) {
                throw new AssertionError(servers.logs(), e);
            } finally {
                for (int server = 0; server < Servers.COUNT; server++) {
                    servers.thaw(server);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void at_full_work_nothing_is_lost_and_nothing_doubled_ONE_WRITER_EXACT_PREFIX(Learning learning) throws Exception {
        long seed = Long.getLong("holdfast.seed", System.nanoTime());
        try (CountingModel model = new CountingModel(Pace.eventsPerSecond(NUMBERS_PER_SECOND));
                Servers servers = new Servers(scratch, model.options(learning));
                Load load = new Load(servers, seed)) {
            try {
                load.awaitProgress();
                for (int frozen = 0; frozen < FROZEN; frozen++) {
                    int victim = frozen;
                    servers.freeze(victim);
                    await().until(() -> servers.shardsOf(victim) == 0 && servers.heldShards() == Servers.SHARDS);
                    servers.thaw(victim);
                    load.awaitProgress();
                    servers.awaitShares();
                }
                load.finish();
                load.check();
            } catch (Exception | AssertionError e) {
                throw new AssertionError("-Dholdfast.seed=%d\n%s".formatted(seed, servers.logs()), e);
            }
        }
    }

    /** An append that a server has received the first half of. */
    private static final class HalfAppend implements AutoCloseable {
        private final Socket socket;
        private final String rest;

        HalfAppend(int port, int number) throws IOException {
            String body = "[\"" + StreamWriter.message(STREAM, number) + "\"]";
            StringBuilder head = new StringBuilder("POST %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: %d\r\n"
                    .formatted(StreamWriter.path(STREAM), port, body.length()));
            String[] headers = StreamWriter.headers(number);
            for (int i = 0; i < headers.length; i += 2) {
                head.append(headers[i]).append(": ").append(headers[i + 1]).append("\r\n");
            }
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            int half = body.length() / 2;
            send(head + "\r\n" + body.substring(0, half));
            rest = body.substring(half);
        }

        private void send(String text) throws IOException {
            socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().flush();
        }

        void sendTheRest() throws IOException {
            send(rest);
        }

        int status() throws IOException {
            StringBuilder line = new StringBuilder();
            for (int c = socket.getInputStream().read();
                    c >= 0 && c != '\r';
                    c = socket.getInputStream().read()) {
                line.append((char) c);
            }
            assertThat(line).startsWith("HTTP/1.1 ");
            return Integer.parseInt(line.substring("HTTP/1.1 ".length(), "HTTP/1.1 200".length()));
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
