package dev.holdfast.http.chat;

import static dev.holdfast.http.chat.Chat.deltas;
import static dev.holdfast.http.chat.Chat.submit;
import static dev.holdfast.http.chat.Chat.types;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.http.EventStream;
import dev.holdfast.http.EventStream.Event;
import dev.holdfast.http.sse.SseSettings;
import dev.holdfast.turn.RecoverySettings;
import dev.holdfast.turn.TurnLimits;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a connection carries besides chunks: signs of life, its own end, and that the turn begins anew. */
final class ConnectionTest {

    @TempDir
    private Path folder;

    private static void readToComment(EventStream events) throws IOException {
        String line = events.nextLine();
        while (!line.startsWith(":")) {
            line = events.nextLine();
        }
    }

    @Test
    @Tag("row-4")
    void a_silent_connection_carries_comments_while_the_agent_thinks_and_while_it_waits_in_line() throws Exception {
        try (Chat chat = new Chat(folder, SseSettings.defaults().withHeartbeat(Duration.ofMillis(20)))) {
            chat.agent.say("{'type':'text-start','id':'t'}");
            try (EventStream thinking = chat.post(submit("m1", "One"));
                    EventStream waiting = chat.post(submit("m2", "Two"))) {
                for (int i = 0; i < 3; i++) {
                    readToComment(thinking);
                    readToComment(waiting);
                }
                chat.agent.say("{'type':'text-delta','id':'t','delta':'1'}").end();
                chat.agent.text("2").end();
                assertThat(types(thinking.rest())).endsWith("finish", "[DONE]");
                assertThat(deltas(waiting.rest())).containsExactly("2");
            }
        }
    }

    /** What came before the connection was cut, and whether it was. */
    private static boolean readToTheCut(EventStream events, StringBuilder text, AtomicReference<String> cursor) {
        try {
            for (Optional<Event> event = events.next(); event.isPresent(); event = events.next()) {
                deltas(List.of(event.get())).forEach(text::append);
                if (event.get().id() != null) {
                    cursor.set(event.get().id());
                }
            }
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    @Test
    @Tag("row-4")
    @Tag("S52")
    void a_connection_that_is_old_enough_is_cut_and_its_client_goes_on_where_it_was() throws Exception {
        StringBuilder text = new StringBuilder();
        AtomicReference<String> cursor = new AtomicReference<>();
        try (Chat chat = new Chat(folder, SseSettings.defaults().withRotateAfter(Duration.ofMillis(50)))) {
            chat.agent.say("{'type':'text-start','id':'t'}", "{'type':'text-delta','id':'t','delta':'a'}");
            try (EventStream posted = chat.post(submit("m1", "Hi"))) {
                assertThat(readToTheCut(posted, text, cursor)).isTrue();
            }
            chat.agent.say("{'type':'text-delta','id':'t','delta':'b'}").end();
            boolean cut = true;
            while (cut) {
                String[] from = cursor.get() == null ? new String[0] : new String[] {"Last-Event-ID", cursor.get()};
                try (EventStream resumed = chat.resume(from)) {
                    cut = resumed.response().statusCode() == 200 && readToTheCut(resumed, text, cursor);
                }
            }
            assertThat(chat.load().toString()).contains("\"text\":\"ab\"");
            assertThat("ab").startsWith(text.toString()); // the message tells the rest, if the turn was faster
        }
    }

    @Test
    @Tag("row-10")
    @Tag("S56")
    void a_turn_that_begins_anew_in_its_first_step_goes_on_for_a_client_of_7() throws Exception {
        try (Chat chat = new Chat(folder)) {
            chat.agent.say("{'type':'start-step'}", "{'type':'text-start','id':'t'}");
            chat.agent.say("{'type':'text-delta','id':'t','delta':'lost'}");
            try (EventStream events = chat.post(submit("m1", "Hi"), "X-AI-SDK-Version", "7")) {
                events.take(4);
                chat.agent.breakOff();
                chat.agent.say("{'type':'start-step'}", "{'type':'text-start','id':'t'}");
                assertThat(types(events.take(2))).containsExactly("reset-step", "text-start"); // before it can end
                chat.agent
                        .say("{'type':'text-delta','id':'t','delta':'kept'}")
                        .say("{'type':'text-end','id':'t'}", "{'type':'finish-step'}")
                        .end();
                var rest = events.rest();
                assertThat(types(rest))
                        .containsExactly(
                                "text-delta", "text-end", "finish-step", "message-metadata", "finish", "[DONE]");
                assertThat(deltas(rest)).containsExactly("kept");
            }
            assertThat(chat.load().toString()).contains("kept").doesNotContain("lost");
        }
    }

    @Test
    @Tag("row-10")
    void a_turn_that_begins_anew_cuts_the_connection_of_a_client_that_cannot_be_told() throws Exception {
        try (Chat chat = new Chat(folder)) {
            chat.agent.text("lost").say("{'type':'start-step'}");
            try (EventStream five = chat.post(submit("m1", "Hi"));
                    EventStream behindAStep = chat.resume("X-AI-SDK-Version", "7")) {
                five.take(6);
                behindAStep.take(6);
                chat.agent.breakOff();
                chat.agent.text("kept").end();
                assertThatThrownBy(five::rest).isInstanceOf(IOException.class);
                assertThatThrownBy(behindAStep::rest).isInstanceOf(IOException.class);
            }
            try (EventStream again = chat.post(submit("m1", "Hi"))) {
                assertThat(deltas(again.rest())).containsExactly("kept");
            }
        }
    }

    @Test
    @Tag("wire-stall")
    @Tag("row-7")
    @Tag("recovery-exhausted")
    void a_turn_that_stalls_again_and_again_ends_with_an_error_that_its_client_is_told() throws Exception {
        TurnLimits two = new TurnLimits(2, Duration.ofHours(1), Duration.ofSeconds(5), Duration.ofSeconds(10));
        RecoverySettings watched = RecoverySettings.defaults().withStallTimeout(Duration.ofMillis(50));
        try (Chat chat = new Chat(folder, turns -> turns.withLimits(two).withRecovery(watched))) {
            List<Event> all = readPastCuts(chat); // the agent never says a word
            assertThat(types(all)).endsWith("error", "[DONE]");
            assertThat(all.toString()).contains("emitted nothing for 50 ms");
            assertThat(chat.load().get("turn").get("state").stringValue()).isEqualTo("failed");
        }
    }

    /** As a client that posts the same message again where its connection is cut, since the turn is begun anew. */
    private static List<Event> readPastCuts(Chat chat) throws Exception {
        while (true) {
            try (EventStream events = chat.post(submit("m1", "Hi"))) {
                return events.rest();
            } catch (IOException cut) {
                // the turn is begun anew, and its client asks again
            }
        }
    }
}
