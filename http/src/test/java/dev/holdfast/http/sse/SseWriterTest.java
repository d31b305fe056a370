package dev.holdfast.http.sse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.http.Headers;
import dev.holdfast.http.NoExchange;
import dev.holdfast.store.Time;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamReader;
import dev.holdfast.stream.StreamWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is written, when, and in how many writes: on a canned exchange and a clock that the test owns. */
final class SseWriterTest {

    /** Notes each write. */
    private static final class Canned extends NoExchange {
        final List<String> writes = new ArrayList<>();

        @Override
        public Sink respond(int status, Headers headers) {
            return new Sink() {
                @Override
                public void write(byte[] bytes, int offset, int length) {
                    writes.add(new String(bytes, offset, length, StandardCharsets.UTF_8));
                }

                @Override
                public void flush() {}
            };
        }
    }

    /** Stands still unless it is moved. */
    private static final class StillTime implements Time {
        long nanos;

        @Override
        public long wallMillis() {
            return 0;
        }

        @Override
        public long monotonicNanos() {
            return nanos;
        }

        @Override
        public long randomLong() {
            return 0;
        }
    }

    private final Canned exchange = new Canned();
    private final StillTime time = new StillTime();

    private SseWriter open(Duration heartbeat, Duration rotateAfter) throws IOException {
        return SseWriter.open(exchange, new SseSettings(heartbeat, Duration.ofSeconds(3), rotateAfter, time));
    }

    @Test
    void the_first_bytes_go_out_at_once_with_the_retry_hint() throws Exception {
        open(Duration.ofSeconds(15), Duration.ZERO);
        assertThat(exchange.writes).containsExactly("retry: 3000\n\n");
    }

    @Test
    void idle_writes_a_comment_unless_heartbeats_are_off_S36() throws Exception {
        SseWriter beating = open(Duration.ofSeconds(15), Duration.ZERO);
        assertThat(beating.patience()).isEqualTo(Duration.ofSeconds(15));
        beating.idle();
        assertThat(exchange.writes.getLast()).isEqualTo(":\n\n");
        SseWriter silent = open(Duration.ZERO, Duration.ZERO);
        int before = exchange.writes.size();
        silent.idle();
        assertThat(exchange.writes).hasSize(before);
    }

    @Test
    void a_client_that_is_known_to_be_gone_ends_the_watch_at_once_S37() throws Exception {
        SseWriter writer = open(Duration.ZERO, Duration.ZERO);
        exchange.gone = true;
        assertThatThrownBy(writer::idle).isInstanceOf(IOException.class);
    }

    @Test
    void rotation_is_due_at_its_age_shortens_the_wait_and_ends_abortively() throws Exception {
        SseWriter writer = open(Duration.ofSeconds(15), Duration.ofSeconds(20));
        time.nanos = Duration.ofSeconds(10).toNanos();
        assertThat(writer.patience()).isEqualTo(Duration.ofSeconds(10));
        assertThat(writer.rotationDue()).isFalse();
        time.nanos = Duration.ofSeconds(20).toNanos();
        assertThat(writer.rotationDue()).isTrue();
        writer.rotate();
        assertThat(exchange.writes.getLast()).isEqualTo("event: reconnect\ndata: {}\n\n");
        assertThat(exchange.aborted).isTrue();
    }

    @Test
    void all_chunks_of_a_batch_go_out_in_one_write_S37(@TempDir Path folder) throws Exception {
        try (Holdfast holdfast = Holdfast.open(folder)) {
            StreamWriter stream = holdfast.streams().open("x");
            for (int i = 0; i < 100; i++) {
                stream.append("chunk " + i);
            }
            stream.settle(Settlement.completed());
            SseWriter writer = open(Duration.ofSeconds(15), Duration.ZERO);
            try (StreamReader reader = holdfast.streams().tail("x", 0)) {
                StreamEvents.End end = new StreamEvents(writer, StreamEvents.Encoding.text()).copy(reader);
                assertThat(end).isInstanceOf(StreamEvents.End.Settled.class);
            }
            assertThat(exchange.writes).hasSize(2);
            assertThat(exchange.writes.get(1)).contains("data: chunk 0\n", "data: chunk 99\n");
        }
    }
}
