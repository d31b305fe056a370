package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is read of the head of a request for a WebSocket, and what a close frame may say. */
final class HandshakeTest {

    private static RequestHead head(String method, String... fields) {
        Headers headers = new Headers();
        for (int i = 0; i < fields.length; i += 2) {
            headers.add(fields[i], fields[i + 1]);
        }
        return new RequestHead(method, "", "/", null, headers, "HTTP/1.1", "http", "127.0.0.1", null);
    }

    private static RequestHead offering(String... lists) {
        String[] fields = new String[2 + 2 * lists.length];
        fields[0] = "Upgrade";
        fields[1] = "websocket";
        for (int i = 0; i < lists.length; i++) {
            fields[2 + 2 * i] = "Sec-WebSocket-Protocol";
            fields[3 + 2 * i] = lists[i];
        }
        return head("GET", fields);
    }

    @Test
    void it_is_asked_for_by_a_get_with_that_upgrade() {
        assertThat(Handshake.isAsked(head("GET", "upgrade", "WebSocket"))).isTrue();
        assertThat(Handshake.isAsked(head("GET", "Upgrade", "h2c, websocket"))).isTrue();
        assertThat(Handshake.isAsked(head("GET", "Upgrade", "websockets"))).isFalse();
        assertThat(Handshake.isAsked(head("POST", "Upgrade", "websocket"))).isFalse();
        assertThat(Handshake.isAsked(head("GET"))).isFalse();
    }

    @Test
    void the_offered_subprotocols_are_those_of_all_lists_without_keys() {
        RequestHead head = offering(" b ,,a", "holdfast.bearer.a2V5LTEyMzQ", "c,");
        assertThat(Handshake.subprotocols(head)).containsExactly("b", "a", "c");
        assertThat(Handshake.choose(head, List.of("x", "a", "b"))).contains("a");
        assertThat(Handshake.choose(head, List.of("A"))).isEmpty();
        assertThat(Handshake.choose(head, List.of("holdfast.bearer.a2V5LTEyMzQ")))
                .isEmpty();
        assertThat(Handshake.key(head)).contains("key-1234");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a",
                "holdfast.bearer.*",
                "HOLDFAST.BEARER.a2V5LTEyMzQ",
                "holdfast.bearer.a2V5LTEyMzQ,holdfast.bearer.a2V5LTEyMzQ"
            })
    void anything_else_is_no_key(String offered) {
        assertThat(Handshake.key(offering(offered))).isEqualTo(Optional.empty());
    }

    @Test
    void the_reason_of_a_close_is_cut_between_two_characters() {
        assertThat(new Closing(1000, "short").reason()).isEqualTo("short");
        assertThat(new Closing(1000, "x".repeat(123)).reason()).hasSize(123);
        String cut = new Closing(4999, "xx" + "\ud83d\ude00".repeat(100)).reason();
        assertThat(cut).isEqualTo("xx" + "\ud83d\ude00".repeat(30));
        assertThat(cut.getBytes(StandardCharsets.UTF_8)).hasSize(122);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 999, 1004, 1005, 1006, 1014, 1015, 2999, 5000})
    void no_close_frame_has_a_code_that_none_may_have(int code) {
        assertThatIllegalArgumentException().isThrownBy(() -> new Closing(code, ""));
    }
}
