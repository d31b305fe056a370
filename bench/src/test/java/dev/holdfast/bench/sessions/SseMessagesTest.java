package dev.holdfast.bench.sessions;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SseMessagesTest {

    @Test
    void messages_are_the_same_wherever_the_content_is_cut() {
        byte[] content = Bytes.ascii("retry: 2000\n\ndata: {\"a\":1}\n\n:\n\ndata: {\"b\":2}\n\n");
        for (int cut = 0; cut <= content.length; cut++) {
            List<String> messages = new ArrayList<>();
            SseMessages lines = new SseMessages(
                    (in, from, to) -> messages.add(new String(in, from, to - from, StandardCharsets.US_ASCII)));

            lines.bytes(content, 0, cut);
            lines.bytes(content, cut, content.length);

            assertThat(messages).containsExactly("{\"a\":1}", "{\"b\":2}");
        }
    }
}
