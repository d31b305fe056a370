package dev.holdfast.http;

import static dev.holdfast.http.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.access.ApiKeys;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@link Exchange#upgrade} promises, of every server that it is bound to: over real sockets, with the JDK's client. */
public abstract class WebSocketContract {

    private static final String KEY = "second+key/1234?";

    protected final LinkedBlockingQueue<Talk> begun = new LinkedBlockingQueue<>();

    /** Makes the server under test. */
    protected abstract HttpListener.Factory factory();

    /** The path below which it serves the handler, without a slash at its end. */
    protected abstract String mount();

    /** What a client sees when the exchange is aborted. The JDK's client sometimes overlooks that a connection ended, so another one looks. */
    protected abstract int cut();

    protected final RunningServer start(Trust trust, HttpLimits limits) throws IOException {
        return RunningServer.start(this::routes, trust, limits, factory());
    }

    private RunningServer start() throws IOException {
        return start(Trust.loopback("default"), HttpLimits.defaults());
    }

    private void routes(Router.Builder routes) {
        routes.add("GET", "/talk", call -> upgrade(call.exchange()));
        routes.add("GET", "/late-failure", call -> {
            upgrade(call.exchange());
            throw HttpProblem.badRequest("too late");
        });
        routes.add(
                "GET",
                "/no-opening",
                call -> call.exchange().upgrade(new Upgrade(null, Talk.MAX_BYTES, (socket, wake) -> {
                    throw new IllegalStateException("expected by the test");
                })));
        routes.add("GET", "/aborted", call -> {
            upgrade(call.exchange());
            call.exchange().abort();
        });
        routes.add(
                "GET",
                "/who",
                call -> call.exchange().upgrade(new Upgrade(null, 1, (socket, wake) -> {
                    Talk talk = new Talk(call.exchange(), socket, wake);
                    talk.send(call.principal().name());
                    return talk;
                })));
        routes.mount(new AnyOrigin());
    }

    private void upgrade(Exchange exchange) {
        String chosen =
                Handshake.choose(exchange.head(), List.of("talk.v2", "talk.v1")).orElse(null);
        exchange.upgrade(new Upgrade(chosen, Talk.MAX_BYTES, (socket, wake) -> {
            Talk talk = new Talk(exchange, socket, wake);
            begun.add(talk);
            return talk;
        }));
    }

    /** A wire that any page may call. */
    private final class AnyOrigin implements Mount {
        @Override
        public String prefix() {
            return "/any";
        }

        @Override
        public boolean anyOrigin(String rawPath) {
            return true;
        }

        @Override
        public Exchange dress(Exchange exchange) {
            return exchange;
        }

        @Override
        public void answer(Exchange exchange, Router.Identify identify) {
            upgrade(exchange);
        }
    }

    protected final String at(String path) {
        return mount() + path;
    }

    protected final URI uri(RunningServer server, String path) {
        return URI.create("ws://127.0.0.1:" + server.port() + at(path));
    }

    protected final Talk begun() throws InterruptedException {
        Talk talk = begun.poll(2, TimeUnit.MINUTES);
        if (talk == null) {
            throw new AssertionError("Nothing was opened");
        }
        return talk;
    }

    protected static void awaitNone(RunningServer server) {
        await().until(() -> server.door().open().count() == 0);
    }

    @Test
    void messages_go_both_ways_from_parts_and_from_who_receives() throws Exception {
        try (RunningServer server = start();
                SocketClient client = SocketClient.connect(uri(server, "/talk"))) {
            for (String text : List.of(
                    "one", "direct two", "", "\u00e4\u20ac\ud83d\ude00\n\0", "direct " + "\u20ac".repeat(30_000))) {
                client.send(text);
                assertThat(client.next()).isEqualTo(text);
            }
            Talk talk = begun();
            talk.send("by itself");
            assertThat(client.next()).isEqualTo("by itself");
            assertThat(talk.exchange.gone()).isFalse();
        }
    }

    @Test
    void thousands_of_small_messages_arrive_in_their_order() throws Exception {
        try (RunningServer server = start();
                SocketClient client = SocketClient.connect(uri(server, "/talk"))) {
            int count = 5_000;
            for (int i = 0; i < count; i++) {
                client.send("message " + i);
            }
            for (int i = 0; i < count; i++) {
                assertThat(client.next()).isEqualTo("message " + i);
            }
        }
    }

