package dev.holdfast.http.durablestreams;

import static dev.holdfast.http.Patience.await;
import static dev.holdfast.http.durablestreams.StreamServer.TEXT;
import static dev.holdfast.http.durablestreams.StreamServer.header;
import static dev.holdfast.http.durablestreams.StreamServer.offset;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.stream.Retention;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Streams that keep no more than they were told to. */
final class RetentionTest {

    private static final String BYTES = "Stream-Retention-Bytes";
    private static final String SECONDS = "Stream-Retention-Seconds";

    @TempDir
    private Path folder;

    @Test
    void a_stream_that_keeps_so_many_bytes_answers_410_below_them() throws Exception {
        String chunk = "x".repeat(100_000);
        try (StreamServer wire = new StreamServer(folder)) {
            wire.put("s", TEXT, BYTES, "300000");
            assertThat(header(wire.send("HEAD", "s", null), BYTES)).isEqualTo("300000");
            for (int i = 0; i < 20; i++) {
                wire.post("s", TEXT, chunk);
            }
            await().untilAsserted(() ->
                    assertThat(wire.get("s?offset=" + offset(0)).statusCode()).isEqualTo(410));
            HttpResponse<byte[]> gone = wire.get("s?offset=" + offset(0));
            HttpResponse<byte[]> rest = wire.get("s?offset=" + header(gone, "Stream-First-Offset"));
            assertThat(rest.statusCode()).isEqualTo(200);
            assertThat(rest.body().length).isBetween(300_000, 1_900_000);
            assertThat(wire.get("s").body()).isEqualTo(rest.body());
        }
    }

    @Test
    void the_server_has_a_wish_for_streams_that_name_none() throws Exception {
        DurableStreamsSettings settings = StreamServer.quick().withRetention(Retention.ofBytes(1_000_000));
        try (StreamServer wire = new StreamServer(folder, settings)) {
            wire.put("s", TEXT);
            assertThat(header(wire.send("HEAD", "s", null), BYTES)).isEqualTo("1000000");
            wire.put("own", TEXT, SECONDS, "3600");
            HttpResponse<byte[]> own = wire.send("HEAD", "own", null);
            assertThat(header(own, SECONDS)).isEqualTo("3600");
            assertThat(header(own, BYTES)).isEmpty();
            wire.send("PUT", "fork", null, "Stream-Forked-From", "/v1/stream/own");
            assertThat(header(wire.send("HEAD", "fork", null), SECONDS)).isEqualTo("3600");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "Stream-Retention-Seconds, 0", "Stream-Retention-Seconds, -1", "Stream-Retention-Seconds, 1.5",
        "Stream-Retention-Seconds, 01", "Stream-Retention-Seconds, 999999999999999999", "Stream-Retention-Bytes, 0",
        "Stream-Retention-Bytes, x", "Stream-Retention-Bytes, 99999999999999999999"
    })
    void a_wish_that_is_none_is_refused(String name, String value) throws Exception {
        try (StreamServer wire = new StreamServer(folder)) {
            assertThat(wire.put("s", TEXT, name, value).statusCode()).isEqualTo(400);
            assertThat(wire.get("s").statusCode()).isEqualTo(404);
        }
    }
}
