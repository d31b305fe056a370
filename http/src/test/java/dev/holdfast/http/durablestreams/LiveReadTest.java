package dev.holdfast.http.durablestreams;

import static dev.holdfast.http.Patience.await;
import static dev.holdfast.http.durablestreams.StreamServer.JSON;
import static dev.holdfast.http.durablestreams.StreamServer.MOUNT;
import static dev.holdfast.http.durablestreams.StreamServer.TEXT;
import static dev.holdfast.http.durablestreams.StreamServer.header;
import static dev.holdfast.http.durablestreams.StreamServer.offset;
import static dev.holdfast.http.durablestreams.StreamServer.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.EventStream;
import dev.holdfast.http.EventStream.Event;
import dev.holdfast.stream.StreamWriter;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Long-polls and event streams: what the published suite leaves out. */
final class LiveReadTest {

    /** Well within the time for which a reader waits for the rest of a character. */
    private static final Duration SOON = Duration.ofMillis(250);

    @TempDir
    private Path folder;

    private static EventStream events(StreamServer wire, String name, String query, String... headers)
            throws Exception {
        return EventStream.open(wire.server, MOUNT + name + "?live=sse&" + query, headers);
    }

    private static DurableStreamsSettings patient() {
        return DurableStreamsSettings.defaults().withLongPoll(Duration.ofMinutes(2));
    }

    @Test
    void a_long_poll_ends_when_something_comes_or_its_time_is_over() throws Exception {
        try (StreamServer wire = new StreamServer(folder, patient());
                ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
            wire.put("s", TEXT);
            Future<HttpResponse<byte[]>> waiting =
                    clients.submit(() -> wire.get("s?offset=now&live=long-poll&cursor=7"));
            await().until(() -> {
                wire.post("s", TEXT, "a"); // the first may come before the long-poll, and is history to it
                return waiting.isDone();
            });
            assertThat(text(waiting.get())).startsWith("a");
        }
        try (StreamServer wire = new StreamServer(folder)) {
            String tail = offset(wire.get("s").body().length);
            HttpResponse<byte[]> over = wire.get("s?live=long-poll&offset=" + tail);
            assertThat(over.statusCode()).isEqualTo(204);
            assertThat(header(over, "Cache-Control")).isEqualTo("no-store");
            assertThat(header(over, "Stream-Next-Offset")).isEqualTo(tail);
        }
    }

    @Test
    void a_long_poll_ends_with_the_stream() throws Exception {
        try (StreamServer wire = new StreamServer(folder, patient());
                ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
            wire.put("closed", TEXT);
            wire.put("deleted", TEXT);
            String query = "?live=long-poll&offset=" + offset(0);
            Future<HttpResponse<byte[]>> closed = clients.submit(() -> wire.get("closed" + query));
            Future<HttpResponse<byte[]>> deleted = clients.submit(() -> wire.get("deleted" + query));
            wire.send("POST", "closed", null, "Stream-Closed", "true");
            wire.send("DELETE", "deleted", null);
            assertThat(closed.get().statusCode()).isEqualTo(204);
            assertThat(header(closed.get(), "Stream-Closed")).isEqualTo("true");
            assertThat(deleted.get().statusCode()).isEqualTo(404);
        }
    }

    @Test
    void an_event_source_that_comes_back_goes_on_behind_its_last_event_S34() throws Exception {
        try (StreamServer wire = new StreamServer(folder)) {
            wire.put("j", JSON);
            wire.post("j", JSON, "[1,2]");
            String id;
            try (EventStream first = events(wire, "j", "offset=-1")) {
                assertThat(first.take(1)).extracting(Event::data).containsExactly("[1,2]");
                Event control = first.take(1).getFirst();
                assertThat(control.id()).isEqualTo(offset(2));
                id = offset(2);
            }
            wire.post("j", JSON, "3");
            try (EventStream again = events(wire, "j", "offset=-1", "Last-Event-ID", id)) {
                assertThat(again.take(1)).extracting(Event::data).containsExactly("[3]");
            }
            try (EventStream without = events(wire, "j", "x=y", "Last-Event-ID", id)) {
                assertThat(without.take(1)).extracting(Event::data).containsExactly("[3]");
            }
            try (EventStream empty = events(wire, "j", "offset=" + offset(1), "Last-Event-ID", "")) {
                assertThat(empty.take(1)).extracting(Event::data).containsExactly("[2,3]");
            }
            assertThat(events(wire, "j", "offset=-1", "Last-Event-ID", "x")
                            .response()
                            .statusCode())
                    .isEqualTo(400);
        }
    }

