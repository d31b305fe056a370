package dev.holdfast.http.chat;

import static dev.holdfast.http.chat.Chat.deltas;
import static dev.holdfast.http.chat.Chat.submit;
import static dev.holdfast.http.chat.Chat.types;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.EventStream;
import dev.holdfast.http.EventStream.Event;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Clients of turns that are accepted and have no stream yet, because another one of their chat runs. */
final class WaitingTest {

    @TempDir
    private Path folder;

    private Chat chat;
    private EventStream running;

    @BeforeEach
    void begin() throws Exception {
        chat = new Chat(folder);
        chat.agent.say("{'type':'text-start','id':'t'}");
        running = chat.post(submit("m1", "One"));
        running.take(2);
    }

    @AfterEach
    void close() throws Exception {
        running.close();
        chat.close();
    }

    private void endTheRunning() throws Exception {
        chat.agent.say("{'type':'text-delta','id':'t','delta':'1'}").end();
        assertThat(deltas(running.rest())).containsExactly("1");
    }

    private void stop(String turn) throws Exception {
        String answer = chat.server
                .client()
                .send(
                        chat.server
                                .request("/api/chat/c/stop")
                                .header("Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString("{\"turnId\":\"" + turn + "\"}"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
        assertThat(answer).contains("\"accepted\":true");
    }

    @Test
    @Tag("S60")
    @Tag("policy-queue")
    void several_turns_wait_and_each_client_gets_its_own_when_its_turn_comes_S76() throws Exception {
        try (EventStream second = chat.post(submit("m2", "Two"));
                EventStream third = chat.post(submit("m3", "Three"));
                EventStream alsoThird = chat.post(submit("m3", "Three"))) {
            endTheRunning();
            chat.agent.text("2").end();
            assertThat(deltas(second.rest())).containsExactly("2");
            chat.agent.text("3").end();
            assertThat(deltas(third.rest())).containsExactly("3");
            assertThat(deltas(alsoThird.rest())).containsExactly("3");
        }
    }

    @Test
    @Tag("S59")
    void a_page_that_is_loaded_while_the_next_turn_waits_is_given_the_one_that_runs_S76() throws Exception {
        try (EventStream waiting = chat.post(submit("m2", "Two"));
                EventStream loaded = chat.resume()) {
            endTheRunning();
            assertThat(deltas(loaded.rest())).containsExactly("1");
            chat.agent.text("2").end();
            assertThat(deltas(waiting.rest())).containsExactly("2");
        }
    }

    @Test
    void a_turn_that_is_stopped_while_it_waits_ends_its_response_without_ever_having_a_stream_S76() throws Exception {
        try (EventStream waiting = chat.post(submit("m2", "Two"));
                EventStream behind = chat.post(submit("m3", "Three"))) {
            stop("m2");
            assertThat(types(waiting.rest())).endsWith("abort", "[DONE]").doesNotContain("text-start");
            endTheRunning();
            chat.agent.text("3").end();
            assertThat(deltas(behind.rest())).containsExactly("3");
        }
    }

    @Test
    void a_client_that_leaves_while_its_turn_waits_takes_nothing_with_it_S76() throws Exception {
        try (EventStream waiting = chat.post(submit("m2", "Two"))) {
            try (EventStream gone = chat.post(submit("m2", "Two"))) {
                assertThat(gone.response().statusCode()).isEqualTo(200);
            }
            endTheRunning();
            chat.agent.text("2").end();
            assertThat(deltas(waiting.rest())).containsExactly("2");
        }
    }

    @Test
    void a_turn_that_fails_before_its_first_chunk_lets_go_of_those_that_wait_S76() throws Exception {
        try (EventStream waiting = chat.post(submit("m2", "Two"));
                EventStream behind = chat.post(submit("m3", "Three"))) {
            endTheRunning();
            chat.agent.fail("the model is out");
            assertThat(types(waiting.rest())).endsWith("error", "[DONE]");
            chat.agent.text("3").end();
            assertThat(deltas(behind.rest())).containsExactly("3");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'\"policy\":\"latest\"', 'superseded by turn \"m3\"'",
        "'\"policy\":\"merge\"', 'merged into turn \"m3\"'",
        "'\"policy\":\"debounce\",\"debounceMillis\":1', 'superseded by turn \"m3\"'",
    })
    @Tag("policy-latest")
    @Tag("policy-merge")
    @Tag("policy-debounce")
    void a_policy_that_takes_the_place_of_those_that_wait_ends_their_responses_and_says_so_S75(
            String policy, String told) throws Exception {
        try (EventStream waiting = chat.post(submit("m2", "Two"));
                EventStream instead =
                        chat.post(submit("m3", "Three").replace("\"trigger\"", policy + ",\"trigger\""))) {
            assertThat(instead.response().statusCode()).isEqualTo(200);
            List<Event> ended = waiting.rest();
            assertThat(types(ended)).endsWith("abort", "[DONE]");
            assertThat(Chat.chunk(ended.get(ended.size() - 2)).get("reason").stringValue())
                    .isEqualTo(told);
            endTheRunning();
            chat.agent.text("3").end();
            assertThat(deltas(instead.rest())).containsExactly("3");
        }
    }
}
