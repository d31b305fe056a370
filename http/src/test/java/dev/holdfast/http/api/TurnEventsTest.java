package dev.holdfast.http.api;

import static dev.holdfast.http.Patience.await;
import static dev.holdfast.http.api.Api.EVENTS;
import static dev.holdfast.http.api.Api.TURN;
import static dev.holdfast.http.api.Api.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.access.Authorizer;
import dev.holdfast.http.EventStream;
import dev.holdfast.http.EventStream.Event;
import dev.holdfast.http.Json;
import dev.holdfast.http.sse.SseSettings;
import dev.holdfast.stream.Cursor;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Watching a turn: from every cursor, across its end, across a restart, and while it waits. */
final class TurnEventsTest {

    private static final int CHUNKS = ScriptedAgent.chunks("any").size();

    @TempDir
    private Path folder;

    private static List<String> names(List<Event> events) {
        return events.stream().map(Event::name).toList();
    }

    private static JsonNode data(Event event) {
        return Json.MAPPER.readTree(event.data());
    }

    @Test
    void every_cursor_goes_on_exactly_there_and_ends_once_after_the_last_chunk_S34() throws Exception {
        try (Api api = new Api(folder)) {
            JsonNode turn = api.startTurn("default");
            List<Event> all;
            try (EventStream watch = EventStream.open(api.server, EVENTS)) {
                all = watch.take(CHUNKS);
            }
            assertThat(all)
                    .extracting(Event::data)
                    .containsExactlyElementsOf(
                            ScriptedAgent.chunks(turn.get("messageId").stringValue()));
            List<EventStream> watchers = new ArrayList<>();
            watchers.add(EventStream.open(api.server, EVENTS));
            for (Event event : all) {
                watchers.add(EventStream.at(api.server, EVENTS, event.id()));
            }
            api.agent.end();
            for (int k = 0; k <= CHUNKS; k++) {
                List<Event> rest = watchers.get(k).rest();
                assertThat(rest.subList(0, rest.size() - 1)).as("from %d", k).isEqualTo(all.subList(k, CHUNKS));
                Event last = rest.getLast();
                assertThat(last.name()).isEqualTo("turn-ended");
                assertThat(last.id()).as("the tail").isEqualTo(all.getLast().id());
                assertThat(data(last).get("outcome").stringValue()).isEqualTo("completed");
                assertThat(data(last).get("messageId")).isEqualTo(turn.get("messageId"));
            }
        }
    }

    @Test
    void whoever_comes_back_after_the_end_gets_the_message_and_then_the_end() throws Exception {
        try (Api api = new Api(folder)) {
            JsonNode turn = api.startTurn("default");
            List<Event> all;
            try (EventStream watch = EventStream.open(api.server, EVENTS)) {
                all = watch.take(CHUNKS);
                api.agent.end();
                assertThat(names(watch.rest())).containsExactly("turn-ended");
            }
            List<String> cursors = new ArrayList<>(all.stream().map(Event::id).toList());
            cursors.add("");
            cursors.add(turn.get("cursor").stringValue());
            for (String cursor : cursors) {
                List<Event> answer = EventStream.at(api.server, EVENTS, cursor).rest();
                assertThat(names(answer)).containsExactly("finished", "turn-ended");
                JsonNode message = data(answer.getFirst()).get("message");
                assertThat(message.get("id")).isEqualTo(turn.get("messageId"));
                assertThat(message.get("content").toString()).contains("one two three");
            }
        }
    }

    @Test
    void a_turn_that_was_retried_after_a_crash_tells_whoever_comes_back_to_drop_what_it_has() throws Exception {
        String cursor;
        try (Api api = new Api(folder)) {
            api.startTurn("default");
            try (EventStream watch = EventStream.open(api.server, EVENTS)) {
                cursor = String.valueOf(watch.take(3).getLast().id());
            }
        }
        try (Api api = new Api(folder);
                EventStream watch = EventStream.at(api.server, EVENTS, cursor)) {
            Event first = watch.next().orElseThrow();
            while (!first.name().equals("restarted")) {
                first = watch.next().orElseThrow(); // the prefix, until the turn is taken up
            }
            List<Event> events = new ArrayList<>(List.of(first));
            events.addAll(watch.take(CHUNKS));
            assertThat(data(events.get(1)).get("type").stringValue()).isEqualTo("start");
            try (EventStream again =
                    EventStream.at(api.server, EVENTS, events.getFirst().id())) {
                assertThat(again.take(CHUNKS)).isEqualTo(events.subList(1, 1 + CHUNKS));
            }
            api.agent.end();
            assertThat(names(watch.rest())).containsExactly("turn-ended");
        }
    }

