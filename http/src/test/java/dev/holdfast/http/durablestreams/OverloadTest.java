package dev.holdfast.http.durablestreams;

import static dev.holdfast.http.durablestreams.StreamServer.MOUNT;
import static dev.holdfast.http.durablestreams.StreamServer.TEXT;
import static dev.holdfast.http.durablestreams.StreamServer.header;
import static dev.holdfast.http.durablestreams.StreamServer.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
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
}