    @Test
    void no_wake_up_is_lost_while_a_part_runs() throws Exception {
        try (RunningServer server = start();
                SocketClient client = SocketClient.connect(uri(server, "/talk"))) {
            Talk talk = begun();
            for (int i = 0; i < 100; i++) {
                talk.send("one by one " + i);
                assertThat(client.next()).isEqualTo("one by one " + i);
            }
            for (int i = 0; i < 1_000; i++) {
                talk.send("together " + i);
            }
            for (int i = 0; i < 1_000; i++) {
                assertThat(client.next()).isEqualTo("together " + i);
            }
        }
    }

    @Test
    void what_rests_holds_no_thread() throws Exception {
        try (RunningServer server = start();
                SocketClient client = SocketClient.connect(uri(server, "/talk"))) {
            Talk talk = begun();
            for (String text : List.of("a", "b")) {
                talk.send(text);
                assertThat(client.next()).isEqualTo(text);
                await().until(() -> {
                    Thread last = talk.thread;
                    return last != null && !last.isAlive();
                });
            }
        }
    }

    @Test
    void threads_that_send_at_once_send_whole_messages() throws Exception {
        try (RunningServer server = start();
                SocketClient client = SocketClient.connect(uri(server, "/talk"))) {
            Talk talk = begun();
            List<Thread> senders = new ArrayList<>();
            for (String letter : List.of("a", "b", "c")) {
                byte[] text = letter.repeat(20_000).getBytes(StandardCharsets.UTF_8);
                senders.add(Thread.ofVirtual().start(() -> {
                    for (int i = 0; i < 50; i++) {
                        try {
                            talk.socket.sendText(text);
                        } catch (IOException e) {
                            talk.sendFailure = e;
                        }
                    }
                }));
            }
            List<String> got = new ArrayList<>();
            for (int i = 0; i < 150; i++) {
                got.add(client.next());
            }
            for (String letter : List.of("a", "b", "c")) {
                assertThat(got).filteredOn(letter.repeat(20_000)::equals).hasSize(50);
            }
            for (Thread sender : senders) {
                sender.join();
            }
            assertThat(talk.sendFailure).isNull();
        }
    }

    @Test
    void fragments_are_one_message_wherever_they_are_cut() throws Exception {
        try (RunningServer server = start()) {
            try (SocketClient client = SocketClient.connect(uri(server, "/talk"))) {
                client.socket().sendText("frag", false).join();
                client.socket().sendText("", false).join();
                client.socket().sendPing(ByteBuffer.wrap(new byte[] {'p'})).join();
                client.socket().sendText("ments", true).join();
                assertThat(client.next()).isEqualTo("fragments");
                assertThat(client.nextPong()).isEqualTo("p");
                client.send("and the next");
                assertThat(client.next()).isEqualTo("and the next");
            }
            try (RawWebSocket raw = new RawWebSocket(server, at("/talk"))) {
                byte[] text = "\ud83d\ude00\u20ac".getBytes(StandardCharsets.UTF_8);
                for (int i = 0; i < text.length; i++) {
                    raw.send(i == 0 ? RawWebSocket.TEXT : RawWebSocket.CONTINUATION, i == text.length - 1, text[i]);
                }
                assertThat(raw.read(RawWebSocket.TEXT)).isEqualTo(text);
            }
        }
    }

    @Test
    void a_message_may_have_as_many_bytes_as_was_agreed_and_not_one_more() throws Exception {
        String most = "\u20ac".repeat(Talk.MAX_BYTES / 3) + "x".repeat(Talk.MAX_BYTES % 3);
        try (RunningServer server = start()) {
            try (SocketClient client = SocketClient.connect(uri(server, "/talk"))) {
                for (int i = 0; i < 3; i++) {
                    client.send(most);
                    assertThat(client.next()).isEqualTo(most);
                }
                client.socket().sendText(most, false).join();
                client.socket().sendText("x", true).join();
                assertThat(client.closing()).startsWith("1009 ").contains("100000 bytes");
                begun().awaitClosed();
            }
            try (SocketClient client = SocketClient.connect(uri(server, "/talk"))) {
                Talk talk = begun();
                client.send(most.repeat(50)); // is told though most of it is still to come
                assertThat(client.closing()).startsWith("1009 ");
                talk.awaitClosed();
            }
            awaitNone(server);
        }
    }

