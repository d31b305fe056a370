package dev.holdfast.http.durablestreams;

import static dev.holdfast.http.Patience.await;
import static dev.holdfast.http.durablestreams.StreamServer.MOUNT;
import static dev.holdfast.http.durablestreams.StreamServer.TEXT;
import static dev.holdfast.http.durablestreams.StreamServer.header;
import static dev.holdfast.http.durablestreams.StreamServer.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.http.Trust;
import dev.holdfast.store.Committer;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Too much at once is refused aloud, and is over as soon as it is over. */
final class OverloadTest {

    private static final int LIMIT_BYTES = 100_000;

    @TempDir
    private Path folder;

    @Test
    void bodies_that_together_hold_too_much_are_refused_with_a_time_to_come_back() throws Exception {
        DurableStreamsSettings settings = StreamServer.quick().withMaxInFlightBytes(LIMIT_BYTES);
        String half = "x".repeat(LIMIT_BYTES * 3 / 5);
        try (StreamServer wire = new StreamServer(folder, settings)) {
            wire.put("s", TEXT);
            try (Socket slow = wire.server.connect()) {
                // sends a body but for its end, and keeps the server waiting for that
                slow.getOutputStream()
                        .write(("POST " + MOUNT + "s HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
                                        + "Content-Length: " + half.length() + "\r\n\r\n" + half.substring(1))
                                .getBytes(StandardCharsets.US_ASCII));
                await().untilAsserted(() -> {
                    HttpResponse<byte[]> refused = wire.post("s", TEXT, half);
                    assertThat(refused.statusCode()).isEqualTo(429);
                    assertThat(header(refused, "Retry-After")).isEqualTo("1");
                    assertThat(header(refused, "Access-Control-Allow-Origin")).isEqualTo("*");
                });
                assertThat(wire.post("s", TEXT, "small").statusCode()).isEqualTo(204);
            }
            await().untilAsserted(() ->
                    assertThat(wire.post("s", TEXT, half).statusCode()).isEqualTo(204));
        }
    }

    @Test
    void an_answer_that_would_hold_too_much_is_refused_as_well() throws Exception {
        DurableStreamsSettings settings = StreamServer.quick().withMaxInFlightBytes(LIMIT_BYTES);
        try (StreamServer wire = new StreamServer(folder, settings)) {
            wire.put("s", TEXT);
            wire.post("s", TEXT, "x".repeat(LIMIT_BYTES - 1));
            wire.post("s", TEXT, "yy");
            assertThat(wire.get("s").statusCode()).isEqualTo(429);
            assertThat(text(wire.get("s?tail=1"))).isEqualTo("yy");
        }
    }

    @Test
    void appends_that_would_wait_behind_too_much_are_refused_and_the_others_are_stored() throws Exception {
        HoldfastSettings engine =
                HoldfastSettings.defaults().withCommitter(new Committer.Limits(LIMIT_BYTES, LIMIT_BYTES));
        String body = "x".repeat(LIMIT_BYTES / 10);
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        try (StreamServer wire = new StreamServer(
                        folder, StreamServer.quick(), engine, Trust.loopback(Holdfast.DEFAULT_TENANT));
                ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
            wire.put("s", TEXT);
            Runnable listening = wire.holdfast
                    .streams()
                    .listen(
                            change -> { // a commit that takes long
                                entered.countDown();
                                awaitQuietly(release);
                            });
            List<Future<HttpResponse<byte[]>>> appends = new ArrayList<>();
            appends.add(clients.submit(() -> wire.post("s", TEXT, "first")));
            entered.await();
            await().until(() -> {
                appends.add(clients.submit(() -> wire.post("s", TEXT, body)));
                return appends.stream().anyMatch(Future::isDone);
            });
            release.countDown();
            listening.run();
            int stored = 0;
            for (Future<HttpResponse<byte[]>> each : appends) {
                HttpResponse<byte[]> answer = each.get();
                assertThat(answer.statusCode()).isIn(204, 429);
                assertThat(header(answer, "Retry-After")).isEqualTo(answer.statusCode() == 429 ? "1" : "");
                stored += answer.statusCode() == 204 ? 1 : 0;
            }
            assertThat(stored).isLessThan(appends.size());
            assertThat(header(wire.get("s?offset=now"), "Stream-Next-Offset")).isEqualTo(StreamServer.offset(stored));
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
