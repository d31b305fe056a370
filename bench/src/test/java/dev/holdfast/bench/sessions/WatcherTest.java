package dev.holdfast.bench.sessions;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class WatcherTest {

    private Crowd crowd;
    private Watcher watcher;

    @BeforeEach
    void attach() throws IOException {
        crowd = new Crowd(InetSocketAddress.createUnresolved("nowhere", 1), Transport.SSE, 0, 1, true);
        watcher = new Watcher(crowd, 0);
        tell("{\"type\":\"attached\",\"session\":\"session-00000\",\"answer\":\"snapshot\",\"cursor\":\"c0\"}");
    }

    @AfterEach
    void close() throws IOException {
        crowd.close();
    }

    @Test
    void chunks_in_their_order_are_delivered_each_with_its_delay() {
        events("c0", "c1", 0, 1);
        events("c1", "c2", 2);

        assertThat(crowd.tally().deliveries()).isEqualTo(3);
        assertThat(watcher.expected()).isEqualTo(3);
        assertThat(crowd.tally().lost()).isZero();
        assertThat(crowd.tally().repeatedOrMisfit()).isZero();
    }

    @Test
    void a_chunk_that_is_left_out_is_lost() {
        events("c0", "c1", 0);
        events("c1", "c2", 3);

        assertThat(crowd.tally().lost()).isEqualTo(2);
    }

    @Test
    void a_chunk_that_comes_again_is_repeated_and_counts_once() {
        events("c0", "c1", 0);
        events("c1", "c2", 0, 1);

        assertThat(crowd.tally().repeatedOrMisfit()).isEqualTo(1);
        assertThat(crowd.tally().deliveries()).isEqualTo(2);
    }

    @Test
    void a_frame_that_does_not_continue_what_the_watcher_has_is_not_taken_and_counts_as_a_misfit() {
        events("c7", "c8", 0);

        assertThat(crowd.tally().repeatedOrMisfit()).isEqualTo(1);
        assertThat(crowd.tally().deliveries()).isZero();
    }

    @Test
    void a_session_that_is_detached_is_a_fault() {
        tell("{\"type\":\"driver\",\"session\":\"session-00000\",\"driver\":\"none\"}");
        assertThat(crowd.tally().faults()).isZero();

        tell("{\"type\":\"detached\",\"session\":\"session-00000\",\"reason\":\"failed\"}");

        assertThat(crowd.tally().faults()).isEqualTo(1);
    }

    private void events(String from, String cursor, long... numbers) {
        String chunks = LongStream.of(numbers)
                .mapToObj(number -> "{\"kind\":\"chunk\",\"turn\":\"turn-00000\",\"seq\":%d,\"data\":%s}"
                        .formatted(
                                number, new String(Beat.chunk(number, System.nanoTime()), StandardCharsets.US_ASCII)))
                .collect(Collectors.joining(","));
        tell("{\"type\":\"events\",\"session\":\"session-00000\",\"from\":\"%s\",\"cursor\":\"%s\",\"events\":[%s]}"
                .formatted(from, cursor, chunks));
    }

    private void tell(String message) {
        byte[] in = Bytes.ascii(message);
        watcher.message(in, 0, in.length);
    }
}
