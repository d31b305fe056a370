package dev.holdfast.http.jetty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.HttpListener;
import dev.holdfast.http.RunningServer;
import dev.holdfast.http.SocketClient;
import dev.holdfast.http.Talk;
import dev.holdfast.http.Trust;
import dev.holdfast.http.WebSocketContract;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The contract of WebSockets, by Jetty's core handlers, and what this binding promises beyond it. */
final class JettyWebSocketTest extends WebSocketContract {

    @Override
    protected HttpListener.Factory factory() {
        return JettyServer::new;
    }

    @Override
    protected String mount() {
        return "";
    }

    @Override
    protected int cut() {
        return 1006;
    }

    private static final HttpLimits SHORT = HttpLimits.defaults().withIdleTimeout(Duration.ofSeconds(1));

    @Test
    void the_idle_timeout_leaves_a_socket_alone_that_has_nothing_to_say() throws Exception {
        try (RunningServer server = start(Trust.loopback("default"), SHORT);
                SocketClient client = SocketClient.connect(uri(server, "/talk"))) {
            for (int i = 0; i < 2; i++) {
                try (Socket idle = server.connect()) {
                    assertThat(idle.getInputStream().read())
                            .as("a connection without a request is cut, so the timeout passed for the other one too")
                            .isEqualTo(-1);
                }
            }
            client.send("still there?");
            assertThat(client.next()).isEqualTo("still there?");
        }
    }

    @Test
    void a_client_that_takes_nothing_is_given_up_after_the_idle_timeout() throws Exception {
        try (RunningServer server = start(Trust.loopback("default"), SHORT);
                SocketClient stuck = SocketClient.connectWithoutReading(uri(server, "/talk"))) {
            Talk talk = begun();
            talk.send(Talk.FLOOD);
            talk.awaitClosed();
            assertThat(talk.sendFailure()).isNotNull();
            awaitNone(server);
            assertThat(stuck.socket().isInputClosed()).isFalse();
        }
    }

    @Test
    void over_http_2_it_is_told_that_websockets_come_over_http_1_1() throws Exception {
        try (RunningServer server = start(Trust.loopback("default"), HttpLimits.defaults());
                HttpClient client = HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_2)
                        .build()) {
            for (int i = 0; i < 2; i++) { // the first one upgrades to HTTP/2
                var answer = client.send(server.request(at("/talk")).build(), HttpResponse.BodyHandlers.ofString());
                assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_2);
                assertThat(answer.statusCode()).isEqualTo(426);
                assertThat(answer.body()).contains("over HTTP/1.1");
            }
        }
    }
}
