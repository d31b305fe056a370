package dev.holdfast.http.jetty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.http.Answers;
import dev.holdfast.http.Exchange;
import dev.holdfast.http.Headers;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.Json;
import dev.holdfast.http.Router;
import dev.holdfast.http.RunningServer;
import dev.holdfast.http.Trust;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;

/** How an exchange ends, who waits for whom, and how many there can be: over real sockets. */
final class JettyExchangeTest {

    private final CountDownLatch release = new CountDownLatch(1);
    private final LinkedBlockingQueue<Exchange> arrived = new LinkedBlockingQueue<>();

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
        routes.add("GET", "/quick", call -> Answers.json(call.exchange(), 200, Json.MAPPER.createObjectNode()));
    }

    @Test
    void an_aborted_response_is_an_error_for_the_client_and_never_a_clean_end() throws Exception {
        try (RunningServer server = RunningServer.start(this::routes)) {
            for (String path : List.of("/abort", "/abort-before", "/defect-in-between")) {
                assertThatThrownBy(() -> server.get(path)).as(path).isInstanceOf(IOException.class);
            }
        }
    }

    @Test
    void what_was_written_before_an_abort_arrives() throws Exception {
        try (RunningServer server = RunningServer.start(this::routes)) {
            String answer = server.raw("GET /abort HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertThat(answer).contains("\r\nhalf").doesNotContain("\r\n0\r\n");
        }
    }

    @Test
    void where_a_close_is_the_end_of_the_body_an_abort_resets_the_connection() throws Exception {
        try (RunningServer server = RunningServer.start(this::routes)) {
            assertThatThrownBy(() -> server.raw("GET /abort HTTP/1.0\r\nHost: localhost\r\n\r\n"))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void more_exchanges_wait_at_once_than_jettys_pool_runs_unless_told_otherwise() throws Exception {
        int many = 300;
        try (RunningServer server = RunningServer.start(this::routes)) {
            List<CompletableFuture<HttpResponse<InputStream>>> waiting = new ArrayList<>();
            for (int i = 0; i < many; i++) {
                waiting.add(server.client()
                        .sendAsync(server.request("/wait").build(), HttpResponse.BodyHandlers.ofInputStream()));
            }
            for (CompletableFuture<HttpResponse<InputStream>> each : waiting) {
                assertThat(each.join().statusCode()).isEqualTo(200);
            }
            assertThat(server.get("/quick").statusCode()).isEqualTo(200);
            release.countDown();
            for (CompletableFuture<HttpResponse<InputStream>> each : waiting) {
                assertThat(each.join().body().readAllBytes()).isEmpty();
            }
        }
    }

    @Test
    void one_exchange_too_many_is_a_503_and_cuts_nobody_else() throws Exception {
        HttpLimits limits = HttpLimits.defaults().withMaxExchanges(2);
        try (RunningServer server = RunningServer.start(this::routes, Trust.loopback("default"), limits)) {
            var one = server.client().send(server.request("/wait").build(), HttpResponse.BodyHandlers.ofInputStream());
            var two = server.client().send(server.request("/wait").build(), HttpResponse.BodyHandlers.ofInputStream());
            HttpResponse<String> three = server.get("/quick");
            assertThat(three.statusCode()).isEqualTo(503);
            assertThat(three.headers().firstValue("Retry-After")).isPresent();
            release.countDown();
            assertThat(one.body().readAllBytes()).isEmpty();
            assertThat(two.body().readAllBytes()).isEmpty();
        }
    }

    @Test
    void a_client_that_takes_nothing_holds_up_nobody_else() throws Exception {
        try (RunningServer server = RunningServer.start(this::routes);
                Socket slow = server.connect()) {
            slow.getOutputStream()
                    .write("GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            arrived.take();
            for (int i = 0; i < 20; i++) {
                assertThat(server.get("/quick").statusCode()).isEqualTo(200);
            }
        }
    }

    @Test
    void a_client_that_takes_nothing_for_too_long_is_cut() throws Exception {
        HttpLimits limits = HttpLimits.defaults().withIdleTimeout(Duration.ofMillis(200));
        CompletableFuture<Exchange> ended = new CompletableFuture<>();
        try (RunningServer server = RunningServer.start(
                        routes -> routes.add("GET", "/endless", call -> {
                            Exchange.Sink sink = begin(call.exchange());
                            try {
                                while (true) {
                                    sink.write(new byte[64 << 10]);
                                }
                            } finally {
                                ended.complete(call.exchange());
                            }
                        }),
                        Trust.loopback("default"),
                        limits);
                Socket slow = server.connect()) {
            slow.getOutputStream()
                    .write("GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(ended.join().gone()).isTrue();
        }
    }

    @Test
    void a_write_after_the_client_left_fails_and_the_exchange_knows() throws Exception {
        CompletableFuture<Boolean> gone = new CompletableFuture<>();
        try (RunningServer server = RunningServer.start(routes -> routes.add("GET", "/endless", call -> {
            Exchange.Sink sink = begin(call.exchange());
            try {
                while (true) {
                    sink.write(new byte[100]);
                }
            } catch (IOException e) {
                gone.complete(call.exchange().gone());
                throw e;
            }
        }))) {
            try (Socket socket = server.connect()) {
                socket.getOutputStream()
                        .write("GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                assertThat(socket.getInputStream().read()).isPositive();
            }
            assertThat(gone.join()).isTrue();
        }
    }

    @Test
    void the_end_of_the_process_aborts_what_is_open_and_wakes_who_waits() throws Exception {
        try (RunningServer server = RunningServer.start(this::routes)) {
            var waiting =
                    server.client().send(server.request("/wait").build(), HttpResponse.BodyHandlers.ofInputStream());
            arrived.take();
            server.door().open().abortAll();
            assertThatThrownBy(() -> waiting.body().readAllBytes()).isInstanceOf(IOException.class);
        }
    }

    @Test
    void a_refused_request_whose_body_did_not_come_announces_that_its_connection_is_closed() throws Exception {
        try (RunningServer server = RunningServer.start(this::routes);
                Socket socket = server.connect()) {
            socket.getOutputStream()
                    .write("POST /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII));

            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

            assertThat(answer).startsWith("HTTP/1.1 404").containsIgnoringCase("connection: close");
        }
    }

    @Test
    void a_refused_request_whose_body_came_keeps_its_connection() throws Exception {
        try (RunningServer server = RunningServer.start(this::routes)) {
            String both = "POST /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}"
                    + "GET /quick HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

            assertThat(server.raw(both)).contains("HTTP/1.1 404").contains("HTTP/1.1 200");
        }
    }

    @Test
    void the_idle_timeout_leaves_an_exchange_alone_that_waits_for_something_to_write() throws Exception {
        HttpLimits limits = HttpLimits.defaults().withIdleTimeout(Duration.ofMillis(100));
        try (RunningServer server = RunningServer.start(this::routes, Trust.loopback("default"), limits)) {
            var waiting =
                    server.client().send(server.request("/wait").build(), HttpResponse.BodyHandlers.ofInputStream());
            arrived.take();
            for (int i = 0; i < 3; i++) {
                try (Socket idle = server.connect()) {
                    assertThat(idle.getInputStream().read())
                            .as("a connection without a request is cut, so the timeout passed for the other one too")
                            .isEqualTo(-1);
                }
            }
            release.countDown();
            assertThat(waiting.body().readAllBytes()).isEmpty();
        }
    }
}
