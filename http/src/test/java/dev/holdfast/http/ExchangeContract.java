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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@link Exchange} promises, of every server that it is bound to: over real sockets, HTTP/1.1 and HTTP/2. */
public abstract class ExchangeContract {

    private final CountDownLatch release = new CountDownLatch(1);
    private final LinkedBlockingQueue<Exchange> arrived = new LinkedBlockingQueue<>();

    /** Makes the server under test. */
    protected abstract HttpListener.Factory factory();

    /** The path below which it serves the handler, without a slash at its end. */
    protected String mount() {
        return "";
    }

    /** More exchanges than a server's pool of threads runs unless told otherwise. */
    protected int manyExchanges() {
        return 300;
    }

    protected final RunningServer start() throws IOException {
        return start(HttpLimits.defaults());
    }

    protected final RunningServer start(HttpLimits limits) throws IOException {
        return RunningServer.start(this::routes, Trust.loopback("default"), limits, factory());
    }

    private static Exchange.Sink begin(Exchange exchange) {
        return exchange.respond(200, new Headers().set("Content-Type", "text/plain"));
    }

    private void routes(Router.Builder routes) {
        routes.add("GET", "/abort", call -> {
            begin(call.exchange()).write("half".getBytes(StandardCharsets.UTF_8));
            call.exchange().abort();
        });
        routes.add("GET", "/abort-before", call -> call.exchange().abort());
        routes.add("GET", "/defect-in-between", call -> {
            begin(call.exchange()).write("half".getBytes(StandardCharsets.UTF_8));
            throw new IllegalStateException("expected by the test");
        });
        routes.add("GET", "/wait", call -> {
            begin(call.exchange()).flush();
            arrived.add(call.exchange());
            release.await();
        });
        routes.add("GET", "/endless", call -> {
            Exchange.Sink sink = begin(call.exchange());
            arrived.add(call.exchange());
            byte[] block = new byte[64 << 10];
            while (true) {
                sink.write(block);
            }
        });
        routes.add("GET", "/steps", call -> {
            Exchange.Sink sink = begin(call.exchange());
            sink.write("one".getBytes(StandardCharsets.UTF_8));
            sink.flush();
            release.await();
            sink.write("two".getBytes(StandardCharsets.UTF_8));
        });
        routes.add("POST", "/echo", call -> {
            byte[] body = Bodies.read(call.exchange(), 1 << 20);
            begin(call.exchange()).write(body);
        });
        routes.add(
                "POST", "/object", call -> Answers.json(call.exchange(), 200, Bodies.readObject(call.exchange(), 100)));
        routes.add("GET", "/quick", call -> Answers.json(call.exchange(), 200, Json.MAPPER.createObjectNode()));
        routes.add("HEAD", "/quick", call -> Answers.json(call.exchange(), 200, Json.MAPPER.createObjectNode()));
        routes.add("DELETE", "/quick", call -> Answers.empty(call.exchange(), 204, new Headers()));
        routes.add("GET", "/names/{name}", call -> seen(call, call.path("name")));
        routes.add(
                "GET",
                "/head",
                call -> seen(
                        call,
                        String.join(
                                "|",
                                call.exchange().head().method(),
                                String.valueOf(call.exchange().head().rawQuery()),
                                String.join(
                                        ",", call.exchange().head().headers().all("x-Several")),
                                call.exchange().head().scheme(),
                                call.exchange().head().remoteAddress(),
                                String.valueOf(call.exchange().head().remoteUser()))));
    }

    private static void seen(Call call, String text) throws IOException {
        Headers headers = new Headers().add("X-Several", "one").add("X-Several", "two");
        Answers.json(
                call.exchange(), 200, headers, Json.MAPPER.createObjectNode().put("seen", text));
    }

    private String at(String path) {
        return mount() + path;
    }

    private String line(String method, String path) {
        return method + " " + at(path) + " HTTP/1.1\r\nHost: localhost\r\n";
    }

