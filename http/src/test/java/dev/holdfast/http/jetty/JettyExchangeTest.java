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
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The contract of exchanges, by Jetty's core handlers, and what this binding promises beyond it. */
final class JettyExchangeTest extends ExchangeContract {

    private final CountDownLatch release = new CountDownLatch(1);
    private final CountDownLatch arrived = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);

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
        routes.add("GET", "/rest", call -> {
            begin(call.exchange()).flush();
            call.exchange().goOnApart(new Exchange.Rest() {
                @Override
                public boolean goOn(Runnable wake) {
                    arrived.countDown();
                    return !call.exchange().gone();
                }

                @Override
                public void close() {
                    ended.countDown();
                }
            });
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

    @Test
    void a_reset_of_its_stream_ends_what_rests_without_a_write() throws Exception {
        try (RunningServer server = RunningServer.start(this::routes);
                HttpClient client = client(HttpClient.Version.HTTP_2)) {
            // Jetty does not always report the reset of the stream that an upgrade began with
            var first = client.send(server.request("/nowhere").build(), HttpResponse.BodyHandlers.discarding());
            assertThat(first.version()).isEqualTo(HttpClient.Version.HTTP_2);
            var rests = client.send(server.request("/rest").build(), HttpResponse.BodyHandlers.ofInputStream());
            arrived.await(); // a reset before would be an error of the handler's write
            rests.body().close();
            assertThat(ended.await(2, TimeUnit.MINUTES)).isTrue();
        }
    }
}