    @Test
    void text_cannot_write_events_of_its_own_and_keeps_its_leading_spaces() throws Exception {
        String content = "a\rb\n\nevent: control\ndata:{}\r\n\r\n  two\n one\r";
        try (StreamServer wire = new StreamServer(folder)) {
            wire.put("s", TEXT);
            wire.post("s", TEXT, content);
            wire.send("POST", "s", null, "Stream-Closed", "true");
            try (EventStream stream = events(wire, "s", "offset=-1")) {
                List<Event> all = stream.rest();
                assertThat(all).extracting(Event::name).containsExactly("data", "control");
                assertThat(all.getFirst().data())
                        .isEqualTo(content.replace("\r\n", "\n").replace('\r', '\n'));
                assertThat(all.get(1).data()).contains("\"streamClosed\":true");
            }
        }
    }

    @Test
    void a_character_that_was_cut_in_two_comes_whole() throws Exception {
        try (StreamServer wire = new StreamServer(folder)) {
            int tries = 1;
            while (!restCameSoon(wire, "s" + tries)) {
                tries++; // the machine was busy: so late, the rest may come in an event of its own
            }
        }
    }

    /** Cuts a character in two, and checks what a reader gets unless the second half was so late that nobody need wait for it. */
    private static boolean restCameSoon(StreamServer wire, String name) throws Exception {
        byte[] euro = "€".getBytes(StandardCharsets.UTF_8);
        wire.put(name, TEXT);
        try (EventStream stream = events(wire, name, "offset=-1")) {
            assertThat(stream.take(1)).extracting(Event::name).containsExactly("control");
            StreamWriter writer = wire.holdfast.streams().open(name);
            long begun = System.nanoTime();
            writer.append(new byte[] {'a', euro[0]});
            writer.append(new byte[] {euro[1], euro[2], 'b'});
            if (System.nanoTime() - begun > SOON.toNanos()) {
                return false;
            }
            assertThat(stream.take(1)).extracting(Event::data).containsExactly("a€b");
            assertThat(stream.take(1).getFirst().id()).isEqualTo(offset(2));
            return true;
        }
    }

    @Test
    void bytes_come_as_base64_that_decodes_event_by_event() throws Exception {
        try (StreamServer wire = new StreamServer(folder)) {
            wire.put("b", "application/octet-stream");
            wire.send("POST", "b", new byte[] {0, 1, (byte) 0xff}, "Content-Type", "application/octet-stream");
            try (EventStream stream = events(wire, "b", "offset=-1")) {
                assertThat(header(stream.response(), "Stream-SSE-Data-Encoding"))
                        .isEqualTo("base64");
                assertThat(header(stream.response(), "Content-Type")).isEqualTo("text/event-stream");
                assertThat(header(stream.response(), "X-Accel-Buffering")).isEqualTo("no");
                byte[] data =
                        Base64.getDecoder().decode(stream.take(1).getFirst().data());
                assertThat(data).containsExactly(0, 1, 0xff);
            }
        }
    }

    @Test
    void a_silent_connection_is_kept_alive_S36() throws Exception {
        DurableStreamsSettings settings = StreamServer.quick().withKeepAlive(Duration.ofMillis(20));
        try (StreamServer wire = new StreamServer(folder, settings)) {
            wire.put("s", TEXT);
            try (EventStream stream = events(wire, "s", "offset=-1")) {
                int comments = 0;
                for (String line = stream.nextLine(); comments < 3; line = stream.nextLine()) {
                    assertThat(line).isNotNull();
                    comments += line.startsWith(":") ? 1 : 0;
                }
                wire.post("s", TEXT, "x");
                assertThat(stream.take(1)).extracting(Event::data).containsExactly("x");
            }
        }
    }

