package dev.holdfast.http;

import static dev.holdfast.http.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How a WebSocket ends, whoever ends it, and what a client costs that takes nothing or too much. */
public abstract class SocketEndsContract extends SocketMessagesContract {

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
