package dev.holdfast.http.api;

import static dev.holdfast.http.api.Api.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.http.servlet.Binding;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.session.Session;
import dev.holdfast.session.SessionLimits;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Files of a session, up and down the wire. */
@ParameterizedClass
@EnumSource(Binding.class)
final class AttachmentRoutesTest {

    private static final String ATTACHMENTS = "/api/v1/sessions/a%20b/attachments";

    private final Binding binding;

    @TempDir
    private Path folder;

    private Api api;
    private Session session;

    AttachmentRoutesTest(Binding binding) {
        this.binding = binding;
    }

    @BeforeEach
    void start() throws Exception {
        api = new Api(folder, binding);
        session = api.holdfast.sessions("default").create("a b");
    }

    @AfterEach
    void stop() {
        api.close();
    }

    private static byte[] noise(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private HttpResponse<String> upload(String query, String type, HttpRequest.BodyPublisher body) throws Exception {
        return api.server
                .client()
                .send(
                        api.server
                                .request(ATTACHMENTS + query)
                                .header("Content-Type", type)
                                .POST(body)
                                .build(),
                        BodyHandlers.ofString());
    }

    private String uploaded(String type, byte[] bytes) throws Exception {
        return json(upload("?filename=f", type, BodyPublishers.ofByteArray(bytes)))
                .get("url")
                .stringValue();
    }

    private HttpResponse<byte[]> get(String path, String... headers) throws Exception {
        HttpRequest.Builder request = api.server.request(path);
        if (headers.length > 0) {
            request.headers(headers);
        }
        return api.server.client().send(request.GET().build(), BodyHandlers.ofByteArray());
    }

    private static String header(HttpResponse<?> response, String name) {
        return response.headers().firstValue(name).orElse("");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 1000, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 5 << 20})
    void what_was_uploaded_comes_back(int size) throws Exception {
        byte[] bytes = noise(size);

        HttpResponse<String> answer =
                upload("?filename=loaf%20%C3%A4.png", "image/png", BodyPublishers.ofByteArray(bytes));

        assertThat(answer.statusCode()).isEqualTo(201);
        JsonNode stored = json(answer);
        String url = stored.get("url").stringValue();
        assertThat(url).isEqualTo(ATTACHMENTS + "/" + stored.get("id").stringValue());
        assertThat(header(answer, "Location")).isEqualTo(url);
        assertThat(stored.get("mediaType").stringValue()).isEqualTo("image/png");
        assertThat(stored.get("bytes").intValue()).isEqualTo(size);
        assertThat(stored.get("filename").stringValue()).isEqualTo("loaf ä.png");
        HttpResponse<byte[]> served = get(url);
        assertThat(served.statusCode()).isEqualTo(200);
        assertThat(served.body()).isEqualTo(bytes);
        assertThat(header(served, "Content-Length")).isEqualTo(Integer.toString(size));
        assertThat(header(served, "Content-Type")).isEqualTo("image/png");
        assertThat(header(served, "X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(header(served, "Content-Security-Policy")).isEqualTo("sandbox; default-src 'none'");
        assertThat(header(served, "Cache-Control")).isEqualTo("private, max-age=31536000, immutable");
        assertThat(header(served, "Content-Disposition"))
                .isEqualTo("inline; filename=\"loaf _.png\"; filename*=UTF-8''loaf%20%C3%A4.png");
    }

    @Test
    void a_body_of_unknown_length_is_stored_as_it_comes() throws Exception {
        byte[] bytes = noise((3 << 20) + 5);

        HttpResponse<String> answer =
                upload("", "video/mp4", BodyPublishers.ofInputStream(() -> new java.io.ByteArrayInputStream(bytes)));

        assertThat(answer.statusCode()).isEqualTo(201);
        assertThat(json(answer).get("filename").isNull()).isTrue();
        assertThat(get(json(answer).get("url").stringValue()).body()).isEqualTo(bytes);
    }

    @Test
    void the_same_twice_is_the_same_and_another_type_is_another() throws Exception {
        byte[] bytes = noise(2 << 20);

        String url = uploaded("image/png", bytes);

        assertThat(uploaded("image/png", bytes)).isEqualTo(url);
        assertThat(uploaded("image/jpeg", bytes)).isNotEqualTo(url);
    }

    @ParameterizedTest
    @CsvSource({
        "image/png, inline",
        "image/svg+xml, attachment",
        "text/html, attachment",
        "text/html; charset=utf-8, attachment",
        "application/xhtml+xml, attachment",
        "application/pdf, inline",
        "audio/mpeg, inline",
        "video/webm, inline",
        "text/plain, attachment",
        "application/octet-stream, attachment"
    })
    void only_what_runs_no_scripts_is_shown(String type, String disposition) throws Exception {
        HttpResponse<byte[]> served = get(uploaded(type, noise(9)));

        assertThat(header(served, "Content-Disposition")).isEqualTo(disposition + "; filename=\"f\"");
        assertThat(header(served, "Content-Type"))
                .isEqualToIgnoringWhitespace(type); // containers write it their own way
    }

    @ParameterizedTest
    @CsvSource({
        "bytes=0-0, 206, 0, 1",
        "bytes=5-9, 206, 5, 10",
        "bytes=1048570-1048580, 206, 1048570, 1048581",
        "bytes=2000000-, 206, 2000000, 2097152",
        "bytes=-7, 206, 2097145, 2097152",
        "bytes=-99999999, 206, 0, 2097152",
        "bytes=2097152-, 416, 0, 0",
        "bytes=-0, 416, 0, 0",
        "'bytes=0-1,5-6', 200, 0, 2097152",
        "'bytes=-5,0-0', 200, 0, 2097152",
        "bytes=9-5, 200, 0, 2097152",
        "lines=1-2, 200, 0, 2097152"
    })
    void a_part_is_served_alone(String range, int status, int from, int to) throws Exception {
        byte[] bytes = noise(2 << 20);

        HttpResponse<byte[]> served = get(uploaded("video/mp4", bytes), "Range", range);

        assertThat(served.statusCode()).isEqualTo(status);
        assertThat(served.body()).isEqualTo(Arrays.copyOfRange(bytes, from, to));
        if (status == 206) {
            assertThat(header(served, "Content-Range"))
                    .isEqualTo("bytes %d-%d/%d".formatted(from, to - 1, bytes.length));
        }
    }

    @Test
    void its_head_is_told_without_a_byte_of_it() throws Exception {
        String url = uploaded("image/png", noise(3 << 20));
        HttpRequest request = api.server
                .request(url)
                .HEAD()
                .header("Range", "bytes=0-9") // which is for GET only
                .build();

        HttpResponse<byte[]> told = api.server.client().send(request, BodyHandlers.ofByteArray());

        assertThat(told.statusCode()).isEqualTo(200);
        assertThat(told.body()).isEmpty();
        HttpResponse<byte[]> served = get(url);
        for (String name : List.of("Content-Length", "Content-Type", "ETag", "Accept-Ranges", "Content-Disposition")) {
            assertThat(header(told, name)).as(name).isNotEmpty().isEqualTo(header(served, name));
        }
    }

    @Test
    void what_is_not_there_cannot_be_had_in_part_and_the_size_is_told() throws Exception {
        HttpResponse<byte[]> refused = get(uploaded("video/mp4", noise(100)), "Range", "bytes=100-");

        assertThat(refused.statusCode()).isEqualTo(416);
        assertThat(header(refused, "Content-Range")).isEqualTo("bytes */100");
        HttpResponse<byte[]> nothing = get(uploaded("video/mp4", noise(0)), "Range", "bytes=0-");
        assertThat(nothing.statusCode()).isEqualTo(416);
        assertThat(header(nothing, "Content-Range")).isEqualTo("bytes */0");
    }

    private void damage() throws Exception {
        api.close();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("holdfast.db"));
                Statement statement = connection.createStatement()) {
            assertThat(statement.executeUpdate("""
                            UPDATE holdfast_blob_pieces SET data = CAST(x'ffff' || substr(data, 3) AS BLOB)
                            WHERE id IN (SELECT min(id) FROM holdfast_blob_pieces GROUP BY id / 256)""")).isPositive();
        }
        api = new Api(folder, binding);
    }

