package dev.holdfast.http.api;

import static dev.holdfast.http.api.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.EventStream;
import dev.holdfast.http.EventStream.Event;
import dev.holdfast.http.Json;
import dev.holdfast.session.SessionCursor;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Watching a session. */
final class FeedEventsTest {

    private static final String FEED = "/api/v1/sessions/s/feed";

    @TempDir
    private Path folder;

    private Api api;

    @BeforeEach
    void start() throws Exception {
        api = new Api(folder);
    }

    @AfterEach
    void stop() {
        api.close();
    }

    @Test
    void a_feed_begins_with_a_snapshot_and_goes_on_behind_it_from_every_cursor() throws Exception {
        api.startTurn("default");
        try (EventStream watch = EventStream.open(api.server, FEED)) {
            Event snapshot = watch.next().orElseThrow();
            assertThat(snapshot.name()).isEqualTo("snapshot");
            JsonNode data = Json.MAPPER.readTree(snapshot.data());
            assertThat(data.get("messages").get(0).get("id").stringValue()).isEqualTo("m");
            assertThat(data.get("liveTurns").get(0).get("id").stringValue()).isEqualTo("t");
            api.agent.end();
            List<Event> ended = watch.take(2);
            assertThat(ended).extracting(Event::name).containsExactly("message-added", "turn-ended");
            try (EventStream again = EventStream.at(api.server, FEED, snapshot.id())) {
                assertThat(again.take(2)).isEqualTo(ended);
            }
            try (EventStream again =
                    EventStream.at(api.server, FEED, ended.getFirst().id())) {
                assertThat(again.take(1)).containsExactly(ended.get(1));
            }
        }
    }

    @Test
    void a_cursor_that_stands_no_more_has_its_named_answer() throws Exception {
        api.startTurn("default");
        String token = json(api.server.get("/api/v1/sessions/s")).get("cursor").stringValue();
        String ahead = SessionCursor.parse(token).withFeed(1_000).token();
        try (EventStream watch = EventStream.at(api.server, FEED, ahead)) {
            assertThat(watch.take(2)).extracting(Event::name).containsExactly("ahead", "snapshot");
        }
        api.server.post("/api/v1/sessions", "{\"id\":\"other\"}");
        HttpResponse<String> foreign = api.server.get("/api/v1/sessions/other/feed", "Last-Event-ID", token);
        assertThat(foreign.statusCode()).isEqualTo(400);
        assertThat(api.server.get(FEED, "Last-Event-ID", "garbage").statusCode())
                .isEqualTo(400);
    }

    @Test
    void a_deleted_session_ends_its_feed_with_a_word() throws Exception {
        api.holdfast.sessions().create("s");
        try (EventStream watch = EventStream.open(api.server, FEED)) {
            watch.take(1);
            assertThat(api.holdfast.sessions().delete("s")).isTrue();
            assertThat(watch.rest()).extracting(Event::name).containsExactly("session-deleted");
        }
    }
}
