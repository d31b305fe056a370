package dev.holdfast.http.chat;

import static dev.holdfast.http.Patience.await;
import static dev.holdfast.http.chat.Chat.deltas;
import static dev.holdfast.http.chat.Chat.submit;
import static dev.holdfast.http.chat.Chat.types;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.EventStream;
import dev.holdfast.http.EventStream.Event;
import dev.holdfast.stream.StreamLimits;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients that come back with the number of the next chunk (EVERY-CURSOR). */
final class RunTest {

    private static final String DELTA = "{'type':'text-delta','id':'t','delta':'x'}";

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

    private EventStream at(String id, long index) throws Exception {
        return EventStream.open(chat.server, "/api/chat/%s/stream?startIndex=%d".formatted(id, index));
    }

    private static String run(EventStream posted) {
        return posted.response().headers().firstValue("x-workflow-run-id").orElseThrow();
    }

    private static List<String> data(List<Event> events) {
        return events.stream().map(Event::data).toList();
    }

    @Test
    @Tag("row-13")
    @Tag("S61")
    void what_was_delivered_and_what_follows_its_count_are_the_whole_for_every_count() throws Exception {
        chat.agent.say(
                "{'type':'start-step'}",
                "{'type':'text-start','id':'t'}",
                DELTA,
                "{'type':'custom','kind':'x.y'}",
                "{'type':'reasoning-delta','id':'r','delta':'opens itself'}",
                DELTA);
        try (EventStream posted = chat.post(submit("m1", "Hi"))) {
            List<Event> begun = new ArrayList<>(posted.take(7));
            List<EventStream> resumed = new ArrayList<>();
            for (int k = 0; k <= 7; k++) {
                resumed.add(at(run(posted), k));
            }
            try (EventStream byChat = at("c", 2);
                    EventStream last = at(run(posted), -2);
                    EventStream ahead = at(run(posted), 8)) {
                assertThat(ahead.response().statusCode()).isEqualTo(409);
                assertThat(last.response().headers().firstValue("x-workflow-stream-tail-index"))
                        .contains("6");
                chat.agent.say(DELTA).end();
                begun.addAll(posted.rest());
                List<String> whole = data(begun);
                assertThat(types(begun)).endsWith("finish", "[DONE]");
                for (int k = 0; k <= 7; k++) {
                    assertThat(data(resumed.get(k).rest())).as("from " + k).isEqualTo(whole.subList(k, whole.size()));
                    resumed.get(k).close();
                }
                assertThat(data(byChat.rest())).isEqualTo(whole.subList(2, whole.size()));
                assertThat(data(last.rest())).isEqualTo(whole.subList(5, whole.size()));
            }
        }
    }

    @Test
    @Tag("row-13")
    @Tag("S56")
    void after_the_outcome_a_run_goes_on_at_every_count_while_its_stream_lingers() throws Exception {
        chat.agent.say("{'type':'text-start','id':'t'}", DELTA, DELTA).end();
        String run;
        List<String> whole;
        try (EventStream posted = chat.post(submit("m1", "Hi"))) {
            run = run(posted);
            whole = data(posted.rest());
        }
        for (int k = 0; k < whole.size() - 1; k++) {
            try (EventStream back = at(run, k)) {
                assertThat(data(back.rest())).as("from " + k).isEqualTo(whole.subList(k, whole.size()));
            }
        }
        try (EventStream last = at(run, -2)) {
            assertThat(last.response().headers().firstValue("x-workflow-stream-tail-index"))
                    .contains("3");
            assertThat(data(last.rest())).isEqualTo(whole.subList(2, whole.size()));
        }
    }

    @Test
    @Tag("S52")
    @Tag("S62")
    void a_client_that_was_cut_and_comes_back_after_the_outcome_gets_the_rest() throws Exception {
        chat.agent.say("{'type':'text-start','id':'t'}", DELTA);
        String run;
        try (EventStream posted = chat.post(submit("m1", "Hi"))) {
            run = run(posted);
            posted.take(3);
        }
        int more = 0;
        while (chat.server.door().open().count() > 0) {
            chat.agent.say(DELTA); // whether a client is gone is noticed when something is written
            more++;
            await().until(chat.agent::isIdle);
        }
        chat.agent.end();
        await().until(() -> !chat.load().get("live").booleanValue());
        try (EventStream back = at(run, 3)) {
            List<Event> rest = back.rest();
            assertThat(deltas(rest)).hasSize(more);
            assertThat(types(rest)).endsWith("finish", "[DONE]");
        }
    }

    @Test
    @Tag("S56")
    @Tag("S62")
    void when_the_stream_lingers_no_more_a_run_is_answered_from_the_message_or_not_at_all() throws Exception {
        chat.close();
        chat = new Chat(folder, StreamLimits.defaults().withMaxLinger(Duration.ofMillis(1)));
        chat.agent.say("{'type':'text-start','id':'t'}", DELTA, DELTA).end();
        String run;
        try (EventStream posted = chat.post(submit("m1", "Hi"))) {
            run = run(posted); // the rest of it may be cut: nothing lingers
            await().until(() -> !chat.load().get("live").booleanValue());
        }
        await().untilAsserted(() -> {
            try (EventStream late = at(run, 3)) {
                assertThat(late.response().statusCode()).isEqualTo(410);
            }
        });
        try (EventStream whole = at(run, 0)) {
            assertThat(deltas(whole.rest())).containsExactly("xx");
        }
    }

    @Test
    @Tag("S62")
    void a_run_of_no_chat_is_not_found() throws Exception {
        String run = new RunId("nobody", "m1", 1, 5, false).token();
        try (EventStream none = at(run, 0)) {
            assertThat(none.response().statusCode()).isEqualTo(404);
        }
    }
}
