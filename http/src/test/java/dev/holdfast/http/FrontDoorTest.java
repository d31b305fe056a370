package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.access.ApiKeys;
import dev.holdfast.error.HoldfastException;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JacksonException;

/** What comes in from outside, over real sockets: whatever it is, the answer names what was wrong, and is never a 500. */
final class FrontDoorTest {

    private RunningServer server;

    @BeforeEach
    void start() throws IOException {
        server = RunningServer.start(FrontDoorTest::routes);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static void routes(Router.Builder routes) {
        routes.addOpen("GET", "/open", call -> Answers.json(call.exchange(), 200, text("open")));
        routes.add("GET", "/names/{name}", call -> Answers.json(call.exchange(), 200, text(call.path("name"))));
        routes.add("GET", "/names/fixed", call -> Answers.json(call.exchange(), 200, text("the fixed one")));
        routes.add(
                "POST", "/bodies", call -> Answers.json(call.exchange(), 200, Bodies.readObject(call.exchange(), 100)));
        routes.add("GET", "/defect", call -> {
            throw new IllegalStateException("secret detail");
        });
        routes.add("GET", "/overloaded", call -> {
            throw new HoldfastException.Overloaded("Too much.");
        });
        routes.add(
                "GET",
                "/who",
                call -> Answers.json(call.exchange(), 200, text(call.principal().name())));
    }

    private static tools.jackson.databind.node.ObjectNode text(String text) {
        return Json.MAPPER.createObjectNode().put("text", text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/names/..",
                "/names/%2e%2e",
                "/names/.",
                "/names//x",
                "/names/a%2fb",
                "/names/a%2Fb",
                "/names/a%5cb",
                "/names/a%00b",
                "/names/a%0d%0ab",
                "/names/%ff",
                "/names/%",
                "/names/%1",
                "/names/%zz",
                "/names/%u0041",
                "/names/%c0%ae%c0%ae",
                "/names/x?%00=1",
                "/names/x?a=1&a=2",
                "/names/x?a=%zz",
                "/../names/x",
                "/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r",
                "/names/x/",
                "/names/a;b=c/../d",
                "//names/x"
            })
    void a_path_or_query_that_could_mean_something_else_is_a_400(String path) throws IOException {
        assertThat(server.raw("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 400")
                .contains("application/problem+json", "urn:holdfast:problem:malformed-request");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GARBAGE\r\n\r\n",
                "GET\r\n\r\n",
                "GET / HTTP/9.9\r\n\r\n",
                "GET /open HTTP/1.1\r\n\r\n",
                "GET /open HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
                "GET /open HTTP/1.1\r\nHost: localhost\r\nBad Header: x\r\n\r\n",
                "GET /open HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n",
                "GET /open HTTP/1.1\nHost: loc\1alhost\n\n",
                "POST /bodies HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
                "POST /bodies HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
                "POST /bodies HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "POST /bodies HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"
            })
    void bytes_that_are_no_request_are_refused_without_a_500(String request) throws IOException {
        assertThat(server.raw(request))
                .matches(answer -> answer.isEmpty() || answer.matches("(?s)HTTP/1.1 [45]0[05].*"))
                .doesNotContain("HTTP/1.1 500");
    }

    @ParameterizedTest
    @CsvSource({
        "GARBAGE,400,no valid HTTP request",
        "GET /open HTTP/1.1,400,No Host",
        "GET /open HTTP/9.9,505,HTTP/1.1 and HTTP/2"
    })
    void what_is_refused_before_any_route_is_a_problem_that_helps(String line, int status, String words)
            throws IOException {
        assertThat(server.raw(line + "\r\n\r\n"))
                .startsWith("HTTP/1.1 " + status)
                .contains("application/problem+json", "urn:holdfast:problem:malformed-request", words);
    }

    @Test
    void a_greeting_of_tls_is_told_that_there_is_none() throws IOException {
        assertThat(server.raw("\026\003\001\002\000\001\000\001\374\003\003"))
                .startsWith("HTTP/1.1 400")
                .contains("http:// instead of https://");
    }

    @Test
    void a_request_line_beyond_the_limit_is_a_414() throws IOException {
        String path = "/" + "a".repeat(HttpLimits.MAX_REQUEST_HEAD_BYTES);
        assertThat(server.raw("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n"))
                .startsWith("HTTP/1.1 414")
                .contains("application/problem+json", "at most " + HttpLimits.MAX_REQUEST_HEAD_BYTES + " bytes");
    }

    @Test
    void a_body_that_is_not_framed_as_announced_is_a_400() throws IOException {
        String head = "POST /bodies HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
        assertThat(server.raw(head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n"))
                .startsWith("HTTP/1.1 400")
                .contains("application/problem+json", "The body does not come as its headers announce");
    }

    @Test
    void a_head_beyond_the_limit_is_a_431() throws IOException {
        String header = "X-Long: " + "a".repeat(HttpLimits.MAX_REQUEST_HEAD_BYTES) + "\r\n";
        assertThat(server.raw("GET /open HTTP/1.1\r\nHost: localhost\r\n" + header + "\r\n"))
                .startsWith("HTTP/1.1 431")
                .contains("application/problem+json");
    }

    @Test
    void names_arrive_decoded_and_a_plus_in_a_path_stays_one() throws Exception {
        assertThat(server.get("/names/a%20b+c%C3%A9").body()).isEqualTo("{\"text\":\"a b+c\u00e9\"}");
    }

    @Test
    void a_literal_wins_over_a_placeholder() throws Exception {
        assertThat(server.get("/names/fixed").body()).contains("the fixed one");
    }

    @Test
    void an_unknown_path_is_a_404_and_a_wrong_method_a_405_that_names_the_right_ones() throws Exception {
        assertThat(server.get("/nothing/here").statusCode()).isEqualTo(404);
        HttpResponse<String> wrong = server.post("/open", "{}");
        assertThat(wrong.statusCode()).isEqualTo(405);
        assertThat(wrong.headers().firstValue("Allow")).contains("GET");
    }

    @Test
    void a_body_beyond_the_limit_is_a_413_whether_it_is_announced_or_not() throws Exception {
        String large = "{\"a\":\"" + "x".repeat(200) + "\"}";
        assertThat(server.post("/bodies", large).statusCode()).isEqualTo(413);
        HttpResponse<String> chunked = server.client()
                .send(
                        server.request("/bodies")
                                .header("Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofByteArrays(
                                        List.of(large.getBytes(java.nio.charset.StandardCharsets.UTF_8))))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertThat(chunked.statusCode()).isEqualTo(413);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{", "[]", "1", "nope", "{\"a\":1}x", "{\"a\":1,\"a\":2}", "\"\\ud800\""})
    void a_body_that_is_no_json_object_is_a_400(String body) throws Exception {
        assertThat(server.post("/bodies", body).statusCode()).isEqualTo(400);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                "{~it ends before its last brace, bracket or quote is closed (line 1, column 2).",
                "{\"a\":nope}~\"nope\" is no JSON value; texts are in double quotes (line 1, column 6).",
                "{\"a\":NaN}~\"NaN\" is no JSON value (line 1, column 9).",
                "{\"a\":1,\"a\":2}~\"a\" is there twice in one object (line 1, column 11).",
                "{\"a\":1}[]~something follows behind its end (line 1, column 8).",
                "{'a':1}~a name in double quotes should stand here, not \"'\" (line 1, column 2).",
                "{\"a\":1,}~a name in double quotes should stand here, not \"}\" (line 1, column 8).",
                "{\"a\" 1}~a colon should stand between a name and its value, not \"1\" (line 1, column 6).",
                "{\"a\":1 2}~a comma or the end should stand here, not \"2\" (line 1, column 8).",
                "{\"a\":01}~a number begins with a zero that does not count (line 1, column 7).",
                "{\"a\":1e}~the number is not complete (line 1, column 8).",
                "{\"a\":\"\\q\"}~a backslash is followed by a character that it does not escape (line 1, column 8).",
                "{\"a\":\"\\u12\"}~a \\u is not followed by four hexadecimal digits (line 1, column 11).",
                "<html>~a value should stand here, not \"<\" (line 1, column 1)."
            })
    void what_is_wrong_with_json_is_said_in_plain_words(String body, String words) throws Exception {
        String detail = Json.MAPPER
                .readTree(server.post("/bodies", body).body())
                .get("detail")
                .stringValue();
        assertThat(detail).isEqualTo("The body is not JSON: " + words);
    }

    @Test
    void json_nested_without_end_is_a_400() throws Exception {
        assertThat(server.post("/bodies", "[".repeat(99)).statusCode()).isEqualTo(400);
        assertThatThrownBy(() -> Json.MAPPER.readTree("[".repeat(1000)))
                .isInstanceOfSatisfying(
                        JacksonException.class,
                        e -> assertThat(JsonFault.sentence("It", e))
                                .isEqualTo("It is not JSON: it is nested more than 200 deep."));
    }

    @Test
    void a_body_of_a_form_is_a_415() throws Exception {
        HttpResponse<String> answer = server.client()
                .send(
                        server.request("/bodies")
                                .header("Content-Type", "text/plain")
                                .POST(HttpRequest.BodyPublishers.ofString("{}"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).isEqualTo(415);
    }

    @Test
    void a_defect_is_a_500_that_tells_no_secret() throws Exception {
        HttpResponse<String> answer = server.get("/defect");
        assertThat(answer.statusCode()).isEqualTo(500);
        assertThat(answer.body())
                .contains("urn:holdfast:problem:internal-error")
                .doesNotContain("secret");
    }

    @Test
    void overload_is_a_503_that_says_when_to_come_back() throws Exception {
        HttpResponse<String> answer = server.get("/overloaded");
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.headers().firstValue("Retry-After")).isPresent();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "evil.example",
                "evil.example:4437",
                "localhost.evil.example",
                "127.0.0.1.evil.example",
                "127.0.0.1@evil",
                "[::2]"
            })
    void a_request_meant_for_another_host_is_refused_so_that_no_rebound_name_reaches_this_machine(String host)
            throws IOException {
        assertThat(server.raw("GET /open HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n"))
                .matches("(?s)HTTP/1.1 40[03].*");
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "LOCALHOST:1", "127.0.0.1", "127.1.2.3:80", "[::1]:4437"})
    void the_names_of_this_machine_are_let_in(String host) throws IOException {
        assertThat(server.raw("GET /open HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 200");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"https://evil.example", "null", "http://localhost:3000", "http://localhost.evil.example", ""})
    void a_web_page_of_another_origin_is_refused(String origin) throws Exception {
        assertThat(server.raw("GET /open HTTP/1.1\r\nHost: localhost:1\r\nOrigin: " + origin
                        + "\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 403")
                .contains("wrong-origin");
    }

    @Test
    void the_servers_own_pages_are_let_in() throws Exception {
        assertThat(server.get("/open", "Origin", "http://127.0.0.1:" + server.port())
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void an_origin_that_was_allowed_is_let_in_and_told_so() throws Exception {
        Trust trust = new Trust("default", ApiKeys.none(), Set.of(), Set.of("https://app.example"));
        try (RunningServer open = RunningServer.start(FrontDoorTest::routes, trust, HttpLimits.defaults())) {
            HttpResponse<String> answer = open.get("/open", "Origin", "https://app.example");
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.headers().firstValue("Access-Control-Allow-Origin"))
                    .contains("https://app.example");
            assertThat(answer.headers().firstValue("Access-Control-Allow-Credentials"))
                    .contains("true");
            String preflight = open.raw(String.join(
                    "\r\n",
                    "OPTIONS /bodies HTTP/1.1",
                    "Host: localhost",
                    "Origin: https://app.example",
                    "Access-Control-Request-Method: POST",
                    "Connection: close",
                    "\r\n"));
            assertThat(preflight)
                    .startsWith("HTTP/1.1 204")
                    .contains("Access-Control-Allow-Methods", "Access-Control-Allow-Credentials: true");
            assertThat(open.get("/open", "Origin", "https://other.example").statusCode())
                    .isEqualTo(403);
        }
    }

    @Test
    void with_keys_a_request_needs_one_except_for_open_routes() throws Exception {
        Trust trust = new Trust(
                "default", ApiKeys.of("default", List.of("first-key-1234", "second-key-1234")), Set.of(), Set.of());
        try (RunningServer keyed = RunningServer.start(FrontDoorTest::routes, trust, HttpLimits.defaults())) {
            assertThat(keyed.get("/open").statusCode()).isEqualTo(200);
            HttpResponse<String> without = keyed.get("/who");
            assertThat(without.statusCode()).isEqualTo(401);
            assertThat(without.headers().firstValue("WWW-Authenticate")).isPresent();
            assertThat(keyed.get("/who", "Authorization", "Bearer wrong-key-1234")
                            .statusCode())
                    .isEqualTo(401);
            assertThat(keyed.get("/who", "Authorization", "bearer second-key-1234")
                            .body())
                    .contains("key-2");
            assertThat(keyed.get("/who", "X-Api-Key", "first-key-1234").body()).contains("key-1");
        }
    }
}