    @Test
    void a_turn_that_waits_says_so_and_goes_on_from_its_message() throws Exception {
        try (Api api = new Api(folder)) {
            api.startTurn("asking");
            String cursor;
            try (EventStream watch = EventStream.open(api.server, EVENTS)) {
                cursor = String.valueOf(watch.take(CHUNKS).getLast().id());
                api.asking.end();
                List<Event> end = watch.rest();
                assertThat(names(end)).containsExactly("turn-awaiting");
                assertThat(data(end.getFirst()).get("reason").stringValue()).isEqualTo("a question");
            }
            assertThat(names(EventStream.at(api.server, EVENTS, cursor).rest()))
                    .containsExactly("snapshot", "turn-awaiting");
            assertThat(api.server
                            .post(TURN + "/resume", "{\"input\":{\"yes\":true}}")
                            .statusCode())
                    .isEqualTo(200);
            try (EventStream back = EventStream.at(api.server, EVENTS, cursor);
                    EventStream fresh = EventStream.open(api.server, EVENTS)) {
                List<Event> again = back.take(2 + CHUNKS);
                assertThat(names(again).subList(0, 3)).containsExactly("restarted", "snapshot", "message");
                assertThat(fresh.take(1 + CHUNKS)).isEqualTo(again.subList(1, 2 + CHUNKS));
                api.asking.end();
                assertThat(names(back.rest())).containsExactly("turn-ended");
                assertThat(names(fresh.rest())).containsExactly("turn-ended");
            }
            assertThat(api.server.post(TURN + "/resume", "{}").statusCode()).isEqualTo(409);
        }
    }

    @Test
    void a_cursor_has_a_named_answer_whatever_is_wrong_with_it() throws Exception {
        try (Api api = new Api(folder)) {
            JsonNode turn = api.startTurn("default");
            Cursor begin = Cursor.parse(turn.get("cursor").stringValue());
            String ahead = new Cursor(begin.incarnation(), 1_000).token();
            HttpResponse<String> answer = api.server.get(EVENTS, "Last-Event-ID", ahead);
            assertThat(answer.statusCode()).isEqualTo(409);
            assertThat(json(answer).get("type").stringValue()).isEqualTo("urn:holdfast:problem:cursor-ahead");
            for (String garbage : List.of("0", "-1", "x", ahead.substring(1), "A".repeat(9000), "%00")) {
                HttpResponse<String> refused = api.server.get(EVENTS, "Last-Event-ID", garbage);
                assertThat(refused.statusCode()).as(garbage).isEqualTo(400);
                assertThat(json(refused).get("type").stringValue()).isEqualTo("urn:holdfast:problem:wrong-cursor");
            }
        }
    }

    @Test
    void an_empty_header_is_none_a_header_beats_the_query_and_the_query_beats_nothing_S34() throws Exception {
        try (Api api = new Api(folder)) {
            JsonNode turn = api.startTurn("default");
            Cursor begin = Cursor.parse(turn.get("cursor").stringValue());
            String two = new Cursor(begin.incarnation(), 2).token();
            String four = new Cursor(begin.incarnation(), 4).token();
            List<Event> all;
            try (EventStream watch = EventStream.open(api.server, EVENTS, "Last-Event-ID", "")) {
                all = watch.take(CHUNKS);
            }
            try (EventStream watch = EventStream.open(api.server, EVENTS + "?cursor=" + two)) {
                assertThat(watch.take(1)).containsExactly(all.get(2));
            }
            try (EventStream watch = EventStream.open(api.server, EVENTS + "?cursor=" + two, "Last-Event-ID", four)) {
                assertThat(watch.take(1)).containsExactly(all.get(4));
            }
        }
    }

