package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@link Exchange} promises, of every server that it is bound to: over real sockets, HTTP/1.1 and HTTP/2. */
public abstract class ExchangeContract extends BodyContract {

    @ParameterizedTest
    @EnumSource(
            value = HttpClient.Version.class,
            names = {"HTTP_1_1", "HTTP_2"})
    void an_aborted_response_is_an_error_for_the_client_and_never_a_clean_end(HttpClient.Version version)
            throws Exception {
        try (RunningServer server = start();
                HttpClient client = client(version)) {
            for (String path : List.of("/abort", "/abort-before", "/defect-in-between")) {
                HttpRequest request = server.request(at(path)).build();
                assertThatThrownBy(() -> client.send(request, HttpResponse.BodyHandlers.ofString()))
                        .as(path)
                        .isInstanceOf(IOException.class);
            }
        }
    }

    @Test
    void what_was_written_before_an_abort_arrives() throws Exception {
        try (RunningServer server = start()) {
            String answer = server.raw(line("GET", "/abort") + "\r\n");
            assertThat(answer).contains("\r\nhalf").doesNotContain("\r\n0\r\n");
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = HttpClient.Version.class,
            names = {"HTTP_1_1", "HTTP_2"})
    void what_was_flushed_arrives_while_the_exchange_goes_on(HttpClient.Version version) throws Exception {
        try (RunningServer server = start();
                HttpClient client = client(version)) {
            InputStream body = client.send(
                            server.request(at("/steps")).build(), HttpResponse.BodyHandlers.ofInputStream())
                    .body();
            assertThat(body.readNBytes(3)).asString().isEqualTo("one");
            release.countDown();
            assertThat(body.readAllBytes()).asString().isEqualTo("two");
        }
    }

    @Test
    void many_exchanges_wait_at_once() throws Exception {
        try (RunningServer server = start()) {
            List<CompletableFuture<HttpResponse<InputStream>>> waiting = new ArrayList<>();
            for (int i = 0; i < manyExchanges(); i++) {
                waiting.add(server.client()
                        .sendAsync(server.request(at("/wait")).build(), HttpResponse.BodyHandlers.ofInputStream()));
            }
            for (CompletableFuture<HttpResponse<InputStream>> each : waiting) {
                assertThat(each.join().statusCode()).isEqualTo(200);
            }
            assertThat(server.get(at("/quick")).statusCode()).isEqualTo(200);
            release.countDown();
            for (CompletableFuture<HttpResponse<InputStream>> each : waiting) {
                assertThat(each.join().body().readAllBytes()).isEmpty();
            }
        }
    }

    @Test
    void one_exchange_too_many_is_a_503_and_cuts_nobody_else() throws Exception {
        try (RunningServer server = start(HttpLimits.defaults().withMaxExchanges(2))) {
            HttpRequest wait = server.request(at("/wait")).build();
            var one = server.client().send(wait, HttpResponse.BodyHandlers.ofInputStream());
            var two = server.client().send(wait, HttpResponse.BodyHandlers.ofInputStream());
            HttpResponse<String> three = server.get(at("/quick"));
            assertThat(three.statusCode()).isEqualTo(503);
            assertThat(three.headers().firstValue("Retry-After")).isPresent();
            release.countDown();
            assertThat(one.body().readAllBytes()).isEmpty();
            assertThat(two.body().readAllBytes()).isEmpty();
        }
    }

    @Test
    void a_client_that_takes_nothing_holds_up_nobody_else() throws Exception {
        try (RunningServer server = start();
                Socket slow = server.connect()) {
            send(slow, line("GET", "/endless") + "\r\n");
            arrived.take();
            for (int i = 0; i < 20; i++) {
                assertThat(server.get(at("/quick")).statusCode()).isEqualTo(200);
            }
        }
    }

    @Test
    void a_client_that_takes_nothing_for_too_long_is_cut() throws Exception {
        try (RunningServer server = start(HttpLimits.defaults().withIdleTimeout(Duration.ofSeconds(2)));
                Socket slow = server.connect()) {
            send(slow, line("GET", "/endless") + "\r\n");
            Exchange exchange = arrived.take();
            Patience.await().until(() -> server.door().open().count() == 0);
            assertThat(exchange.gone()).isTrue();
        }
    }

    @Test
    void a_write_after_the_client_left_fails_and_the_exchange_knows() throws Exception {
        try (RunningServer server = start()) {
            try (Socket socket = server.connect()) {
                send(socket, line("GET", "/endless") + "\r\n");
                assertThat(socket.getInputStream().read()).isPositive();
            }
            Exchange exchange = arrived.take();
            Patience.await().until(() -> server.door().open().count() == 0);
            assertThat(exchange.gone()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = HttpClient.Version.class,
            names = {"HTTP_1_1", "HTTP_2"})
    void the_end_of_the_process_aborts_what_is_open_and_wakes_who_waits(HttpClient.Version version) throws Exception {
        try (RunningServer server = start();
                HttpClient client = client(version)) {
            var waiting = client.send(server.request(at("/wait")).build(), HttpResponse.BodyHandlers.ofInputStream());
            arrived.take();
            server.door().open().abortAll();
            assertThatThrownBy(() -> waiting.body().readAllBytes()).isInstanceOf(IOException.class);
        }
    }

    @Test
    void the_answer_to_head_has_the_headers_of_get_and_no_body() throws Exception {
        try (RunningServer server = start()) {
            String answer =
                    server.raw(line("HEAD", "/quick") + "\r\n" + line("GET", "/quick") + "Connection: close\r\n\r\n");
            int second = answer.indexOf("HTTP/1.1 200", 1);
            assertThat(second).isPositive();
            assertThat(answer.substring(0, second).toLowerCase(Locale.ROOT))
                    .contains("content-length: 2\r\n", "content-type: application/json\r\n")
                    .endsWith("\r\n\r\n");
        }
    }

    @Test
    void an_answer_without_content_says_no_length() throws Exception {
        try (RunningServer server = start()) {
            String answer = server.raw(line("DELETE", "/quick") + "Connection: close\r\n\r\n");
            assertThat(answer).startsWith("HTTP/1.1 204").endsWith("\r\n\r\n");
            assertThat(answer.toLowerCase(Locale.ROOT)).doesNotContain("transfer-encoding", "content-type");
        }
    }

    @Test
    void no_charset_is_added_to_a_content_type() throws Exception {
        try (RunningServer server = start()) {
            assertThat(server.get(at("/quick")).headers().firstValue("Content-Type"))
                    .contains("application/json");
            release.countDown();
            assertThat(server.get(at("/steps")).headers().firstValue("Content-Type"))
                    .contains("text/plain");
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = HttpClient.Version.class,
            names = {"HTTP_1_1", "HTTP_2"})
    void the_head_arrives_as_it_was_sent(HttpClient.Version version) throws Exception {
        try (RunningServer server = start();
                HttpClient client = client(version)) {
            HttpResponse<String> answer = client.send(
                    server.request(at("/head?a=%2F+&b"))
                            .header("X-Several", "1")
                            .header("X-Several", "2")
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(answer.body()).isEqualTo("{\"seen\":\"GET|a=%2F+&b|1,2|http|127.0.0.1|null\"}");
            assertThat(answer.headers().allValues("X-Several")).containsExactly("one", "two");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a%20b+c%C3%A9=a b+c\u00e9", "%3A%3f%23=:?#", "a;b=a;b"})
    void names_in_paths_arrive_decoded_and_a_plus_stays_one(String pair) throws Exception {
        int equals = pair.lastIndexOf('=');
        try (RunningServer server = start()) {
            assertThat(server.get(at("/names/" + pair.substring(0, equals))).body())
                    .isEqualTo("{\"seen\":\"" + pair.substring(equals + 1) + "\"}");
        }
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
                "/names/%zz",
                "/names/%u0041",
                "/names/%c0%ae%c0%ae",
                "/names/x?%00=1",
                "/names/x?a=%zz",
                "/../names/x",
                "/names/x/",
                "/names/a;b=c/../d",
                "//names/x"
            })
    void a_path_that_could_mean_something_else_is_a_400(String path) throws IOException {
        try (RunningServer server = start()) {
            assertThat(server.raw(line("GET", path) + "Connection: close\r\n\r\n"))
                    .matches("(?s)HTTP/1.1 40[04] .*")
                    .doesNotContain("\"seen\"");
        }
    }

    @Test
    void who_connects_between_bind_and_start_waits_and_is_answered() throws Exception {
        HttpListener listener = factory()
                .listen(
                        "127.0.0.1",
                        0,
                        HttpLimits.defaults(),
                        exchange -> begin(exchange).write("here".getBytes(StandardCharsets.UTF_8)));
        try {
            listener.bind();
            HttpListener late =
                    factory().listen("127.0.0.1", listener.port(), HttpLimits.defaults(), exchange -> exchange.abort());
            assertThatThrownBy(late::bind).isInstanceOf(IOException.class);
            late.close();
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), listener.port())) {
                String request = "GET %s/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".formatted(mount());
                socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
                listener.start();
                assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                        .startsWith("HTTP/1.1 200")
                        .contains("here");
            }
        } finally {
            listener.close();
        }
    }

    @Test
    void an_address_that_was_bound_and_never_served_is_free_again_after_the_close() throws Exception {
        HttpListener listener = factory().listen("127.0.0.1", 0, HttpLimits.defaults(), exchange -> exchange.abort());
        listener.bind();
        int port = listener.port();
        listener.close();
        try (ServerSocket free = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            assertThat(free.getLocalPort()).isEqualTo(port);
        }
    }
}
