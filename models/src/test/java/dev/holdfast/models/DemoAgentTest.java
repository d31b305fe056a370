package dev.holdfast.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.turn.MessageAssembler.End;
import dev.holdfast.uimessage.UiChunk;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class DemoAgentTest {

    private final DemoAgent agent = new DemoAgent(Duration.ZERO);

    @Test
    void the_text_says_that_it_is_a_sample() throws Exception {
        RecordingTurn turn = new RecordingTurn("Hello?");
        agent.run(turn);
        assertThat(turn.message(End.COMPLETED).text()).startsWith("**Demo sample.** No model is connected");
        assertThat(turn.raw()).allMatch(chunk -> UiChunk.parse(chunk).acceptedBy(5));
    }

    @Test
    void a_turn_that_lost_its_process_goes_on_at_the_next_chunk() throws Exception {
        // EVERY-CURSOR
        RecordingTurn whole = new RecordingTurn("Hello?");
        agent.run(whole);
        List<String> expected = whole.chunks();
        for (int k = 0; k <= expected.size(); k++) {
            RecordingTurn first = new RecordingTurn("Hello?");
            first.emit(whole.raw().subList(0, k));
            RecordingTurn second = first.lost();
            agent.run(second);
            assertThat(second.chunks()).as("after %d chunks", k).isEqualTo(expected);
        }
    }

    @Test
    void a_stop_ends_the_text() {
        RecordingTurn turn = new RecordingTurn("Hello?");
        turn.onEmit(chunks -> {
            if (chunks == 7) {
                turn.stop();
            }
        });
        assertThatThrownBy(() -> agent.run(turn)).isInstanceOf(InterruptedException.class);
        assertThat(turn.chunks()).hasSize(7);
    }
}
