package dev.holdfast.http.session;

import static dev.holdfast.http.session.Wire.command;
import static dev.holdfast.http.session.Wire.sending;
import static dev.holdfast.http.session.Wire.watching;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.Patience;
import dev.holdfast.session.SessionCursor;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/** What a client is told of the sessions it watches, from any cursor, over both transports. */
@ParameterizedClass
@EnumSource
final class WatchingTest extends BothTransports {

    WatchingTest(Way way) {
        super(way);
    }

    @Test
    void a_message_is_answered_and_every_chunk_comes_before_its_message_and_the_message_before_the_end_M41()
            throws Exception {
        try (Line line = connect()) {
            JsonNode receipt = line.done(sending("s", "m1"));
            assertThat(receipt.get("turn").stringValue()).isEqualTo("m1");
            assertThat(receipt.get("started").booleanValue()).isTrue();
            Applied applied = line.watch("s");
            wire.there.say("one ");
            wire.there.say("two");
            wire.there.end();
            line.follow(applied, "turn-ended");
            assertThat(applied.text("m1")).isEqualTo("one two");
            List<String> kinds = applied.kinds();
            assertThat(kinds.getFirst()).isEqualTo("stream-opened");
            assertThat(kinds.lastIndexOf("chunk")).isLessThan(kinds.indexOf("message-added"));
            assertThat(kinds.indexOf("message-added")).isLessThan(kinds.indexOf("turn-ended"));
            JsonNode message = applied.last("message-added").orElseThrow().get("message");
            assertThat(message.get("content").get("parts").toString()).contains("one two");
        }
    }

    @Test
    void an_observer_learns_of_everything_from_a_snapshot_on() throws Exception {
        wire.there.create("s");
        wire.there.append("s", "m0", "{\"id\":\"m0\",\"role\":\"user\",\"parts\":[]}");
        try (Line line = connect()) {
            line.done(watching("s", null));
            JsonNode attached = line.next("attached");
            assertThat(attached.get("answer").stringValue()).isEqualTo("snapshot");
            assertThat(attached.get("why").stringValue()).isEqualTo("new");
            assertThat(attached.get("snapshot").get("messages").get(0).get("id").stringValue())
                    .isEqualTo("m0");
            assertThat(attached.get("driver").stringValue()).isEqualTo("none");
            Applied applied = new Applied("s");
            applied.frame(attached);
            wire.there.start("s", "t1");
            wire.there.say("hi");
            wire.there.end();
            line.follow(applied, "turn-ended");
            assertThat(applied.kinds()).contains("turn-started", "stream-opened", "chunk", "message-added");
            assertThat(applied.last("turn-ended").orElseThrow().get("outcome").stringValue())
                    .isEqualTo("completed");
        }
    }