    @Test
    void a_stop_is_told_to_who_watches_and_a_lost_connection_stops_nothing() throws Exception {
        try (Api api = new Api(folder)) {
            api.startTurn("default");
            EventStream.open(api.server, EVENTS).close();
            try (EventStream watch = EventStream.open(api.server, EVENTS)) {
                watch.take(CHUNKS);
                assertThat(json(api.server.get(TURN)).get("state").stringValue())
                        .isEqualTo("streaming");
                JsonNode stop = json(api.server.post(TURN + "/stop", "{\"reason\":\"enough\"}"));
                assertThat(stop.get("accepted").booleanValue()).isTrue();
                List<Event> end = watch.rest();
                assertThat(names(end)).containsExactly("turn-ended");
                assertThat(data(end.getFirst()).get("outcome").stringValue()).isEqualTo("stopped");
            }
            assertThat(json(api.server.post(TURN + "/stop", "{}")).get("state").stringValue())
                    .isEqualTo("stopped");
        }
    }

    @Test
    void the_head_tells_proxies_to_leave_the_events_alone_and_clients_when_to_come_back() throws Exception {
        try (Api api = new Api(folder)) {
            api.startTurn("default");
            try (EventStream watch = EventStream.open(api.server, EVENTS)) {
                var headers = watch.response().headers();
                assertThat(headers.firstValue("Content-Type")).contains("text/event-stream; charset=utf-8");
                assertThat(headers.firstValue("Cache-Control").orElse("")).contains("no-store", "no-transform");
                assertThat(headers.firstValue("X-Accel-Buffering")).contains("no");
                assertThat(headers.firstValue("Content-Encoding")).isEmpty();
            }
        }
    }

    @Test
    void a_silent_stream_carries_comments() throws Exception {
        SseSettings quick = SseSettings.defaults().withHeartbeat(Duration.ofMillis(5));
        try (Api api = new Api(folder, quick, Authorizer.allowAll())) {
            api.startTurn("default");
            try (EventStream watch = EventStream.open(api.server, EVENTS)) {
                watch.take(CHUNKS);
                assertThat(watch.nextLine()).isEqualTo(":");
                assertThat(watch.nextLine()).isEmpty();
            }
        }
    }

    @Test
    void an_old_connection_is_cut_on_purpose_and_never_ends_cleanly() throws Exception {
        SseSettings rotating = SseSettings.defaults().withRotateAfter(Duration.ofMillis(20));
        try (Api api = new Api(folder, rotating, Authorizer.allowAll())) {
            JsonNode turn = api.startTurn("default");
            String first =
                    ScriptedAgent.chunks(turn.get("messageId").stringValue()).getFirst();
            String all = await().until(
                            () -> api.server.raw("GET " + EVENTS + " HTTP/1.1\r\nHost: localhost\r\n\r\n"),
                            answer -> answer.contains(first)); // an early connection may be old before there is a chunk
            assertThat(all).contains("event: reconnect").doesNotContain("\r\n0\r\n");
        }
    }

    @Test
    void the_end_of_the_process_cuts_whoever_watches_and_never_ends_cleanly() throws Exception {
        try (Api api = new Api(folder)) {
            api.startTurn("default");
            try (EventStream watch = EventStream.open(api.server, EVENTS)) {
                watch.take(CHUNKS);
                api.server.door().open().abortAll();
                assertThatThrownBy(watch::next).isInstanceOf(IOException.class);
            }
        }
    }

    @Test
    void a_deleted_session_ends_the_watch_abortively() throws Exception {
        try (Api api = new Api(folder)) {
            api.startTurn("default");
            try (EventStream watch = EventStream.open(api.server, EVENTS)) {
                watch.take(CHUNKS);
                api.server
                        .client()
                        .send(
                                api.server
                                        .request("/api/v1/sessions/s")
                                        .DELETE()
                                        .build(),
                                HttpResponse.BodyHandlers.discarding());
                assertThatThrownBy(watch::next).isInstanceOf(IOException.class);
            }
            assertThat(api.server.get(EVENTS).statusCode()).isEqualTo(404);
        }
    }
}