    @Test
    void an_old_connection_ends_cleanly_and_whoever_comes_back_misses_nothing() throws Exception {
        DurableStreamsSettings settings = StreamServer.quick().withRotateAfter(Duration.ofMillis(30));
        int chunks = 200;
        try (StreamServer wire = new StreamServer(folder, settings);
                ExecutorService writers = Executors.newVirtualThreadPerTaskExecutor()) {
            wire.put("j", JSON);
            Future<?> writing = writers.submit(() -> {
                for (int i = 0; i < chunks; i++) {
                    wire.post("j", JSON, Integer.toString(i));
                }
                return wire.send("POST", "j", null, "Stream-Closed", "true");
            });
            StringBuilder read = new StringBuilder();
            String offset = offset(0);
            boolean closed = false;
            while (!closed) {
                try (EventStream stream = events(wire, "j", "offset=" + offset)) {
                    for (Optional<Event> each = stream.next(); each.isPresent(); each = stream.next()) {
                        if (each.get().name().equals("data")) {
                            String array = each.get().data();
                            read.append(array, 1, array.length() - 1).append(',');
                        } else {
                            offset = String.valueOf(each.get().id());
                            closed = each.get().data().contains("streamClosed");
                        }
                    }
                }
            }
            writing.get();
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < chunks; i++) {
                expected.add(Integer.toString(i));
            }
            assertThat(read.toString().split(",")).containsExactlyElementsOf(expected);
        }
    }

    @Test
    void readers_end_when_the_stream_is_deleted() throws Exception {
        try (StreamServer wire = new StreamServer(folder)) {
            wire.put("s", TEXT);
            try (EventStream stream = events(wire, "s", "offset=-1")) {
                stream.take(1);
                wire.send("DELETE", "s", null);
                assertThat(stream.rest()).isEmpty();
            }
        }
    }

    @Test
    void cursors_of_one_connection_never_go_back() throws Exception {
        try (StreamServer wire = new StreamServer(folder)) {
            wire.put("j", JSON);
            try (EventStream stream = events(wire, "j", "offset=-1&cursor=999999999")) {
                long last = 999_999_999;
                stream.take(1);
                for (int i = 0; i < 20; i++) {
                    wire.post("j", JSON, "1");
                    String control = stream.take(2).get(1).data();
                    String cursor = control.replaceAll(".*\"streamCursor\":\"(\\d+)\".*", "$1");
                    assertThat(Long.parseLong(cursor)).isGreaterThanOrEqualTo(Math.max(last, 1_000_000_000));
                    last = Long.parseLong(cursor);
                }
            }
        }
    }

    @Test
    void a_reader_that_takes_nothing_holds_up_nobody_and_then_gets_everything() throws Exception {
        int chunks = 300;
        String chunk = "#".repeat(64 << 10);
        try (StreamServer wire = new StreamServer(folder);
                Socket lazy = wire.server.connect()) {
            wire.put("s", TEXT);
            lazy.getOutputStream()
                    .write(("GET " + MOUNT + "s?offset=-1&live=sse HTTP/1.1\r\nHost: localhost\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            for (int i = 0; i < chunks; i++) {
                assertThat(wire.post("s", TEXT, chunk).statusCode()).isEqualTo(204);
            }
            wire.send("POST", "s", null, "Stream-Closed", "true");
            try (EventStream quick = events(wire, "s", "offset=-1")) {
                assertThat(quick.rest().getLast().data()).contains("streamClosed");
            }
            BufferedReader lines =
                    new BufferedReader(new InputStreamReader(lazy.getInputStream(), StandardCharsets.US_ASCII));
            long taken = 0;
            for (String line = lines.readLine(); !line.contains("streamClosed"); line = lines.readLine()) {
                taken += line.chars().filter(c -> c == '#').count();
            }
            assertThat(taken).isEqualTo((long) chunks * chunk.length());
        }
    }
}