    @Test
    void a_client_that_comes_back_gets_what_follows_its_cursor_exactly_once_M39_M77() throws Exception {
        Applied applied = new Applied("s");
        try (Line line = connect()) {
            line.done(sending("s", "m1"));
            line.done(watching("s", null));
            wire.there.say("a");
            while (!applied.text("m1").equals("a")) {
                applied.frame(line.next());
            }
        }
        wire.there.say("b");
        wire.there.say("c");
        try (Line line = connect()) {
            line.done(reconnecting("s", applied.cursor()));
            while (!applied.text("m1").equals("abc")) {
                applied.frame(line.next());
            }
            assertThat(applied.snapshots()).isEqualTo(1);
            wire.there.end();
            line.follow(applied, "turn-ended");
            List<Long> seqs = applied.events().stream()
                    .filter(event -> event.get("kind").stringValue().equals("chunk"))
                    .map(event -> event.get("seq").longValue())
                    .toList();
            assertThat(seqs).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L);
        }
    }

    @Test
    void a_client_that_was_away_over_the_end_gets_the_message_instead_of_the_chunks_M70_M78() throws Exception {
        Applied applied = new Applied("s");
        try (Line line = connect()) {
            line.done(sending("s", "m1"));
            line.done(watching("s", null));
            wire.there.say("a");
            while (!applied.text("m1").equals("a")) {
                applied.frame(line.next());
            }
        }
        wire.there.say("b");
        wire.there.end();
        wire.there.awaitOutcome("s", "m1");
        int had = applied.events().size();
        try (Line line = connect()) {
            line.done(reconnecting("s", applied.cursor()));
            line.follow(applied, "turn-ended");
            List<String> more = applied.kinds().subList(had, applied.kinds().size());
            assertThat(more).containsExactly("message-added", "turn-ended");
            assertThat(applied.last("message-added")
                            .orElseThrow()
                            .get("message")
                            .toString())
                    .contains("\"ab\"");
        }
        try (Line line = connect()) { // and nothing of it again
            line.done(reconnecting("s", applied.cursor()));
            JsonNode attached = line.next("attached");
            assertThat(attached.get("answer").stringValue()).isEqualTo("ok");
            assertThat(attached.get("cursor").stringValue()).isEqualTo(applied.cursor());
            assertThat(attached.get("turns").isEmpty()).isTrue();
        }
    }

    @Test
    void a_cursor_that_does_not_stand_is_answered_with_a_snapshot_that_says_why_M68() throws Exception {
        wire.there.create("s");
        SessionCursor now = SessionCursor.parse(wire.there.cursor("s"));
        wire.there.create("other");
        try (Line line = connect()) {
            line.done(watching("s", now.withFeed(1_000).token()));
            assertThat(line.next("attached").get("why").stringValue()).isEqualTo("ahead");
            line.done(watching("other", now.token()));
            assertThat(line.next("attached").get("why").stringValue()).isEqualTo("other-session");
            JsonNode refused = line.command(watching("s", "garbage"));
            assertProblem(refused, 400, "wrong-cursor");
        }
    }

    @Test
    void a_client_that_was_away_for_longer_than_the_feed_is_kept_is_told_so(@TempDir Path other) throws Exception {
        try (Wire forgetful = another(other, Plan.plain().withFeedRetained(10))) {
            forgetful.there.create("s");
            String cursor = forgetful.there.cursor("s");
            forgetful.there.fill("s", 3_000);
            try (Line line = connect(forgetful)) {
                line.done(watching("s", cursor));
                JsonNode attached = line.next("attached");
                assertThat(attached.get("why").stringValue()).isEqualTo("too-old");
                assertThat(attached.get("snapshot").get("truncated").booleanValue())
                        .isFalse();
            }
        }
    }

    @Test
    void sessions_that_cannot_be_watched_do_not_fail_the_others_M40() throws Exception {
        wire.there.create("here");
        try (Line line = connect()) {
            JsonNode result = line.done(reconnecting("gone", null, "here", null));
            assertThat(result.get("sessions").get(0).get("attached").booleanValue())
                    .isFalse();
            assertThat(result.get("sessions")
                            .get(0)
                            .get("problem")
                            .get("status")
                            .intValue())
                    .isEqualTo(404);
            assertThat(result.get("sessions").get(1).get("attached").booleanValue())
                    .isTrue();
            assertThat(line.next("attached").get("session").stringValue()).isEqualTo("here");
        }
    }

    @Test
    void a_deleted_session_is_detached_and_others_go_on() throws Exception {
        wire.there.create("doomed");
        wire.there.create("stays");
        try (Line line = connect()) {
            line.done(reconnecting("doomed", null, "stays", null));
            line.next("attached");
            line.next("attached");
            wire.there.delete("doomed");
            JsonNode detached = line.next("detached");
            assertThat(detached.get("session").stringValue()).isEqualTo("doomed");
            assertThat(detached.get("reason").stringValue()).isEqualTo("deleted");
            wire.there.append("stays", "m", "{}");
            assertThat(line.next("events").get("session").stringValue()).isEqualTo("stays");
        }
    }

    @Test
    void watching_and_unwatching_are_answered_and_bound_what_comes_M50_M65() throws Exception {
        wire.there.create("s");
        try (Line line = connect()) {
            assertThat(line.done(watching("s", null)).get("attached").booleanValue())
                    .isTrue();
            line.next("attached");
            line.done(command("unwatch").put("session", "s"));
            assertThat(line.next("detached").get("reason").stringValue()).isEqualTo("unwatched");
            wire.there.append("s", "m", "{}");
            line.done(command("probe").put("nonce", "n1"));
            assertThat(Line.type(line.next())).isEqualTo("probe"); // and no events before it
        }
        Patience.await()
                .untilAsserted(() -> assertThat(wire.there.watchedSessions()).isZero());
    }

    @Test
    void a_busy_session_that_is_unwatched_is_detached_once_and_watched_again_goes_on() throws Exception {
        try (Line line = connect()) {
            line.done(sending("s", "m1"));
            for (int i = 0; i < 200; i++) {
                line.done(watching("s", null));
                assertThat(line.until(message -> !Line.type(message).equals("events"))
                                .getLast()
                                .get("type")
                                .stringValue())
                        .isEqualTo("attached");
                wire.there.say("word ");
                wire.there.say("word ");
                line.done(command("unwatch").put("session", "s"));
                assertThat(line.until(message -> !Line.type(message).equals("events"))
                                .getLast()
                                .get("type")
                                .stringValue())
                        .isEqualTo("detached");
            }
        }
    }

    @Test
    void watching_again_begins_anew_at_the_cursor_given() throws Exception {
        wire.there.create("s");
        String start = wire.there.cursor("s");
        wire.there.append("s", "m", "{}");
        try (Line line = connect()) {
            line.done(watching("s", null));
            line.next("attached");
            line.done(watching("s", start));
            assertThat(line.next("attached").get("answer").stringValue()).isEqualTo("ok");
            JsonNode events = line.next("events");
            assertThat(events.get("from").stringValue()).isEqualTo(start);
        }
    }

    @Test
    void the_session_in_the_foreground_takes_the_place_of_the_one_before_M51() throws Exception {
        wire.there.create("a");
        wire.there.create("b");
        try (Line line = connect()) {
            line.done(command("switch").put("session", "a"));
            assertThat(line.next("attached").get("session").stringValue()).isEqualTo("a");
            line.done(command("switch").put("session", "a"));
            assertProblem(line.command(command("switch").put("session", "nowhere")), 404, "session-not-found");
            line.done(command("switch").put("session", "b"));
            List<JsonNode> both = line.until(message -> Line.type(message).equals("detached"));
            assertThat(both).extracting(Line::type).containsExactly("attached", "detached");
            assertThat(both.getFirst().get("session").stringValue()).isEqualTo("b");
            assertThat(both.getLast().get("session").stringValue()).isEqualTo("a");
            line.done(command("switch").putNull("session"));
            assertThat(line.next("detached").get("session").stringValue()).isEqualTo("b");
        }
    }

    @Test
    void what_the_host_keeps_for_clients_comes_with_the_attach_M48() throws Exception {
        wire.there.create("s");
        wire.there.create("bad");
        wire.there.put("bad", "live.boot", "{not json");
        wire.there.put("s", "live.boot", "{\"title\":\"Hi\"}");
        try (Line line = connect()) {
            line.done(watching("s", null));
            assertThat(line.next("attached").get("boot").get("title").stringValue())
                    .isEqualTo("Hi");
            line.done(watching("bad", null));
            assertThat(line.next("attached").has("boot")).isFalse();
        }
    }

    @Test
    void a_connection_watches_so_many_sessions_and_no_more() throws Exception {
        for (int i = 0; i <= TransportLimits.MAX_WATCHED; i++) {
            wire.there.create("s" + i);
        }
        try (Line line = connect()) {
            for (int i = 0; i < TransportLimits.MAX_WATCHED; i++) {
                line.done(watching("s" + i, null));
                line.next("attached"); // or nobody takes them
            }
            assertProblem(line.command(watching("s" + TransportLimits.MAX_WATCHED, null)), 413, "limit-exceeded");
            line.done(watching("s0", null));
        }
    }

    @Test
    void a_long_turn_comes_merged_to_a_client_without_a_cursor_and_exactly_to_one_with_a_cursor() throws Exception {
        try (Line line = connect()) {
            line.done(sending("s", "m1"));
            Applied early = line.watch("s");
            for (int i = 0; i < 500; i++) {
                wire.there.say("word ");
            }
            while (early.text("m1").length() < 2_500) {
                early.frame(line.next());
            }
            assertThat(early.events().stream().filter(event -> event.has("data")))
                    .hasSize(502);
            Applied late = line.watch("s");
            while (late.text("m1").length() < 2_500) {
                late.frame(line.next());
            }
            assertThat(late.events().size()).isLessThan(20);
            wire.there.say("end");
            wire.there.end();
            line.follow(late, "turn-ended");
            assertThat(late.text("m1")).isEqualTo("word ".repeat(500) + "end");
        }
    }

    @Test
    void what_an_agent_emits_that_is_no_json_breaks_no_frame() throws Exception {
        try (Line line = connect()) {
            line.done(sending("s", "m1"));
            Applied applied = line.watch("s");
            wire.there.emit("{\"type\":\n\"data-x\",\n\"data\":1}");
            wire.there.emit("\uFEFF{\"type\":\"data-y\",\"data\":1}"); // begins with a byte order mark
            wire.there.say("x");
            while (!applied.text("m1").equals("x")) {
                applied.frame(line.next());
            }
            assertThat(applied.events().toString()).contains("data-x");
        }
    }
}
