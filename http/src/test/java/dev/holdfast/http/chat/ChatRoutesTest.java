package dev.holdfast.http.chat;

import static dev.holdfast.http.chat.Chat.chunk;
import static dev.holdfast.http.chat.Chat.deltas;
import static dev.holdfast.http.chat.Chat.json;
import static dev.holdfast.http.chat.Chat.submit;
import static dev.holdfast.http.chat.Chat.types;
import static dev.holdfast.http.chat.Chat.user;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.http.EventStream;
import dev.holdfast.http.EventStream.Event;
import dev.holdfast.http.Json;
import java.io.IOException;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The chat wire as its clients use it: what they are sent, and when. */
final class ChatRoutesTest {

    @TempDir
    private Path folder;

    private Chat chat;

    @BeforeEach
    void start() throws IOException {
        chat = new Chat(folder);
    }

    @AfterEach
    void close() {
        chat.close();
    }

    private List<Event> ask(String messageId, String text, String answer) throws Exception {
        chat.agent.text(answer).end();
        try (EventStream events = chat.post(submit(messageId, text))) {
            return events.rest();
        }
    }

    private static String messageText(JsonNode message) {
        return message.get("parts")
                .valueStream()
                .filter(part -> part.get("type").stringValue().equals("text"))
                .map(part -> part.get("text").stringValue())
                .reduce("", String::concat);
    }

    private List<String> texts() throws Exception {
        return chat.load()
                .get("messages")
                .valueStream()
                .map(ChatRoutesTest::messageText)
                .toList();
    }

    @Test
    @Tag("row-1")
    @Tag("row-2")
    @Tag("row-4")
    void a_post_streams_the_turn_between_one_start_and_one_end() throws Exception {
        chat.agent.text("Hel", "lo").end();
        try (EventStream events = chat.post(submit("m1", "Hi"))) {
            HttpHeaders headers = events.response().headers();
            assertThat(headers.firstValue("content-type").orElseThrow()).startsWith("text/event-stream");
            assertThat(headers.firstValue("x-vercel-ai-ui-message-stream")).contains("v1");
            assertThat(headers.firstValue("x-accel-buffering")).contains("no");
            List<Event> all = events.rest();
            assertThat(types(all))
                    .containsExactly(
                            "start",
                            "start-step",
                            "text-start",
                            "text-delta",
                            "text-delta",
                            "text-end",
                            "finish-step",
                            "message-metadata",
                            "finish",
                            "[DONE]");
            JsonNode loaded = chat.load();
            assertThat(loaded.get("live").booleanValue()).isFalse();
            assertThat(loaded.get("messages").get(1).get("id"))
                    .isEqualTo(chunk(all.getFirst()).get("messageId"));
            assertThat(texts()).containsExactly("Hi", "Hello");
        }
    }

    @Test
    @Tag("row-6")
    void who_sees_the_end_finds_the_message() throws Exception {
        chat.agent.text("Hello").say("{'type':'finish'}");
        try (EventStream events = chat.post(submit("m1", "Hi"))) {
            events.take(6);
            assertThat(chat.load().get("live").booleanValue()).isTrue();
            chat.agent.end();
            assertThat(types(List.of(events.next().orElseThrow()))).containsExactly("message-metadata");
            assertThat(texts()).containsExactly("Hi", "Hello");
            assertThat(chat.resume().response().statusCode()).isEqualTo(204);
            assertThat(types(events.rest())).containsExactly("finish", "[DONE]");
        }
    }