    private static HttpClient client(HttpClient.Version version) {
        return HttpClient.newBuilder().version(version).build();
    }

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
        try (RunningServer server = start(HttpLimits.defaults().withIdleTimeout(Duration.ofMillis(200)));
                Socket slow = server.connect()) {
            send(slow, line("GET", "/endless") + "\r\n");
            Exchange exchange = arrived.take();
            org.awaitility.Awaitility.await().until(() -> server.door().open().count() == 0);
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
            org.awaitility.Awaitility.await().until(() -> server.door().open().count() == 0);
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
    void a_refused_request_whose_body_did_not_come_announces_that_its_connection_is_closed() throws Exception {
        try (RunningServer server = start();
                Socket socket = server.connect()) {
            send(socket, line("POST", "/nowhere") + "Content-Length: 2\r\n\r\n");

            String answer = head(socket.getInputStream());

            assertThat(answer).startsWith("HTTP/1.1 404").containsIgnoringCase("connection: close");
        }
    }

    @Test
    void a_refused_request_whose_body_came_keeps_its_connection() throws Exception {
        try (RunningServer server = start()) {
            String both = line("POST", "/nowhere") + "Content-Length: 2\r\n\r\n{}" + line("GET", "/quick")
                    + "Connection: close\r\n\r\n";

            assertThat(server.raw(both)).contains("HTTP/1.1 404").contains("HTTP/1.1 200");
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = HttpClient.Version.class,
            names = {"HTTP_1_1", "HTTP_2"})
    void bodies_arrive_whole_whether_their_length_is_announced_or_not(HttpClient.Version version) throws Exception {
        byte[] body = "\u00e4{\"a\": 1}\0\r\n".repeat(20_000).getBytes(StandardCharsets.UTF_8);
        try (RunningServer server = start();
                HttpClient client = client(version)) {
            assertThat(client.send(server.request(at("/quick")).build(), HttpResponse.BodyHandlers.discarding())
                            .version())
                    .isEqualTo(version);
            for (var publisher : List.of(
                    HttpRequest.BodyPublishers.ofByteArray(body),
                    HttpRequest.BodyPublishers.ofByteArrays(List.of(body)))) {
                HttpResponse<byte[]> answer = client.send(
                        server.request(at("/echo")).POST(publisher).build(), HttpResponse.BodyHandlers.ofByteArray());
                assertThat(answer.statusCode()).isEqualTo(200);
                assertThat(answer.body()).isEqualTo(body);
            }
        }
    }

    @Test
    void chunks_are_put_together_and_their_trailers_left_out() throws Exception {
        try (RunningServer server = start()) {
            String answer = server.raw(line("POST", "/object")
                    + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
                    + "3;x=y\r\n{\"a\r\n3\r\n\":1\r\n1\r\n}\r\n0\r\nX-Trailer: z\r\n\r\n");
            assertThat(answer).startsWith("HTTP/1.1 200").contains("{\"a\":1}");
        }
    }

    @Test
    void a_chunked_body_beyond_the_limit_is_a_413() throws Exception {
        try (RunningServer server = start()) {
            String answer = server.raw(line("POST", "/object")
                    + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
                    + "80\r\n" + "x".repeat(128) + "\r\n0\r\n\r\n");
            assertThat(answer).startsWith("HTTP/1.1 413");
        }
    }

    @Test
    void a_body_that_ends_early_is_no_body() throws Exception {
        try (RunningServer server = start()) {
            String answer = server.raw(line("POST", "/echo") + "Content-Length: 100\r\n\r\nabc");
            assertThat(answer).doesNotContain("HTTP/1.1 200");
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

    private static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** What arrives up to the end of a response's head. */
    private static String head(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        for (int c = in.read(); c >= 0 && head.indexOf("\r\n\r\n") < 0; c = in.read()) {
            head.append((char) c);
        }
        return head.toString();
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
