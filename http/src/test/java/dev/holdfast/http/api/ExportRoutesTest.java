package dev.holdfast.http.api;

import static dev.holdfast.http.api.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.servlet.Binding;
import dev.holdfast.session.AttachmentDraft;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.session.Session;
import dev.holdfast.turn.MessageAssembler.Assembly;
import dev.holdfast.turn.MessageAssembler.End;
import dev.holdfast.uimessage.UiMessageAssembler;
import java.io.ByteArrayInputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** A conversation as one document. */
@ParameterizedClass
@EnumSource(Binding.class)
final class ExportRoutesTest {

    private static final String EXPORT = "/api/v1/sessions/s/export";

    private final Binding binding;

    @TempDir
    private Path folder;

    private Api api;
    private Session session;

    ExportRoutesTest(Binding binding) {
        this.binding = binding;
    }

    @BeforeEach
    void start() throws Exception {
        api = new Api(folder, binding);
        session = api.holdfast.sessions("default").create("s");
    }

    @AfterEach
    void stop() {
        api.close();
    }

    private void add(String id, String role, String parts) {
        session.append(
                MessageDraft.of(id, role, "{\"id\":\"%s\",\"role\":\"%s\",\"parts\":[%s]}".formatted(id, role, parts)));
    }

    private static String text(String text) {
        return "{\"type\":\"text\",\"text\":\"%s\"}".formatted(text);
    }

    @Test
    void markdown_has_a_heading_for_the_title_and_for_each_message() throws Exception {
        add("m1", "user", text("Bake **bread**\\nplease"));
        add(
                "m2",
                "assistant",
                "{\"type\":\"reasoning\",\"text\":\"Let me\\nthink\"},"
                        + "{\"type\":\"tool-oven\",\"toolCallId\":\"c\",\"state\":\"output-available\",\"input\":{\"heat\":200},\"output\":\"a ```` b\"},"
                        + "{\"type\":\"file\",\"mediaType\":\"image/png\",\"filename\":\"loaf.png\",\"url\":\"data:image/png;base64,AAAA\"},"
                        + text("Done"));

        HttpResponse<String> answer = api.server.get(EXPORT);

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type").orElseThrow())
                .isEqualToIgnoringWhitespace("text/markdown; charset=utf-8"); // containers write it their own way
        assertThat(answer.headers().firstValue("Content-Disposition").orElseThrow())
                .startsWith("attachment; filename=\"Bake **bread** please.md\"");
        assertThat(answer.body()).isEqualTo("""
                # Bake **bread** please

                ## User

                Bake **bread**
                please

                ## Assistant

                > Let me
                > think

                Tool: oven

                ```
                {
                  "heat" : 200
                }
                ```

                Result:

                `````
                a ```` b
                `````

                Attachment: loaf.png (image/png)

                Done
                """);
    }

    @Test
    void a_call_that_its_turn_left_without_a_result_is_no_error() throws Exception {
        UiMessageAssembler assembler = new UiMessageAssembler();
        List<byte[]> chunks = Stream.of(
                        "{'type':'tool-input-available','toolCallId':'c','toolName':'oven','input':200}",
                        "{'type':'tool-approval-request','toolCallId':'c','approvalId':'a'}")
                .map(chunk -> chunk.replace('\'', '"').getBytes(StandardCharsets.UTF_8))
                .toList();
        byte[] stopped = assembler
                .assemble(new Assembly("m1", null, chunks, End.STOPPED, null))
                .orElseThrow();
        session.append(MessageDraft.of("m1", "assistant", new String(stopped, StandardCharsets.UTF_8)));
        add(
                "m2",
                "assistant",
                "{\"type\":\"tool-oven\",\"toolCallId\":\"d\",\"state\":\"output-error\",\"errorText\":\"It is on fire\"}");

        assertThat(api.server.get(EXPORT).body()).isEqualTo("""
                # s

                ## Assistant

                Tool: oven

                ```
                200
                ```

                No result: the turn ended before the tool had one.

                ## Assistant

                Tool: oven

                Error: It is on fire
                """);
    }

    @Test
    void json_has_the_session_and_every_message_of_the_path_root_first() throws Exception {
        for (int i = 1; i <= 130; i++) { // more than one window
            add("m" + i, "user", text("text " + i));
        }

        JsonNode export = json(api.server.get(EXPORT + "?format=json"));

        assertThat(export.get("session").get("id").stringValue()).isEqualTo("s");
        assertThat(export.get("messages").size()).isEqualTo(130);
        assertThat(export.get("messages").get(129).get("id").stringValue()).isEqualTo("m130");
        assertThat(export.get("messages").get(129)).isEqualTo(json(api.server.get("/api/v1/sessions/s/messages/m130")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"markdown", "json"})
    void attachments_are_had_from_wherever_the_document_lies(String format) throws Exception {
        AttachmentDraft note = new AttachmentDraft("text/plain", "note.txt");
        String id = session.attachments()
                .put(note, new ByteArrayInputStream(new byte[] {1}))
                .id();
        String path = "/api/v1/sessions/s/attachments/" + id;
        add(
                "m1",
                "user",
                "{\"type\":\"file\",\"mediaType\":\"text/plain\",\"filename\":\"note.txt\",\"url\":\"%s\"},%s"
                                .formatted(path, text("and a text that names " + path))
                        + ",{\"type\":\"file\",\"mediaType\":\"text/plain\",\"url\":\"https://example.org/a\"}");

        String export = api.server.get(EXPORT + "?format=" + format).body();
        String behindProxy = api.server
                .get(
                        EXPORT + "?format=" + format,
                        "X-Forwarded-Proto",
                        "https",
                        "X-Forwarded-Host",
                        "agents.example:8443")
                .body();

        assertThat(export)
                .contains(
                        "http://127.0.0.1:" + api.server.port() + binding.mount() + path,
                        "https://example.org/a",
                        "that names " + path);
        assertThat(behindProxy)
                .contains("https://agents.example:8443" + binding.mount() + path, "https://example.org/a");
        assertThat(json(api.server.get("/api/v1/sessions/s/messages/m1")).toString())
                .contains("\"" + path + "\"");
    }

    @Test
    void another_leaf_gives_another_path() throws Exception {
        add("m1", "user", text("one"));
        add("m2", "assistant", text("two"));
        session.append(MessageDraft.of("m3", "user", "three").beside("m1"));

        assertThat(api.server.get(EXPORT).body()).contains("three").doesNotContain("two");
        assertThat(api.server.get(EXPORT + "?leaf=m2").body())
                .contains("one", "two")
                .doesNotContain("three");
        assertThat(api.server.get(EXPORT + "?leaf=m9").statusCode()).isEqualTo(404);
    }

    @Test
    void an_empty_conversation_and_a_format_that_is_none_say_so() throws Exception {
        assertThat(api.server.get(EXPORT).body()).startsWith("# s\n").contains("no messages");
        assertThat(json(api.server.get(EXPORT + "?format=json")).get("messages").size())
                .isZero();
        assertThat(api.server.get(EXPORT + "?format=pdf").statusCode()).isEqualTo(400);
        assertThat(api.server.get("/api/v1/sessions/none/export").statusCode()).isEqualTo(404);
    }
}
