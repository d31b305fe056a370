package dev.holdfast.verification.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.verification.cluster.Conversation.Seen;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What one server says of what is over. */
final class Said {

    private static final JsonMapper JSON = new JsonMapper();

    private Said() {}

    /** All messages of a closed Durable Stream. */
    static List<String> stream(Client client, int server, String stream) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>();
        String offset = "-1";
        while (true) {
            HttpResponse<String> page = client.get(server, StreamWriter.path(stream) + "?offset=" + offset);
            assertThat(page.statusCode()).as(page.body()).isEqualTo(200);
            JSON.readTree(page.body()).forEach(message -> all.add(message.asString()));
            if (page.headers().firstValue("Stream-Up-To-Date").isPresent()) {
                return all;
            }
            offset = page.headers().firstValue("Stream-Next-Offset").orElseThrow();
        }
    }

    /** Texts of the answers of a session, by their id. */
    private static Map<String, String> answers(Client client, int server, String session)
            throws IOException, InterruptedException {
        Map<String, String> answers = new HashMap<>();
        String next = "/api/v1/sessions/%s/messages?limit=500".formatted(session);
        while (!next.isEmpty()) {
            HttpResponse<String> page = client.get(server, next);
            assertThat(page.statusCode()).as(page.body()).isEqualTo(200);
            JsonNode messages = JSON.readTree(page.body());
            for (JsonNode message : messages.path("messages")) {
                if (message.path("role").asString().equals("assistant")) {
                    String twice =
                            answers.put(message.path("id").asString(), Conversation.textOf(message.path("content")));
                    assertThat(twice)
                            .as("a message of this id was there before")
                            .isNull();
                }
            }
            next = messages.path("next").asString("");
        }
        return answers;
    }

    static JsonNode turn(Client client, int server, String session, String turn)
            throws IOException, InterruptedException {
        HttpResponse<String> answer = client.get(server, "/api/v1/sessions/%s/turns/%s".formatted(session, turn));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JSON.readTree(answer.body());
    }

    /** Every turn has the outcome that its watcher saw, and one message with the text that its watcher has; there are no others. */
    static void check(Client client, int server, Conversation conversation) throws IOException, InterruptedException {
        String session = conversation.session();
        Map<String, String> answers = answers(client, server, session);
        String whole = CountingModel.counted(conversation.numbers());
        for (Map.Entry<String, Seen> each : conversation.seen().entrySet()) {
            Seen seen = each.getValue();
            JsonNode turn = turn(client, server, session, each.getKey());
            assertThat(turn.path("state").asString())
                    .as("%s of %s at server %d: %s", each.getKey(), session, server, turn)
                    .isEqualTo(seen.outcome())
                    .isIn("completed", "stopped");
            assertThat(answers.remove(turn.path("messageId").asString()))
                    .as("the message of %s of %s at server %d", each.getKey(), session, server)
                    .isEqualTo(seen.text());
            if (seen.outcome().equals("completed")) {
                assertThat(seen.text()).isEqualTo(whole);
            } else {
                assertThat(whole).startsWith(seen.text());
            }
        }
        assertThat(answers).as("messages of no turn in %s", session).isEmpty();
    }
}