    @Test
    void damaged_bytes_are_never_taken_for_the_file() throws Exception {
        String small = uploaded("image/png", new byte[1000]);
        String large = uploaded("image/png", new byte[3 << 20]);
        damage();

        assertThat(get(small).statusCode()).isEqualTo(500);
        assertThat(new String(get(small).body(), StandardCharsets.UTF_8)).contains("store-damaged");
        assertThat(get(large, "Range", "bytes=2000000-2000001").statusCode()).isEqualTo(500);
        assertThatThrownBy(() -> get(large)).isInstanceOf(IOException.class);
        assertThat(get(uploaded("image/png", noise(5000))).statusCode()).isEqualTo(200);
    }

    @Test
    void what_a_cache_has_is_not_sent_again() throws Exception {
        String url = uploaded("image/png", noise(10));
        String tag = header(get(url), "ETag");

        assertThat(get(url, "If-None-Match", tag).statusCode()).isEqualTo(304);
        assertThat(get(url, "If-None-Match", "\"other\", W/" + tag).statusCode())
                .isEqualTo(304);
        assertThat(get(url, "If-None-Match", "*").statusCode()).isEqualTo(304);
        assertThat(get(url, "If-None-Match", "\"other\"").statusCode()).isEqualTo(200);
        assertThat(get(url, "Range", "bytes=1-2", "If-Range", "\"other\"").statusCode())
                .isEqualTo(200);
        assertThat(get(url, "Range", "bytes=1-2", "If-Range", "Tue, 01 Dec 2026 00:00:00 GMT")
                        .statusCode())
                .isEqualTo(200);
        assertThat(get(url, "Range", "bytes=1-2", "If-Range", tag).statusCode()).isEqualTo(206);
    }

