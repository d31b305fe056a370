package dev.holdfast.http;

import static dev.holdfast.http.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How messages go both ways over a WebSocket. */
public abstract class SocketMessagesContract extends WebSocketFixture {

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
}
