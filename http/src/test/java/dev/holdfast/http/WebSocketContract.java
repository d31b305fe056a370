package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.access.ApiKeys;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What {@link Exchange#upgrade} promises, of every server that it is bound to; here who gets a WebSocket at all. */
public abstract class WebSocketContract extends SocketEndsContract {

    private static final String KEY = "second+key/1234?";

    @Test
    void one_too_many_gets_its_503_before_the_upgrade() throws Exception {
        try (RunningServer server =
                start(Trust.loopback("default"), HttpLimits.defaults().withMaxExchanges(1))) {
            try (SocketClient first = SocketClient.connect(uri(server, "/talk"))) {
                first.send("hello");
                assertThat(first.next()).isEqualTo("hello");
                assertThatExceptionOfType(SocketClient.RefusedException.class)
                        .isThrownBy(() -> SocketClient.connect(uri(server, "/talk")))
                        .satisfies(e -> {
                            assertThat(e.response.statusCode()).isEqualTo(503);
                            assertThat(e.response.headers().firstValue("Retry-After"))
                                    .isPresent();
                        });
            }
            awaitNone(server);
            try (SocketClient next = SocketClient.connect(uri(server, "/talk"))) {
                next.send("hello");
                assertThat(next.next()).isEqualTo("hello");
            }
        }
    }

    @Test
    void the_subprotocol_is_the_servers_choice_of_those_that_are_offered() throws Exception {
        try (RunningServer server = start()) {
            for (var offer : List.of(
                    List.of("talk.v1", "talk.v2"), List.of("other", "talk.v1"), List.of("other"), List.<String>of())) {
                try (SocketClient client = SocketClient.connect(uri(server, "/talk"), offer)) {
                    String expected =
                            offer.contains("talk.v2") ? "talk.v2" : offer.contains("talk.v1") ? "talk.v1" : "";
                    assertThat(client.socket().getSubprotocol()).isEqualTo(expected);
                }
            }
        }
    }

    /** The status that the upgrade is answered with. */
    private static int refusal(URI uri, List<String> subprotocols, String... headers) {
        try {
            SocketClient.connect(uri, subprotocols, headers).close();
            return 101;
        } catch (SocketClient.RefusedException e) {
            return e.response.statusCode();
        }
    }

    @Test
    void a_page_of_another_origin_opens_no_socket_even_where_any_page_may_call() throws Exception {
        Trust trust = new Trust("default", ApiKeys.none(), Set.of(), Set.of("https://app.example"));
        try (RunningServer server = start(trust, HttpLimits.defaults())) {
            for (String path : List.of("/talk", "/any")) {
                URI uri = uri(server, path);
                for (String foreign : List.of("https://evil.example", "null", "http://127.0.0.1:1")) {
                    assertThat(refusal(uri, List.of(), "Origin", foreign))
                            .as(path + " " + foreign)
                            .isEqualTo(403);
                }
                assertThat(refusal(uri, List.of(), "Origin", "https://app.example"))
                        .isEqualTo(101);
                assertThat(refusal(uri, List.of(), "Origin", "http://127.0.0.1:" + server.port()))
                        .isEqualTo(101);
            }
            awaitNone(server);
        }
    }

    private static String offered(String key) {
        return Handshake.KEY_PREFIX
                + Base64.getUrlEncoder().withoutPadding().encodeToString(key.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void a_key_comes_in_a_header_or_as_a_subprotocol_which_is_never_chosen() throws Exception {
        Trust trust = new Trust("default", ApiKeys.of("default", List.of("first-key-1234", KEY)), Set.of(), Set.of());
        try (RunningServer server = start(trust, HttpLimits.defaults())) {
            URI talk = uri(server, "/talk");
            assertThat(refusal(talk, List.of())).isEqualTo(401);
            assertThat(refusal(talk, List.of("talk.v1", offered("wrong-key-1234"))))
                    .isEqualTo(401);
            assertThat(refusal(talk, List.of("talk.v1", Handshake.KEY_PREFIX + "!")))
                    .isEqualTo(401);
            assertThat(refusal(talk, List.of(offered("first-key-1234"), offered(KEY))))
                    .isEqualTo(401);
            assertThat(refusal(talk, List.of("talk.v1"), "Authorization", "Bearer wrong-key-1234"))
                    .isEqualTo(401);
            assertThat(refusal(talk, List.of(offered(KEY)), "Authorization", "Bearer wrong-key-1234"))
                    .isEqualTo(401);
            assertThat(refusal(talk, List.of(), "Authorization", "Bearer first-key-1234"))
                    .isEqualTo(101);
            for (var offer : List.of(List.of("talk.v1", offered(KEY)), List.of(offered(KEY), "talk.v1"))) {
                try (SocketClient client = SocketClient.connect(talk, offer)) {
                    assertThat(client.socket().getSubprotocol()).isEqualTo("talk.v1");
                }
            }
            try (SocketClient client = SocketClient.connect(uri(server, "/who"), List.of(offered(KEY)))) {
                assertThat(client.next()).isEqualTo("key-2");
                assertThat(client.socket().getSubprotocol()).isEmpty();
            }
            assertThat(server.get(at("/talk"), "Sec-WebSocket-Protocol", offered(KEY))
                            .statusCode())
                    .as("a request for no WebSocket")
                    .isEqualTo(401);
        }
    }

    @Test
    void a_request_that_asks_for_no_websocket_is_told_to_upgrade() throws Exception {
        try (RunningServer server = start()) {
            var plain = server.get(at("/talk"));
            assertThat(plain.statusCode()).isEqualTo(426);
            assertThat(plain.body()).contains("urn:holdfast:problem:upgrade-required", "ws://");
            assertThat(plain.headers().firstValue("Upgrade")).contains("websocket");
            assertThat(plain.headers().firstValue("Sec-WebSocket-Version")).contains("13");
            assertThat(server.post(at("/talk"), "{}").statusCode()).isEqualTo(405);
            assertThat(begun).isEmpty();
        }
    }

    @Test
    void where_nothing_upgrades_a_request_for_a_websocket_takes_no_thread_of_the_container() throws Exception {
        try (RunningServer server = start()) {
            assertThat(server.raw(RawWebSocket.request(
                            at("/thread"),
                            "Connection: Upgrade, close",
                            "Sec-WebSocket-Version: 13",
                            "Sec-WebSocket-Key: " + RawWebSocket.KEY)))
                    .startsWith("HTTP/1.1 200")
                    .contains("{\"virtual\":true}");
        }
    }

    @Test
    void a_malformed_upgrade_is_refused_with_a_sentence() throws Exception {
        String connection = "Connection: Upgrade, close";
        String version = "Sec-WebSocket-Version: 13";
        String key = "Sec-WebSocket-Key: " + RawWebSocket.KEY;
        try (RunningServer server = start()) {
            assertThat(server.raw(RawWebSocket.request(at("/talk"), "Connection: close", version, key)))
                    .startsWith("HTTP/1.1 400"); // Jetty takes it for HTTP/2 and says so
            assertThat(server.raw(RawWebSocket.request(at("/talk"), connection, "Sec-WebSocket-Version: 8", key)))
                    .startsWith("HTTP/1.1 426")
                    .containsIgnoringCase("\r\nSec-WebSocket-Version: 13");
            assertThat(server.raw(RawWebSocket.request(at("/talk"), connection, key)))
                    .startsWith("HTTP/1.1 426");
            for (String bad : List.of("X: y", "Sec-WebSocket-Key: AAAA", key + "\r\n" + key)) {
                assertThat(server.raw(RawWebSocket.request(at("/talk"), connection, version, bad)))
                        .startsWith("HTTP/1.1 400")
                        .contains("Sec-WebSocket-Key must be there once");
            }
            assertThat(server.raw(RawWebSocket.request(at("/talk"), connection, version, key)
                            .replace("HTTP/1.1", "HTTP/1.0")))
                    .contains(" 426 ");
            assertThat(server.raw(RawWebSocket.request(at("/nowhere"), connection, version, key)))
                    .startsWith("HTTP/1.1 404");
            awaitNone(server);
            assertThat(begun).isEmpty();
        }
    }
}
