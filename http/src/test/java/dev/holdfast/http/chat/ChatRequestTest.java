package dev.holdfast.http.chat;

import static dev.holdfast.http.chat.Chat.json;
import static dev.holdfast.http.chat.Chat.submit;
import static dev.holdfast.http.chat.Chat.user;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.EventStream;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a client of the chat wire may ask for, and what it is told otherwise. */
final class ChatRequestTest {

    @TempDir
    private Path folder;

    @Test
    @Tag("wire-conflict")
    void a_malformed_request_is_refused_in_words() throws Exception {
        try (Chat chat = new Chat(folder)) {
            for (String wrong : List.of(
                    "{}",
                    "{'id':'c'}",
                    "{'id':'c','messages':[]}",
                    "{'id':'c','messages':{}}",
                    "{'id':'c','messages':[{'id':'x'}]}",
                    "{'id':'c','message':{'id':'x','role':'system','parts':[]}}",
                    "{'id':'a/b','messages':[%s]}".formatted(user("m", "x")),
                    "{'id':'c','trigger':'other','messages':[%s]}".formatted(user("m", "x")),
                    "{'id':'c','policy':'other','messages':[%s]}".formatted(user("m", "x")))) {
                try (EventStream answer = chat.post(json(wrong))) {
                    assertThat(answer.response().statusCode()).as(wrong).isEqualTo(400);
                }
            }
            try (EventStream answer = chat.post(submit("m1", "Hi"), "X-AI-SDK-Version", "4")) {
                assertThat(answer.response().statusCode()).isEqualTo(400);
            }
            assertThat(chat.resume("Last-Event-ID", "nonsense").response().statusCode())
                    .isIn(204, 400);
        }
    }
}
