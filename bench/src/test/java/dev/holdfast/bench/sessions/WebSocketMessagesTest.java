package dev.holdfast.bench.sessions;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class WebSocketMessagesTest {

    private final List<String> messages = new ArrayList<>();
    private int closes;

    @Test
    void messages_of_every_kind_of_length_are_the_same_wherever_the_bytes_are_cut() {
        byte[] bytes = serversFrames("{}", "x".repeat(300), "y".repeat(70_000), "z");
        for (int cut = 0; cut <= bytes.length; cut += cut < 400 || cut > bytes.length - 50 ? 1 : 997) {
            messages.clear();
            WebSocketMessages frames = frames();

            frames.bytes(bytes, 0, cut);
            frames.bytes(bytes, cut, bytes.length);

            assertThat(messages).containsExactly("{}", "x".repeat(300), "y".repeat(70_000), "z");
        }
    }

    @Test
    void a_close_is_told_and_a_ping_passed_over() {
        WebSocketMessages frames = frames();

        frames.bytes(new byte[] {(byte) 0x89, 1, 'p', (byte) 0x88, 2, 3, (byte) 0xe8}, 0, 7);

        assertThat(messages).isEmpty();
        assertThat(closes).isEqualTo(1);
    }

    @Test
    void a_command_is_a_masked_frame_of_text() {
        assertThat(WebSocketMessages.frame(Bytes.ascii("{}")))
                .isEqualTo(new byte[] {(byte) 0x81, (byte) 0x82, 0, 0, 0, 0, '{', '}'});
        assertThat(WebSocketMessages.frame(new byte[300])).hasSize(308).startsWith(0x81, 0xfe, 1, 44);
    }

    private WebSocketMessages frames() {
        return new WebSocketMessages(
                (in, from, to) -> messages.add(new String(in, from, to - from, StandardCharsets.US_ASCII)),
                () -> closes++);
    }

    private static byte[] serversFrames(String... texts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (String text : texts) {
            int length = text.length();
            out.write(0x81);
            if (length < 126) {
                out.write(length);
            } else if (length < 65_536) {
                out.write(126);
                out.write(length >> 8);
                out.write(length);
            } else {
                out.write(127);
                for (int shift = 56; shift >= 0; shift -= 8) {
                    out.write((int) ((long) length >> shift));
                }
            }
            out.writeBytes(Bytes.ascii(text));
        }
        return out.toByteArray();
    }
}
