package dev.holdfast.bench.http.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class ResponseParserTest {

    private final ByteArrayOutputStream content = new ByteArrayOutputStream();
    private final ResponseParser parser = new ResponseParser((in, from, to) -> content.write(in, from, to - from));

    @Test
    void a_response_without_content_ends_with_its_head() throws IOException {
        byte[] in = ascii("HTTP/1.1 204 No Content\r\nStream-Next-Offset: 1\r\n\r\n");

        assertThat(parser.feed(in, 0, in.length)).isEqualTo(in.length);
        assertThat(parser.complete()).isTrue();
        assertThat(parser.status()).isEqualTo(204);
    }

    @Test
    void content_of_known_length_ends_where_the_next_response_begins() throws IOException {
        byte[] in = ascii("HTTP/1.1 200 OK\r\ncontent-LENGTH: 5\r\n\r\nhelloHTTP/1.1 404");

        int taken = parser.feed(in, 0, in.length);

        assertThat(parser.complete()).isTrue();
        assertThat(in.length - taken).isEqualTo("HTTP/1.1 404".length());
        assertThat(content).hasToString("hello");
    }

    @Test
    void a_chunked_response_is_the_same_wherever_it_is_cut() throws IOException {
        byte[] in = ascii(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nA;x=y\r\n wonderful\r\n0\r\n\r\n");
        for (int cut = 1; cut < in.length; cut++) {
            content.reset();
            int taken = parser.feed(in, 0, cut);
            assertThat(parser.complete()).isFalse();
            int end = parser.feed(in, taken, in.length);

            assertThat(end).isEqualTo(in.length);
            assertThat(parser.complete()).isTrue();
            assertThat(content).hasToString("hello wonderful");
        }
    }

    @Test
    void what_is_no_http_is_refused() {
        byte[] in = ascii("GARBAGE/9 what\r\n\r\n");

        assertThatThrownBy(() -> parser.feed(in, 0, in.length)).isInstanceOf(IOException.class);
    }

    @Test
    void deliveries_are_counted_in_events_cut_anywhere() {
        org.HdrHistogram.Histogram latencies = new org.HdrHistogram.Histogram(1, 1L << 40, 2);
        Deliveries deliveries = new Deliveries(latencies);
        for (int number : new int[] {0, 1, 3}) {
            byte[] event = Deliveries.event(number, System.nanoTime());
            deliveries.bytes(event, 0, 7);
            deliveries.bytes(event, 7, event.length);
        }

        assertThat(latencies.getTotalCount()).isEqualTo(3);
        assertThat(deliveries.count()).isEqualTo(4);
        assertThat(deliveries.disordered()).isEqualTo(1);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
