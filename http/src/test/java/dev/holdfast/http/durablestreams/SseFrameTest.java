package dev.holdfast.http.durablestreams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.stream.ReadBatch;
import dev.holdfast.stream.StreamState;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The bytes of events. */
final class SseFrameTest {

    private static final String OFFSET = "0000000000000000_0000000000000003";

    private static String frame(ReadBatch batch) {
        return new String(SseFrame.of(Content.TEXT, batch, 42), StandardCharsets.UTF_8);
    }

    @Test
    void a_batch_without_data_is_a_control_event() {
        assertThat(frame(new ReadBatch(List.of(), 3, 3, StreamState.LIVE, null)))
                .isEqualTo("event: control\ndata:{\"streamNextOffset\":\"" + OFFSET
                        + "\",\"streamCursor\":\"42\",\"upToDate\":true}\nid:" + OFFSET + "\n\n");
    }

    @Test
    void behind_the_tail_nothing_is_up_to_date_and_at_the_end_there_is_no_cursor_S35() {
        assertThat(frame(new ReadBatch(List.of(), 3, 9, StreamState.COMPLETED, null)))
                .contains("\"streamCursor\":\"42\"}")
                .doesNotContain("upToDate")
                .doesNotContain("streamClosed");
        assertThat(frame(new ReadBatch(List.of(), 3, 3, StreamState.COMPLETED, null)))
                .contains("\"upToDate\":true,\"streamClosed\":true}")
                .doesNotContain("streamCursor");
    }
}