    @Test
    void a_binary_message_closes_with_1003() throws Exception {
        try (RunningServer server = start();
                SocketClient client = SocketClient.connect(uri(server, "/talk"))) {
            Talk talk = begun();
            client.socket().sendBinary(ByteBuffer.wrap(new byte[1 << 20]), true).join();
            assertThat(client.closing()).startsWith("1003 ");
            talk.awaitClosed();
            awaitNone(server);
        }
    }

    @Test
    void a_text_that_is_no_utf_8_closes_with_1007() throws Exception {
        try (RunningServer server = start();
                RawWebSocket raw = new RawWebSocket(server, at("/talk"))) {
            Talk talk = begun();
            raw.send(RawWebSocket.TEXT, true, (byte) 0xff);
            assertThat(raw.readClose()).isEqualTo(1007);
            talk.awaitClosed();
            awaitNone(server);
        }
    }

    @Test
    void the_end_of_the_last_part_closes_with_1000_behind_what_was_sent() throws Exception {
        try (RunningServer server = start();
                SocketClient client = SocketClient.connect(uri(server, "/talk"))) {
            Talk talk = begun();
            talk.send("last");
            talk.send(Talk.END);
            assertThat(client.next()).isEqualTo("last");
            assertThat(client.closing()).startsWith("1000 ");
            talk.awaitClosed();
            awaitNone(server);
        }
    }

    @Test
    void a_close_with_a_code_and_a_reason_is_told_to_the_client_and_ends_the_rest() throws Exception {
        try (RunningServer server = start();
                SocketClient client = SocketClient.connect(uri(server, "/talk"))) {
            Talk talk = begun();
            client.send("close");
            assertThat(client.closing()).isEqualTo("4000 bye");
            talk.awaitClosed();
            assertThat(talk.exchange.gone()).isTrue();
            assertThatExceptionOfType(IOException.class).isThrownBy(() -> talk.socket.sendText(new byte[0]));
            talk.socket.close(WebSocket.NORMAL, "too late");
            awaitNone(server);
        }
    }

    @Test
    void a_defect_in_who_receives_closes_with_1011_and_tells_no_secret() throws Exception {
        try (RunningServer server = start();
                SocketClient client = SocketClient.connect(uri(server, "/talk"))) {
            client.send("defect");
            assertThat(client.closing()).startsWith("1011 ").doesNotContain("expected");
            begun().awaitClosed();
            awaitNone(server);
        }
    }

