package dev.holdfast.http.sse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class SseFramesTest {

    private static String frame(@Nullable String name, @Nullable String id, String data) {
        SseFrames frames = new SseFrames();
        frames.event(name, id, ByteBuffer.wrap(data.getBytes(StandardCharsets.UTF_8)));
        return new String(frames.take(), StandardCharsets.UTF_8);
    }

    @Test
    void an_event_has_its_name_its_id_and_its_data() {
        assertThat(frame("turn-ended", "c1", "{}")).isEqualTo("event: turn-ended\nid: c1\ndata: {}\n\n");
        assertThat(frame(null, null, "x")).isEqualTo("data: x\n\n");
    }

    @Test
    void each_line_of_data_is_a_field_of_its_own_whatever_ends_it() {
        assertThat(frame(null, null, "a\nb\r\nc\rd\n")).isEqualTo("data: a\ndata: b\ndata: c\ndata: d\ndata: \n\n");
        assertThat(frame(null, null, "")).isEqualTo("data: \n\n");
    }

    @Test
    void data_cannot_forge_a_field() {
        assertThat(frame(null, null, "x\nid: 7\n\nevent: evil"))
                .isEqualTo("data: x\ndata: id: 7\ndata: \ndata: event: evil\n\n");
    }

    @Test
    void a_name_or_id_with_a_line_break_is_a_defect() {
        assertThatThrownBy(() -> frame("a\nb", null, "")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> frame(null, "a\rb", "")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void a_comment_and_a_retry_hint_are_frames_without_an_event() {
        SseFrames frames = new SseFrames().retry(Duration.ofSeconds(2)).comment("");
        assertThat(new String(frames.take(), StandardCharsets.UTF_8)).isEqualTo("retry: 2000\n\n:\n\n");
        assertThat(frames.isEmpty()).isTrue();
    }
}
