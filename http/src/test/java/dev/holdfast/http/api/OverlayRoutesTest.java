package dev.holdfast.http.api;

import static dev.holdfast.http.api.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.session.MessageDraft;
import dev.holdfast.session.Session;
import dev.holdfast.session.SessionLimits;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Summaries in the place of older messages, over HTTP. */
final class OverlayRoutesTest {

    private static final String OVERLAYS = "/api/v1/sessions/s/overlays";

    @TempDir
    private Path folder;

    private Api api;

    @BeforeEach
    void open() throws Exception {
        api = new Api(folder);
        Session session = api.holdfast.sessions().create("s");
        for (String id : new String[] {"a", "b", "c"}) {
            session.append(MessageDraft.of(id, "user", "{}"));
        }
    }

    @AfterEach
    void close() {
        api.close();
    }

    private HttpResponse<String> put(String from, String to, String summary) throws Exception {
        return api.server.post(OVERLAYS, """
                {"from": "%s", "to": "%s", "summary": "%s"}""".formatted(from, to, summary));
    }

    private HttpResponse<String> delete(String path) throws Exception {
        return api.server
                .client()
                .send(api.server.request(path).DELETE().build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void an_overlay_is_put_listed_newest_first_and_deleted() throws Exception {
        HttpResponse<String> first = put("a", "a", "one");
        assertThat(first.statusCode()).isEqualTo(201);
        HttpResponse<String> second = put("a", "b", "two");
        assertThat(json(api.server.get(OVERLAYS)).get("overlays")).containsExactly(json(second), json(first));
        assertThat(json(second).get("to").stringValue()).isEqualTo("b");
        String path = OVERLAYS + "/" + json(second).get("id").stringValue();
        assertThat(delete(path).statusCode()).isEqualTo(204);
        assertThat(delete(path).statusCode()).isEqualTo(404);
        assertThat(json(api.server.get(OVERLAYS)).get("overlays")).containsExactly(json(first));
    }

    @Test
    void what_cannot_be_folded_is_refused_with_what_to_do() throws Exception {
        assertThat(put("b", "a", "x").statusCode()).isEqualTo(400);
        assertThat(put("a", "none", "x").statusCode()).isEqualTo(404);
        assertThat(put("a", "b", " ").statusCode()).isEqualTo(400);
        assertThat(api.server.post(OVERLAYS, "{\"from\": \"a\"}").statusCode()).isEqualTo(400);
        assertThat(api.server.get("/api/v1/sessions/none/overlays").statusCode())
                .isEqualTo(404);
        HttpResponse<String> tooLong = put("a", "b", "x".repeat(SessionLimits.MAX_SUMMARY_BYTES + 1));
        assertThat(tooLong.statusCode()).isEqualTo(413);
        assertThat(json(tooLong).get("limit").stringValue()).isEqualTo("MAX_SUMMARY_BYTES");
    }
}