    @Test
    @Tag("row-11")
    @Tag("S60")
    void the_same_post_again_attaches_and_after_the_outcome_is_answered_by_a_stream_of_the_message() throws Exception {
        chat.agent.say("{'type':'text-start','id':'t'}", "{'type':'text-delta','id':'t','delta':'one '}");
        try (EventStream first = chat.post(submit("m1", "Hi"));
                EventStream second = chat.post(submit("m1", "Hi"))) {
            first.take(3);
            second.take(3);
            chat.agent.say("{'type':'text-delta','id':'t','delta':'two'}").end();
            assertThat(deltas(first.rest())).containsExactly("two");
            assertThat(deltas(second.rest())).containsExactly("two");
        }
        try (EventStream later = chat.post(submit("m1", "Hi"))) {
            assertThat(later.response().headers().firstValue("content-type").orElseThrow())
                    .startsWith("text/event-stream");
            List<Event> all = later.rest();
            assertThat(types(all))
                    .containsExactly(
                            "start", "text-start", "text-delta", "text-end", "message-metadata", "finish", "[DONE]");
            assertThat(deltas(all)).containsExactly("one two");
        }
        try (EventStream changed = chat.post(submit("m1", "Something else"))) {
            assertThat(changed.response().statusCode()).isEqualTo(409);
        }
        assertThat(texts()).containsExactly("Hi", "one two");
    }

    @Test
    @Tag("row-5")
    @Tag("row-13")
    @Tag("S59")
    @Tag("S61")
    void a_reload_gets_the_compacted_replay_and_then_every_chunk() throws Exception {
        chat.agent.say(
                "{'type':'start-step'}",
                "{'type':'text-start','id':'t'}",
                "{'type':'text-delta','id':'t','delta':'a'}",
                "{'type':'data-toast','data':1,'transient':true}",
                "{'type':'text-delta','id':'t','delta':'b'}");
        try (EventStream first = chat.post(submit("m1", "Hi"))) {
            List<Event> seen = first.take(6);
            try (EventStream resumed = chat.resume();
                    EventStream exact = chat.resume(
                            "Last-Event-ID", String.valueOf(seen.get(3).id()))) {
                List<Event> replay = resumed.take(4);
                assertThat(types(replay)).containsExactly("start", "start-step", "text-start", "text-delta");
                assertThat(chunk(replay.getFirst()).get("messageId"))
                        .isEqualTo(chunk(seen.getFirst()).get("messageId"));
                assertThat(deltas(replay)).containsExactly("ab");
                chat.agent.say(
                        "{'type':'text-delta','id':'t','delta':'c'}", "{'type':'text-delta','id':'t','delta':'d'}");
                chat.agent.end();
                assertThat(deltas(resumed.rest())).containsExactly("c", "d");
                List<Event> rest = exact.rest();
                assertThat(types(rest)).startsWith("data-toast", "text-delta");
                assertThat(deltas(rest)).containsExactly("b", "c", "d");
            }
        }
    }

    @Test
    @Tag("row-5")
    @Tag("row-6")
    @Tag("S52")
    @Tag("S59")
    @Tag("S63")
    void nothing_live_is_204_also_for_chats_that_nobody_knows() throws Exception {
        assertThat(chat.resume().response().statusCode()).isEqualTo(204);
        ask("m1", "Hi", "Hello");
        assertThat(chat.resume().response().statusCode()).isEqualTo(204);
        assertThat(chat.server.get("/api/chat/other").body()).contains("\"messages\":[]");
    }

    @Test
    @Tag("row-9")
    @Tag("row-14")
    @Tag("S69")
    void a_stop_keeps_the_partial_and_says_so_in_the_metadata() throws Exception {
        chat.agent.say("{'type':'text-start','id':'t'}", "{'type':'text-delta','id':'t','delta':'half'}");
        try (EventStream events = chat.post(submit("m1", "Hi"))) {
            events.take(3);
            HttpResponse<String> stop = chat.server.post("/api/chat/c/stop", json("{'reason':'enough'}"));
            assertThat(Json.MAPPER.readTree(stop.body()).get("accepted").booleanValue())
                    .isTrue();
            List<Event> rest = events.rest();
            assertThat(types(rest)).containsExactly("message-metadata", "abort", "[DONE]");
            assertThat(rest.getFirst().data()).contains("\"status\":\"stopped\"");
            assertThat(chunk(rest.get(1)).get("reason").stringValue()).isEqualTo("enough");
        }
        assertThat(texts()).containsExactly("Hi", "half");
        assertThat(chat.server.post("/api/chat/c/stop", "").body()).contains("\"accepted\":false");
    }

