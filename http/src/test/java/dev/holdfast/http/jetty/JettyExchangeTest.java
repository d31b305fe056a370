package dev.holdfast.http.jetty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.http.Exchange;
import dev.holdfast.http.ExchangeContract;
import dev.holdfast.http.Headers;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.HttpListener;
import dev.holdfast.http.Router;
import dev.holdfast.http.RunningServer;
import dev.holdfast.http.Trust;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The contract of exchanges, by Jetty's core handlers, and what this binding promises beyond it. */
final class JettyExchangeTest extends ExchangeContract {

    private final CountDownLatch release = new CountDownLatch(1);
    private final CountDownLatch arrived = new CountDownLatch(1);

    @Override
    protected HttpListener.Factory factory() {
        return JettyServer::new;
    }

    private void routes(Router.Builder routes) {
        routes.add("GET", "/abort", call -> {
            begin(call.exchange()).write("half".getBytes(StandardCharsets.UTF_8));
            call.exchange().abort();
        });
        routes.add("GET", "/wait", call -> {
            begin(call.exchange()).flush();
            arrived.countDown();
            release.await();
        });
    }

    private static Exchange.Sink begin(Exchange exchange) {
        return exchange.respond(200, new Headers().set("Content-Type", "text/plain"));
    }

    @Test
    void where_a_close_is_the_end_of_the_body_an_abort_resets_the_connection() throws Exception {
        try (RunningServer server = RunningServer.start(this::routes)) {
            assertThatThrownBy(() -> server.raw("GET /abort HTTP/1.0\r\nHost: localhost\r\n\r\n"))
                    .isInstanceOf(IOException.class);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = HttpClient.Version.class,
            names = {"HTTP_1_1", "HTTP_2"})
    void the_idle_timeout_leaves_an_exchange_alone_that_waits_for_something_to_write(HttpClient.Version version)
            throws Exception {
        HttpLimits limits = HttpLimits.defaults().withIdleTimeout(Duration.ofSeconds(1));
        try (RunningServer server = RunningServer.start(this::routes, Trust.loopback("default"), limits);
                HttpClient client = HttpClient.newBuilder().version(version).build()) {
            var waiting = client.send(server.request("/wait").build(), HttpResponse.BodyHandlers.ofInputStream());
            arrived.await();
            for (int i = 0; i < 2; i++) {
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
