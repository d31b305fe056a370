package dev.holdfast.http.durablestreams;

import static dev.holdfast.http.durablestreams.StreamServer.JSON;
import static dev.holdfast.http.durablestreams.StreamServer.TEXT;
import static dev.holdfast.http.durablestreams.StreamServer.header;
import static dev.holdfast.http.durablestreams.StreamServer.offset;
import static dev.holdfast.http.durablestreams.StreamServer.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.stream.StreamLimits;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Appending: what the published suite leaves out. */
final class AppendToStreamTest {

    private static final String[] PRODUCER = {"Producer-Id", "p", "Producer-Epoch", "0", "Producer-Seq", "0"};

    @TempDir
    private Path folder;

    private static String[] producer(String epoch, String seq) {
        return new String[] {"Producer-Id", "p", "Producer-Epoch", epoch, "Producer-Seq", seq};
    }

    @Test
    void json_messages_come_back_with_the_bytes_they_were_sent_with() throws Exception {
        String big = "{\"n\":123456789012345678901234567890.10,  \"s\":\"\\u00e9\"}";
        try (StreamServer wire = new StreamServer(folder)) {
            wire.put("j", "application/json; charset=utf-8");
            wire.post("j", JSON, "[ " + big + " , 1E+2,[ 3 ] ]");
            wire.post("j", JSON, " null ");
            assertThat(text(wire.get("j"))).isEqualTo("[" + big + ",1E+2,[ 3 ],null]");
            assertThat(header(wire.get("j"), "Stream-Next-Offset")).isEqualTo(offset(4));
            assertThat(text(wire.get("j?offset=" + offset(1)))).isEqualTo("[1E+2,[ 3 ],null]");
        }
    }

    @Test
    void what_is_wrong_with_the_stream_is_told_before_what_is_wrong_with_the_body() throws Exception {
        try (StreamServer wire = new StreamServer(folder)) {
            assertThat(wire.post("none", JSON, "{").statusCode()).isEqualTo(404);
            assertThat(wire.send("POST", "none", null).statusCode()).isEqualTo(404);
            wire.put("j", JSON);
            assertThat(wire.post("j", TEXT, "x").statusCode()).isEqualTo(409);
            assertThat(wire.post("j", JSON, "{", producer("0", "5")).statusCode())
                    .isEqualTo(409);
            assertThat(wire.post("j", JSON, "1", "Stream-Seq", "b").statusCode())
                    .isEqualTo(204);
            assertThat(wire.post("j", JSON, "{", "Stream-Seq", "a").statusCode())
                    .isEqualTo(409);
            assertThat(wire.post("j", JSON, "{").statusCode()).isEqualTo(400);
            assertThat(wire.post("j", JSON, "[]").statusCode()).isEqualTo(400);
            wire.post("j", JSON, "2", "Stream-Closed", "true");
            HttpResponse<byte[]> closed = wire.post("j", TEXT, "{", producer("0", "5"));
            assertThat(closed.statusCode()).isEqualTo(409);
            assertThat(header(closed, "Stream-Closed")).isEqualTo("true");
            assertThat(header(closed, "Stream-Next-Offset")).isEqualTo(offset(2));
            assertThat(text(wire.get("j"))).isEqualTo("[1,2]");
        }
    }