    @Test
    @Tag("S62")
    @Tag("S64")
    void a_failure_ends_with_an_error_that_a_client_that_was_away_learns_too() throws Exception {
        chat.agent.text("half").fail("the model is out");
        try (EventStream events = chat.post(submit("m1", "Hi"))) {
            List<Event> all = events.rest();
            assertThat(types(all)).endsWith("message-metadata", "error", "[DONE]");
            assertThat(chunk(all.get(all.size() - 2)).get("errorText").stringValue())
                    .contains("the model is out");
        }
        JsonNode turn = chat.load().get("turn");
        assertThat(turn.get("state").stringValue()).isEqualTo("failed");
        assertThat(turn.get("error").stringValue()).contains("the model is out");
    }

    @Test
    @Tag("wire-branches")
    @Tag("row-15")
    void regenerate_writes_a_branch_and_a_reload_in_between_does_not_show_the_old_answer() throws Exception {
        List<Event> first = ask("m1", "Hi", "old");
        String answer = chunk(first.getFirst()).get("messageId").stringValue();
        chat.agent.say("{'type':'text-start','id':'t'}", "{'type':'text-delta','id':'t','delta':'new'}");
        try (EventStream again =
                chat.post(json("{'id':'c','trigger':'regenerate-message','messageId':'%s','messages':[%s]}"
                        .formatted(answer, user("m1", "Hi"))))) {
            again.take(3);
            assertThat(texts()).containsExactly("Hi");
            chat.agent.end();
            again.rest();
        }
        assertThat(texts()).containsExactly("Hi", "new");
        ask("m2", "More", "less");
        assertThat(texts()).containsExactly("Hi", "new", "More", "less");
    }

    @Test
    @Tag("wire-branches")
    void an_edited_message_is_a_branch_and_regenerate_finds_it_under_the_clients_id() throws Exception {
        ask("m1", "Hi", "one");
        chat.agent.text("two").end();
        String edit = json("{'id':'c','trigger':'submit-message','messageId':'m1','messages':[%s]}"
                .formatted(user("m1", "Hello")));
        try (EventStream edited = chat.post(edit)) {
            assertThat(deltas(edited.rest())).containsExactly("two");
        }
        try (EventStream repeated = chat.post(edit)) {
            assertThat(deltas(repeated.rest())).containsExactly("two");
        }
        assertThat(texts()).containsExactly("Hello", "two");
        chat.agent.text("three").end();
        try (EventStream again = chat.post(
                json("{'id':'c','trigger':'regenerate-message','messages':[%s]}".formatted(user("m1", "Hello"))))) {
            assertThat(deltas(again.rest())).containsExactly("three");
        }
        assertThat(texts()).containsExactly("Hello", "three");
    }

    @Test
    @Tag("row-15")
    @Tag("S63")
    @Tag("policy-queue")
    @Tag("policy-drop")
    void a_message_that_waits_in_the_queue_streams_when_its_turn_comes() throws Exception {
        chat.agent.say("{'type':'text-start','id':'t'}");
        try (EventStream first = chat.post(submit("m1", "One"))) {
            first.take(2);
            try (EventStream second = chat.post(submit("m2", "Two"))) {
                JsonNode loaded = chat.load();
                assertThat(texts()).containsExactly("One");
                assertThat(loaded.get("queue").get(0).get("turnId").stringValue())
                        .isEqualTo("m2");
                chat.agent.say("{'type':'text-delta','id':'t','delta':'1'}").end();
                assertThat(deltas(first.rest())).containsExactly("1");
                chat.agent.text("2").end();
                assertThat(deltas(second.rest())).containsExactly("2");
            }
            assertThat(texts()).containsExactly("One", "1", "Two", "2");
        }
        chat.agent.say("{'type':'text-start','id':'t'}");
        try (EventStream third = chat.post(submit("m3", "Three"))) {
            third.take(2);
            String dropped = submit("m4", "Four").replace("\"trigger\"", "\"policy\":\"drop\",\"trigger\"");
            try (EventStream refused = chat.post(dropped)) {
                assertThat(refused.response().statusCode()).isEqualTo(409);
            }
        }
    }

