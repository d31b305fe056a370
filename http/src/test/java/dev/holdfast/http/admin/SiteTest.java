package dev.holdfast.http.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.RunningServer;
import dev.holdfast.http.Trust;
import java.io.ByteArrayInputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class SiteTest {

    private static final String FOLDER = "dev/holdfast/http/admin/site";
    private static final String SCRIPT = "/assets/app-1a2b.js";

    private RunningServer server;

    @BeforeEach
    void start() throws Exception {
        server = RunningServer.start(site(Set.of())::addTo, Trust.loopback("default"), HttpLimits.defaults());
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static Site site(Set<String> framers) {
        return Site.find(SiteTest.class.getClassLoader(), FOLDER, framers).orElseThrow();
    }

    @Test
    void the_page_is_asked_for_each_time_and_sent_when_it_changed() throws Exception {
        HttpResponse<String> page = server.get("/");
        assertThat(page.body()).startsWith("<!doctype html>");
        assertThat(page.headers().firstValue("Content-Type")).contains("text/html; charset=utf-8");
        assertThat(page.headers().firstValue("Cache-Control")).contains("no-cache");
        String tag = page.headers().firstValue("ETag").orElseThrow();
        HttpResponse<String> again = server.get("/", "If-None-Match", "\"other\", " + tag);
        assertThat(again.statusCode()).isEqualTo(304);
        assertThat(again.body()).isEmpty();
        assertThat(server.get("/", "If-None-Match", "\"other\"").statusCode()).isEqualTo(200);
    }

    @Test
    void what_has_a_digest_in_its_name_is_kept_for_good() throws Exception {
        HttpResponse<String> script = server.get(SCRIPT);
        assertThat(script.headers().firstValue("Cache-Control")).contains("public, max-age=31536000, immutable");
        assertThat(script.headers().firstValue("Content-Type")).contains("text/javascript; charset=utf-8");
    }

    @Test
    void who_takes_gzip_gets_the_smaller_form_of_the_same_under_a_tag_of_its_own() throws Exception {
        HttpResponse<String> plain = server.get(SCRIPT);
        HttpResponse<byte[]> zipped = server.client()
                .send(
                        server.request(SCRIPT)
                                .header("Accept-Encoding", "br, gzip")
                                .build(),
                        HttpResponse.BodyHandlers.ofByteArray());
        assertThat(zipped.headers().firstValue("Content-Encoding")).contains("gzip");
        assertThat(zipped.headers().firstValue("Vary")).contains("Accept-Encoding");
        assertThat(zipped.headers().firstValue("ETag"))
                .isNotEqualTo(plain.headers().firstValue("ETag"));
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(zipped.body()))) {
            assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo(plain.body());
        }
        assertThat(server.get(SCRIPT, "Accept-Encoding", "gzip;q=0").headers().firstValue("Content-Encoding"))
                .isEmpty();
    }

    @Test
    void nothing_inline_and_nothing_of_others_may_run() throws Exception {
        String policy =
                server.get("/").headers().firstValue("Content-Security-Policy").orElseThrow();
        assertThat(policy)
                .startsWith("default-src 'none'; script-src 'self'; style-src 'self'; ")
                .contains("frame-ancestors 'none'")
                .doesNotContain("unsafe", "*");
        assertThat(server.get("/").headers().firstValue("X-Content-Type-Options"))
                .contains("nosniff");
    }

    @Test
    void pages_that_may_call_the_server_may_also_show_the_site_in_a_frame() throws Exception {
        try (RunningServer framed = RunningServer.start(
                site(Set.of("https://app.example"))::addTo, Trust.loopback("default"), HttpLimits.defaults())) {
            assertThat(framed.get("/")
                            .headers()
                            .firstValue("Content-Security-Policy")
                            .orElseThrow())
                    .endsWith("frame-ancestors 'self' https://app.example");
        }
    }

    @Test
    void what_is_not_listed_is_not_there() throws Exception {
        assertThat(server.get("/files.txt").statusCode()).isEqualTo(404);
        assertThat(server.get("/assets/app-other.js").statusCode()).isEqualTo(404);
        assertThat(server.get("/assets/../files.txt").statusCode()).isEqualTo(400);
    }

    @Test
    void where_there_is_no_site_none_is_found_and_one_with_a_hole_is_refused() {
        assertThat(Site.find(SiteTest.class.getClassLoader(), "dev/holdfast/none", Set.of()))
                .isEqualTo(Optional.empty());
        assertThatThrownBy(() -> Site.find(SiteTest.class.getClassLoader(), FOLDER + "/broken", Set.of()))
                .hasMessageContaining("missing.js");
    }
}
