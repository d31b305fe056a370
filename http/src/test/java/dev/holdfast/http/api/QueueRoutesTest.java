package dev.holdfast.http.api;

import static dev.holdfast.http.Patience.await;
import static dev.holdfast.http.api.Api.EVENTS;
import static dev.holdfast.http.api.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.EventStream;
import dev.holdfast.http.EventStream.Event;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The queue over HTTP: policies, watching a turn that waits, and clearing. */
final class QueueRoutesTest {

    private static final String TURNS = "/api/v1/sessions/s/turns";
    private static final String QUEUE = "/api/v1/sessions/s/queue";

    @TempDir
    private Path folder;

    private Api api;

    @BeforeEach
    void open() throws Exception {
        api = new Api(folder);
        api.startTurn("default");
    }

    @AfterEach
    void close() {
        api.close();
    }

    private HttpResponse<String> submit(String id, String more) throws Exception {
        return api.server.post(TURNS, """
                {"id": "%s", "message": {"id": "m-%s", "text": "Hello"}%s}""".formatted(id, id, more));
    }

    private String state(String turn) throws Exception {
        return json(api.server.get(TURNS + "/" + turn)).get("state").stringValue();
    }

    private List<String> queued() throws Exception {
        return json(api.server.get(QUEUE))
                .get("turns")
                .valueStream()
                .map(turn -> turn.get("id").stringValue())
                .toList();
    }

    @Test
    void a_turn_that_waits_is_accepted_listed_and_watched_until_its_end() throws Exception {
        HttpResponse<String> answer = submit("u", "");
        assertThat(answer.statusCode()).isEqualTo(201);
        assertThat(json(answer).get("state").stringValue()).isEqualTo("accepted");
        assertThat(json(answer).get("cursor").isNull()).isTrue();
        assertThat(queued()).containsExactly("u");
        try (EventStream watch = EventStream.open(api.server, TURNS + "/u/events")) {
            assertThat(watch.next().orElseThrow().name()).isEqualTo("turn-queued");
            api.agent.end();
            api.agent.end();
            List<Event> events = watch.rest();
            assertThat(events.getLast().name()).isEqualTo("turn-ended");
            assertThat(events).hasSizeGreaterThan(1);
        }
        assertThat(state("u")).isEqualTo("completed");
        assertThat(queued()).isEmpty();
    }

    @Test
    void policies_are_named_in_the_body() throws Exception {
        assertThat(submit("u", ", \"policy\": \"queue\"").statusCode()).isEqualTo(201);
        HttpResponse<String> dropped = submit("v", ", \"policy\": \"drop\"");
        assertThat(dropped.statusCode()).isEqualTo(409);
        assertThat(json(dropped).get("type").stringValue()).isEqualTo("urn:holdfast:problem:session-busy");
        assertThat(submit("w", ", \"policy\": \"latest\"").statusCode()).isEqualTo(201);
        assertThat(queued()).containsExactly("w");
        assertThat(submit("x", ", \"policy\": \"merge\"").statusCode()).isEqualTo(201);
        assertThat(json(api.server.get(TURNS + "/w")).get("error").stringValue())
                .contains("merged");
        JsonNode debounced = json(submit("y", ", \"policy\": \"debounce\", \"debounceMillis\": 60000"));
        assertThat(debounced.get("startsAt").isString()).isTrue();
        assertThat(queued()).containsExactly("y");
    }

    @Test
    void a_policy_that_is_none_is_refused() throws Exception {
        for (String wrong : List.of(
                ", \"policy\": \"soon\"",
                ", \"policy\": 1",
                ", \"debounceMillis\": 5",
                ", \"policy\": \"debounce\", \"debounceMillis\": \"5\"",
                ", \"policy\": \"debounce\", \"debounceMillis\": 1.5",
                ", \"policy\": \"debounce\", \"debounceMillis\": 0",
                ", \"regenerate\": \"m\"")) {
            assertThat(submit("u", wrong).statusCode()).as(wrong).isEqualTo(400);
        }
        assertThat(queued()).isEmpty();
    }

    @Test
    void the_queue_is_cleared_with_a_reason() throws Exception {
        submit("u", "");
        submit("v", "");
        HttpResponse<String> cleared = api.server
                .client()
                .send(
                        api.server.request(QUEUE + "?reason=enough").DELETE().build(),
                        HttpResponse.BodyHandlers.ofString());
        assertThat(json(cleared).get("ended").intValue()).isEqualTo(2);
        assertThat(state("u")).isEqualTo("stopped");
        assertThat(json(api.server.get(TURNS + "/v")).get("error").stringValue())
                .isEqualTo("enough");
    }

    @Test
    void a_stop_that_arrives_before_its_start_stops_the_turn() throws Exception {
        HttpResponse<String> stop = api.server.post(TURNS + "/early/stop", "{\"reason\": \"changed my mind\"}");
        assertThat(stop.statusCode()).isEqualTo(200);
        assertThat(json(stop).get("accepted").booleanValue()).isTrue();
        HttpResponse<String> start = submit("early", "");
        assertThat(start.statusCode()).isEqualTo(201);
        assertThat(json(start).get("state").stringValue()).isEqualTo("stopped");
        assertThat(json(start).get("error").stringValue()).isEqualTo("changed my mind");
        assertThat(api.server.get("/api/v1/sessions/s/messages/m-early").statusCode())
                .isEqualTo(200);
    }

    @Test
    void an_edit_and_a_regenerated_answer_are_branches() throws Exception {
        api.agent.end();
        try (EventStream watch = EventStream.open(api.server, EVENTS)) {
            watch.rest();
        }
        String answer = json(api.server.get(TURNS + "/t")).get("messageId").stringValue();
        api.agent.end();
        api.agent.end();
        assertThat(api.server
                        .post(TURNS, "{\"id\": \"again\", \"regenerate\": \"%s\"}".formatted(answer))
                        .statusCode())
                .isEqualTo(201);
        assertThat(api.server
                        .post(
                                TURNS,
                                "{\"id\": \"edit\", \"message\": {\"id\": \"m2\", \"text\": \"Hi\", \"besideId\": \"m\"}}")
                        .statusCode())
                .isEqualTo(201);
        assertThat(json(api.server.get(TURNS + "/again")).get("userMessageId").stringValue())
                .isEqualTo("m");
        assertThat(json(api.server.get("/api/v1/sessions/s/messages/m2"))
                        .get("parentId")
                        .isNull())
                .isTrue();
    }

    @Test
    void a_turn_that_is_being_recovered_is_an_incident() throws Exception {
        String incidents = "/api/v1/sessions/s/incidents";
        assertThat(json(api.server.get(incidents)).get("incidents").isEmpty()).isTrue();
        api.close();
        api = new Api(folder);
        await().until(() -> !json(api.server.get(incidents)).get("incidents").isEmpty());
        JsonNode incident = json(api.server.get(incidents)).get("incidents").get(0);
        assertThat(incident.get("turnId").stringValue()).isEqualTo("t");
        assertThat(incident.get("status").stringValue()).isEqualTo("recovering");
        assertThat(incident.get("cause").stringValue()).isEqualTo("process-lost");
        assertThat(incident.get("attempts").intValue()).isEqualTo(1);
    }
}