    @Test
    void a_failure_of_a_part_is_no_clean_end() throws Exception {
        try (RunningServer server = start();
                RawWebSocket client = new RawWebSocket(server, at("/talk"))) {
            Talk talk = begun();
            talk.send(Talk.FAIL);
            assertThat(client.ending()).isEqualTo(cut());
            talk.awaitClosed();
            awaitNone(server);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/late-failure", "/no-opening", "/aborted"})
    void what_fails_before_the_first_part_leaves_nothing_open(String path) throws Exception {
        try (RunningServer server = start()) {
            try (RawWebSocket client = new RawWebSocket(server, at(path))) {
                assertThat(client.ending()).isEqualTo(cut());
            } catch (RawWebSocket.NotOpenException e) {
                assertThat(e.head()).as("a cut, or the end of it").matches("(?s)|HTTP/1.1 500.*");
            }
            awaitNone(server);
            assertThat(begun).as("opened without an end").isEmpty();
        }
    }

    @Test
    void an_abort_is_no_clean_end() throws Exception {
        try (RunningServer server = start();
                RawWebSocket client = new RawWebSocket(server, at("/talk"))) {
            client.send(RawWebSocket.TEXT, true, (byte) 'a');
            assertThat(client.read(RawWebSocket.TEXT)).containsExactly('a');
            Talk talk = begun();
            talk.exchange.abort();
            assertThat(client.ending()).isEqualTo(cut());
            talk.awaitClosed();
            assertThatExceptionOfType(IOException.class).isThrownBy(() -> talk.socket.sendText(new byte[0]));
            awaitNone(server);
        }
    }

    @Test
    void the_end_of_the_process_cuts_what_rests_and_what_is_received() throws Exception {
        try (RunningServer server = start()) {
            List<RawWebSocket> clients = new ArrayList<>();
            List<Talk> talks = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                clients.add(new RawWebSocket(server, at("/talk")));
                talks.add(begun());
            }
            clients.getFirst().send(RawWebSocket.TEXT, true, "block".getBytes(StandardCharsets.US_ASCII));
            assertThat(talks.getFirst().received.take()).isEqualTo("block");

            server.door().open().abortAll();

            awaitNone(server);
            for (RawWebSocket client : clients) {
                assertThat(client.ending()).isEqualTo(cut());
                client.close();
            }
            talks.forEach(Talk::awaitClosed);
            assertThat(talks.getFirst().interrupted.getCount()).isZero();
        }
    }

    @Test
    void a_client_that_closes_gets_its_answer_and_the_rest_is_let_go_of_once() throws Exception {
        try (RunningServer server = start();
                SocketClient client = SocketClient.connect(uri(server, "/talk"))) {
            Talk talk = begun();
            client.socket().sendClose(4001, "done").join();
            assertThat(client.closing()).matches("4001 .*|1000 .*");
            talk.awaitClosed();
            assertThat(talk.exchange.gone()).isTrue();
            awaitNone(server);
        }
    }

    @Test
    void a_client_that_vanishes_is_noticed_without_a_write() throws Exception {
        try (RunningServer server = start()) {
            Talk talk;
            try (SocketClient client = SocketClient.connect(uri(server, "/talk"))) {
                client.send("hello");
                talk = begun();
                assertThat(client.next()).isEqualTo("hello");
                client.vanish();
                talk.awaitClosed();
            }
            assertThat(talk.exchange.gone()).isTrue();
            assertThatExceptionOfType(IOException.class).isThrownBy(() -> talk.socket.sendText(new byte[0]));
            awaitNone(server);
        }
    }

    @Test
    void a_client_that_takes_nothing_holds_up_only_who_sends_to_it() throws Exception {
        try (RunningServer server = start();
                SocketClient stuck = SocketClient.connectWithoutReading(uri(server, "/talk"))) {
            Talk flooding = begun();
            flooding.send(Talk.FLOOD);
            await().until(() -> {
                Thread sender = flooding.thread;
                return sender != null
                        && (sender.getState() == Thread.State.WAITING
                                || sender.getState() == Thread.State.TIMED_WAITING);
            });
            try (SocketClient other = SocketClient.connect(uri(server, "/talk"))) {
                for (int i = 0; i < 100; i++) {
                    other.send("still there? " + i);
                    assertThat(other.next()).isEqualTo("still there? " + i);
                }
            }
            stuck.send("keep this"); // what it says is heard meanwhile
            assertThat(flooding.received.poll(2, TimeUnit.MINUTES)).isEqualTo("keep this");

            flooding.exchange.abort();

            flooding.awaitClosed();
            assertThat(flooding.sendFailure).isNotNull();
            awaitNone(server);
        }
    }

    @Test
    void a_client_that_is_too_fast_waits_for_who_receives() throws Exception {
        int count = 1_000;
        try (RunningServer server = start();
                SocketClient client = SocketClient.connect(uri(server, "/talk"))) {
            client.send("block");
            Talk talk = begun();
            assertThat(talk.received.take()).isEqualTo("block");
            CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> {
                for (int i = 0; i < count; i++) {
                    client.send("keep " + i + "x".repeat(50_000)); // more than the buffers between take
                }
            });
            try (SocketClient other = SocketClient.connect(uri(server, "/talk"))) {
                for (int i = 0; i < 100; i++) {
                    other.send("quick " + i);
                    assertThat(other.next()).isEqualTo("quick " + i);
                }
            }
            assertThat(sending).isNotDone();
            assertThat(talk.received).isEmpty();

            talk.release.countDown();

            for (int i = 0; i < count; i++) {
                assertThat(talk.received.poll(2, TimeUnit.MINUTES)).startsWith("keep " + i + "x");
            }
            sending.join();
            talk.send(Talk.END);
            talk.awaitClosed();
        }
    }

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

    @Test
    void a_client_that_does_not_answer_a_close_is_cut() throws Exception {
        try (RunningServer server = start();
                RawWebSocket raw = new RawWebSocket(server, at("/talk"))) {
            raw.send(RawWebSocket.TEXT, true, (byte) 'a');
            assertThat(raw.read(RawWebSocket.TEXT)).containsExactly('a'); // Tomcat forgets what closes while it opens
            begun().send(Talk.END);
            assertThat(raw.readClose()).isEqualTo(1000);
            assertThat(raw.in().read()).isEqualTo(-1);
            awaitNone(server);
        }
    }
}