    @Test
    void what_is_too_large_is_refused_and_leaves_nothing() throws Exception {
        long size = SessionLimits.MAX_ATTACHMENT_BYTES + 1;

        HttpResponse<String> endless = upload("", "video/mp4", BodyPublishers.ofInputStream(() -> zeros(size)));

        assertThat(endless.statusCode()).isEqualTo(413);
        assertThat(json(endless).get("limit").stringValue()).isEqualTo("MAX_ATTACHMENT_BYTES");
        assertThat(upload("?filename=" + "x".repeat(257), "image/png", BodyPublishers.ofString("x"))
                        .statusCode())
                .isEqualTo(413);
        assertThat(upload("", "no type", BodyPublishers.ofString("x")).statusCode())
                .isEqualTo(400);
        assertThat(upload("?filename=%0A", "image/png", BodyPublishers.ofString("x"))
                        .statusCode())
                .isEqualTo(400);
    }

    private static InputStream zeros(long size) {
        return new InputStream() {
            private long left = size;

            @Override
            public int read() {
                return left-- > 0 ? 0 : -1;
            }

            @Override
            public int read(byte[] into, int offset, int length) {
                if (left <= 0) {
                    return -1;
                }
                int count = (int) Math.min(length, left);
                left -= count;
                return count;
            }
        };
    }

    @Test
    void nothing_is_served_of_another_session_or_under_a_malformed_id() throws Exception {
        api.holdfast.sessions("default").create("other");
        String url = uploaded("image/png", noise(10));

        assertThat(get(url.replace("a%20b", "other")).statusCode()).isEqualTo(404);
        assertThat(get(url + "0").statusCode()).isEqualTo(404);
        assertThat(get(ATTACHMENTS + "/+1").statusCode()).isEqualTo(404);
        api.holdfast.sessions("default").delete("a b");
        assertThat(get(url).statusCode()).isEqualTo(404);
    }

    private static String message(String id, String url) {
        return "{\"id\":\"%s\",\"role\":\"user\",\"parts\":[{\"type\":\"file\",\"mediaType\":\"image/png\",\"filename\":\"loaf.png\",\"url\":\"%s\"}]}"
                .formatted(id, url);
    }

    private String urlOf(String messageId) throws Exception {
        return json(api.server.get("/api/v1/sessions/a%20b/messages/" + messageId))
                .at("/content/parts/0/url")
                .stringValue();
    }

    @Test
    void a_file_within_a_message_is_moved_out_when_the_message_is_written() throws Exception {
        byte[] bytes = noise(100_000);
        String inline = "data:image/png;base64," + Base64.getEncoder().encodeToString(bytes);

        HttpResponse<String> answer = api.server.post(
                "/api/v1/sessions/a%20b/turns",
                "{\"id\": \"t\", \"message\": {\"id\": \"m\", \"role\": \"user\", \"content\": %s}}"
                        .formatted(message("m", inline)));

        assertThat(answer.statusCode()).isEqualTo(201);
        String url = urlOf("m");
        assertThat(url).isEqualTo(uploaded("image/png", bytes));
        HttpResponse<byte[]> served = get(url);
        assertThat(served.body()).isEqualTo(bytes);
        assertThat(header(served, "Content-Disposition")).isEqualTo("inline; filename=\"loaf.png\"");
        assertThat(session.message("m").orElseThrow().content().length).isLessThan(1000);
    }

    @Test
    void a_small_or_malformed_one_stays() throws Exception {
        String small = "data:image/png;base64," + Base64.getEncoder().encodeToString(noise(1000));
        String malformed = "data:image/png;base64," + "?".repeat(5000);
        session.append(MessageDraft.of("m1", "user", message("m1", small)));
        session.append(MessageDraft.of("m2", "user", message("m2", malformed)));

        assertThat(urlOf("m1")).isEqualTo(small);
        assertThat(urlOf("m2")).isEqualTo(malformed);
    }

    @Test
    void a_message_may_name_what_is_there_only() throws Exception {
        String url = uploaded("image/png", noise(5000));
        String missing = ATTACHMENTS + "/" + "0".repeat(64);

        HttpResponse<String> answer = api.server.post(
                "/api/v1/sessions/a%20b/turns",
                "{\"id\": \"t\", \"message\": {\"id\": \"m\", \"role\": \"user\", \"content\": %s}}"
                        .formatted(message("m", missing)));

        assertThat(answer.statusCode()).isEqualTo(404);
        assertThat(json(answer).get("type").stringValue()).endsWith("attachment-not-found");
        assertThat(session.count()).isZero();
        session.append(MessageDraft.of("m", "user", message("m", url)));
        assertThat(urlOf("m")).isEqualTo(url);
    }

    @Test
    void an_export_names_it() throws Exception {
        String url = uploaded("image/png", noise(5000));
        session.append(MessageDraft.of("m", "user", message("m", url)));

        String absolute = "http://127.0.0.1:" + api.server.port() + binding.mount() + url;
        assertThat(api.server.get("/api/v1/sessions/a%20b/export").body())
                .contains("Attachment: [loaf.png (image/png)](<" + absolute + ">)");
        assertThat(new String(
                        api.server
                                .get("/api/v1/sessions/a%20b/export?format=json")
                                .body()
                                .getBytes(StandardCharsets.UTF_8),
                        StandardCharsets.UTF_8))
                .contains(url);
    }
}