    @Test
    void a_refused_append_leaves_producer_and_order_where_they_were() throws Exception {
        try (StreamServer wire = new StreamServer(folder)) {
            wire.put("j", JSON);
            assertThat(wire.post("j", JSON, "{", PRODUCER).statusCode()).isEqualTo(400);
            assertThat(wire.post("j", JSON, "1", PRODUCER).statusCode()).isEqualTo(200);
            assertThat(wire.post("j", JSON, "{", PRODUCER).statusCode())
                    .as("a repeated append is one, whatever its body")
                    .isEqualTo(204);
            HttpResponse<byte[]> again = wire.post("j", JSON, "1", PRODUCER);
            assertThat(again.statusCode()).isEqualTo(204);
            assertThat(header(again, "Stream-Next-Offset")).isEqualTo(offset(1));
            assertThat(header(again, "Producer-Seq")).isEqualTo("0");
            assertThat(text(wire.get("j"))).isEqualTo("[1]");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "-1, 0",
        "0, -1",
        "1.5, 0",
        "0, 1e2",
        "x, 0",
        "0, x",
        "'', 0",
        "0, ''",
        "+1, 0",
        "9007199254740992, 0",
        "0, 9007199254740992",
        "99999999999999999999, 0"
    })
    void producer_numbers_are_digits_up_to_what_every_client_can_count(String epoch, String seq) throws Exception {
        try (StreamServer wire = new StreamServer(folder)) {
            wire.put("s", TEXT);
            assertThat(wire.post("s", TEXT, "x", producer(epoch, seq)).statusCode())
                    .isEqualTo(400);
            assertThat(wire.post("s", TEXT, "x", producer("9007199254740991", "0"))
                            .statusCode())
                    .isEqualTo(200);
            assertThat(wire.get("s").body()).hasSize(1);
        }
    }

    @Test
    void producer_headers_come_together() throws Exception {
        try (StreamServer wire = new StreamServer(folder)) {
            wire.put("s", TEXT);
            for (int left = 0; left < 6; left += 2) {
                String[] some = new String[4];
                System.arraycopy(PRODUCER, 0, some, 0, left);
                System.arraycopy(PRODUCER, left + 2, some, left, 4 - left);
                assertThat(wire.post("s", TEXT, "x", some).statusCode()).isEqualTo(400);
            }
            assertThat(wire.post("s", TEXT, "x", "Producer-Id", " ", "Producer-Epoch", "0", "Producer-Seq", "0")
                            .statusCode())
                    .isEqualTo(400);
        }
    }

    @Test
    void an_append_may_name_the_tail_it_expects() throws Exception {
        try (StreamServer wire = new StreamServer(folder)) {
            wire.put("s", TEXT);
            assertThat(wire.post("s", TEXT, "a", "If-Match", "\"" + offset(0) + "\"")
                            .statusCode())
                    .isEqualTo(204);
            HttpResponse<byte[]> late = wire.post("s", TEXT, "b", "If-Match", "\"" + offset(0) + "\"");
            assertThat(late.statusCode()).isEqualTo(412);
            assertThat(header(late, "Stream-Next-Offset")).isEqualTo(offset(1));
            assertThat(wire.post("s", TEXT, "b", "If-Match", offset(1)).statusCode())
                    .isEqualTo(204);
            assertThat(wire.post("s", TEXT, "c", "If-Match", "*").statusCode()).isEqualTo(204);
            assertThat(wire.post("s", TEXT, "d", "If-Match", "\"abc\"").statusCode())
                    .isEqualTo(400);
            assertThat(text(wire.get("s"))).isEqualTo("abc");
        }
    }

    @Test
    void a_body_that_is_too_large_is_refused_whole_and_the_connection_goes_on() throws Exception {
        String large = "x".repeat(StreamLimits.DEFAULT_MAX_CHUNK_BYTES);
        try (StreamServer wire = new StreamServer(folder)) {
            wire.put("s", TEXT);
            assertThat(wire.post("s", TEXT, large).statusCode()).isEqualTo(204);
            assertThat(wire.post("s", TEXT, large + "x").statusCode()).isEqualTo(413);
            assertThat(wire.post("s", TEXT, large.repeat(12)).statusCode()).isEqualTo(413);
            assertThat(wire.post("s", TEXT, "y").statusCode()).isEqualTo(204);
            assertThat(header(wire.get("s?offset=now"), "Stream-Next-Offset")).isEqualTo(offset(2));
        }
    }

    @Test
    void a_stream_of_the_protocol_is_a_stream_of_the_library() throws Exception {
        try (StreamServer wire = new StreamServer(folder)) {
            wire.put("s", TEXT);
            wire.post("s", TEXT, "a");
            wire.holdfast.streams().open("s").append("b");
            assertThat(text(wire.get("s"))).isEqualTo("ab");
        }
    }
}
