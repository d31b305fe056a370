package dev.holdfast.http.api;

import static dev.holdfast.http.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.access.Authorizer;
import dev.holdfast.http.EventStream;
import dev.holdfast.http.EventStream.Event;
import dev.holdfast.http.sse.SseSettings;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamOptions;
import dev.holdfast.stream.StreamWriter;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Watching a raw stream: ends, slow and many readers, clients that leave. */
final class StreamEventsTest {

    @TempDir
    private Path folder;

    private static StreamWriter text(Api api, String name) {
        return api.holdfast.streams().open(name, StreamOptions.DEFAULTS.withContentType("text/plain"));
    }

    @Test
    void a_settled_stream_ends_with_its_state_after_its_last_chunk_S35() throws Exception {
        try (Api api = new Api(folder)) {
            StreamWriter good = text(api, "good");
            good.append("1");
            good.settle(Settlement.completed());
            StreamWriter bad = text(api, "bad");
            bad.append("line\nline");
            bad.settle(Settlement.errored("why"));
            List<Event> events =
                    EventStream.open(api.server, "/api/v1/streams/good").rest();
            assertThat(events).extracting(Event::data).containsExactly("1", "{\"state\":\"completed\",\"error\":null}");
            events = EventStream.open(api.server, "/api/v1/streams/bad").rest();
            assertThat(events)
                    .extracting(Event::data)
                    .containsExactly("line\nline", "{\"state\":\"errored\",\"error\":\"why\"}");
            assertThat(EventStream.at(
                                    api.server,
                                    "/api/v1/streams/bad",
                                    events.getFirst().id())
                            .rest())
                    .containsExactly(events.get(1));
        }
    }

    @Test
    void bytes_that_are_no_text_come_in_base64() throws Exception {
        try (Api api = new Api(folder)) {
            StreamWriter writer = api.holdfast
                    .streams()
                    .open("bytes", StreamOptions.DEFAULTS.withContentType("application/octet-stream"));
            writer.append(new byte[] {0, 10, 13, (byte) 0xff});
            try (EventStream watch = EventStream.open(api.server, "/api/v1/streams/bytes")) {
                assertThat(watch.response().headers().firstValue("Holdfast-Data-Encoding"))
                        .contains("base64");
                assertThat(watch.take(1).getFirst().data()).isEqualTo("AAoN/w==");
            }
        }
    }

    @Test
    void a_stream_deleted_while_it_is_watched_ends_abortively_and_one_discarded_at_its_end_ends_whole_S35()
            throws Exception {
        try (Api api = new Api(folder)) {
            StreamWriter writer = text(api, "x");
            writer.append("1");
            try (EventStream watch = EventStream.open(api.server, "/api/v1/streams/x")) {
                watch.take(1);
                api.holdfast.streams().delete("x");
                assertThatThrownBy(watch::next).isInstanceOf(IOException.class);
            }
            writer = text(api, "y");
            try (EventStream watch = EventStream.open(api.server, "/api/v1/streams/y")) {
                writer.settle(
                        Settlement.completed().discard().append(List.of("last".getBytes(StandardCharsets.UTF_8))));
                assertThat(watch.rest()).extracting(Event::name).containsExactly("message", "stream-ended");
            }
        }
    }

    @Test
    void a_name_that_is_another_incarnation_by_now_says_so() throws Exception {
        try (Api api = new Api(folder)) {
            text(api, "x").append("old");
            String cursor;
            try (EventStream watch = EventStream.open(api.server, "/api/v1/streams/x")) {
                cursor = watch.take(1).getFirst().id();
            }
            api.holdfast.streams().delete("x");
            text(api, "x").append("new");
            try (EventStream watch = EventStream.at(api.server, "/api/v1/streams/x", cursor)) {
                List<Event> events = watch.take(2);
                assertThat(events.get(0).name()).isEqualTo("restarted");
                assertThat(events.get(1).data()).isEqualTo("new");
            }
        }
    }

    @Test
    void a_reader_that_takes_nothing_never_holds_up_the_writer_and_later_gets_everything() throws Exception {
        try (Api api = new Api(folder);
                Socket slow = api.server.connect()) {
            StreamWriter writer = text(api, "x");
            slow.getOutputStream()
                    .write("GET /api/v1/streams/x HTTP/1.1\r\nHost: localhost\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII));
            String chunk = "z".repeat(100_000);
            int chunks = 200;
            for (int i = 0; i < chunks; i++) {
                writer.append(i + chunk);
            }
            BufferedReader lines =
                    new BufferedReader(new InputStreamReader(slow.getInputStream(), StandardCharsets.UTF_8));
            int next = 0;
            while (next < chunks) {
                String line = lines.readLine();
                if (line.startsWith("id: ")) {
                    next++;
                }
            }
            assertThat(next).isEqualTo(chunks);
        }
    }

    @Test
    void a_thousand_idle_connections_all_hear_the_next_chunk() throws Exception {
        int many = 1000;
        try (Api api = new Api(folder)) {
            StreamWriter writer = text(api, "x");
            List<Socket> sockets = new ArrayList<>();
            try {
                for (int i = 0; i < many; i++) {
                    Socket socket = api.server.connect();
                    sockets.add(socket);
                    socket.getOutputStream()
                            .write("GET /api/v1/streams/x HTTP/1.1\r\nHost: localhost\r\n\r\n"
                                    .getBytes(StandardCharsets.US_ASCII));
                }
                List<BufferedReader> readers = new ArrayList<>();
                for (Socket socket : sockets) {
                    BufferedReader reader =
                            new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
                    readThrough(reader, "retry: ");
                    readers.add(reader);
                }
                writer.append("hello");
                for (BufferedReader reader : readers) {
                    assertThat(readThrough(reader, "data: ")).isEqualTo("data: hello");
                }
            } finally {
                for (Socket socket : sockets) {
                    socket.close();
                }
            }
        }
    }

    private static String readThrough(BufferedReader reader, String prefix) throws IOException {
        String line = reader.readLine();
        while (!line.startsWith(prefix)) {
            line = reader.readLine();
        }
        return line;
    }

    @Test
    void a_client_that_left_is_noticed_by_the_heartbeat_and_frees_its_place_S37() throws Exception {
        SseSettings quick = SseSettings.defaults().withHeartbeat(Duration.ofMillis(5));
        try (Api api = new Api(folder, quick, Authorizer.allowAll())) {
            text(api, "x");
            EventStream.open(api.server, "/api/v1/streams/x").close();
            await().until(() -> api.server.door().open().count() == 0);
        }
    }
}
