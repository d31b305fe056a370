package dev.holdfast.http.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.WebSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.node.ObjectNode;

/** What a WebSocket does: its subprotocol, messages that are no commands, the end of the process. */
@ParameterizedClass
@EnumSource
final class SocketOnlyTest {

    private final Where where;

    SocketOnlyTest(Where where) {
        this.where = where;
    }

    @Test
    void a_socket_of_another_protocol_is_refused_in_words_M38(@TempDir Path folder) throws Exception {
        try (Wire wire = Wire.open(where, folder)) {
            URI uri = URI.create("ws://127.0.0.1:" + wire.http.port() + SessionTransport.PATH);
            for (String offered : new String[] {"holdfast.v0", "chat"}) {
                Assertions.assertThatThrownBy(() -> wire.http
                                .client()
                                .newWebSocketBuilder()
                                .subprotocols(offered)
                                .buildAsync(uri, new WebSocket.Listener() {})
                                .join())
                        .isInstanceOf(CompletionException.class);
            }
            assertThat(wire.there.connections()).isZero();
        }
    }

    @Test
    void a_message_that_is_no_command_is_answered_and_the_socket_lives_M64(@TempDir Path folder) throws Exception {
        try (Wire wire = Wire.open(where, folder);
                Line line = SocketLine.open(wire, null)) {
            ObjectNode nameless = Wire.command("probe");
            nameless.remove("id");
            assertThat(line.command(nameless).get("status").intValue()).isEqualTo(400);
            line.done(Wire.command("probe").put("nonce", "alive"));
            assertThat(line.next("probe").get("nonce").stringValue()).isEqualTo("alive");
        }
    }

    @Test
    void a_process_that_ends_tells_its_clients_to_come_back(@TempDir Path folder) throws Exception {
        try (Wire wire = Wire.open(where, folder);
                Line line = SocketLine.open(wire, null)) {
            wire.there.drain(Duration.ofMinutes(2));
            assertThat(line.next("rotate").get("reason").stringValue()).isEqualTo("draining");
            assertThat(line.read()).isEmpty();
        }
    }
}