    @Test
    @Tag("wire-calls")
    @Tag("row-8")
    @Tag("S63")
    @Tag("S65")
    void outputs_and_approvals_that_come_back_in_the_message_let_the_turn_go_on_once() throws Exception {
        chat.agent
                .text("first")
                .say(
                        "{'type':'start-step'}",
                        "{'type':'tool-input-available','toolCallId':'c1','toolName':'where','input':{}}",
                        "{'type':'tool-input-available','toolCallId':'c2','toolName':'pay','input':{}}",
                        "{'type':'tool-approval-request','approvalId':'a2','toolCallId':'c2'}",
                        "{'type':'finish-step'}")
                .await();
        String id;
        try (EventStream events = chat.post(submit("m1", "Hi"), "X-AI-SDK-Version", "6.0.326")) {
            List<Event> all = events.rest();
            assertThat(types(all)).contains("tool-approval-request").endsWith("finish", "[DONE]");
            id = chunk(all.getFirst()).get("messageId").stringValue();
        }
        assertThat(chat.load().get("turn").get("state").stringValue()).isEqualTo("awaiting");
        assertThat(chat.resume().response().statusCode()).isEqualTo(204);
        String answered = chat.load()
                .get("messages")
                .get(1)
                .toString()
                .replace(
                        "\"toolCallId\":\"c1\",\"state\":\"input-available\"",
                        "\"toolCallId\":\"c1\",\"state\":\"output-available\",\"output\":{\"city\":\"Graz\"}")
                .replace("\"state\":\"approval-requested\"", "\"state\":\"approval-responded\"")
                .replace("\"id\":\"a2\"", "\"id\":\"a2\",\"approved\":false,\"reason\":\"no\"");
        assertThat(answered).contains("Graz", "approval-responded", "\"approved\":false");
        String body = json("{'id':'c','trigger':'submit-message','messageId':'%s','messages':[".formatted(id))
                + answered + "]}";
        chat.agent.say("{'type':'text-start','id':'u'}", "{'type':'text-delta','id':'u','delta':'second'}");
        try (EventStream goesOn = chat.post(body, "X-AI-SDK-Version", "6");
                EventStream twice = chat.post(body, "X-AI-SDK-Version", "6");
                EventStream reload = chat.resume("X-AI-SDK-Version", "7")) {
            assertThat(types(goesOn.take(3))).containsExactly("start", "text-start", "text-delta");
            twice.take(3);
            List<Event> whole = reload.take(14);
            assertThat(deltas(whole)).contains("first");
            assertThat(types(whole)).containsOnlyOnce("start");
            chat.agent.end();
            assertThat(types(goesOn.rest())).endsWith("finish", "[DONE]");
            twice.rest();
            reload.rest();
        }
        try (EventStream later = chat.post(body, "X-AI-SDK-Version", "6")) {
            assertThat(deltas(later.rest())).containsExactly("second");
        }
        assertThat(texts()).containsExactly("Hi", "firstsecond");
    }

    @Test
    @Tag("row-7")
    void a_server_that_ends_cuts_the_connection_and_never_ends_it_cleanly() throws Exception {
        chat.agent.say("{'type':'text-start','id':'t'}");
        EventStream events = chat.post(submit("m1", "Hi"));
        events.take(2);
        chat.server.door().open().abortAll();
        assertThatThrownBy(events::rest).isInstanceOf(IOException.class);
    }

    @Test
    @Tag("row-8")
    @Tag("row-10")
    void a_step_that_was_dropped_is_reset_for_clients_of_7_and_breaks_the_connection_of_others() throws Exception {
        chat.agent.say(
                "{'type':'start-step'}",
                "{'type':'text-start','id':'t'}",
                "{'type':'text-delta','id':'t','delta':'lost'}");
        try (EventStream five = chat.post(submit("m1", "Hi"));
                EventStream seven = chat.resume("X-AI-SDK-Version", "7.0.173")) {
            five.take(4);
            seven.take(4);
            chat.agent.say("{'type':'reset-step'}").text("kept").end();
            assertThatThrownBy(five::rest).isInstanceOf(IOException.class);
            assertThat(types(seven.rest())).startsWith("reset-step").endsWith("finish", "[DONE]");
        }
        assertThat(texts()).containsExactly("Hi", "kept");
    }
}
