package dev.holdfast.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.MessageAssembler.End;
import dev.holdfast.uimessage.UiChunk;
import dev.holdfast.uimessage.UiMessage;
import dev.holdfast.uimessage.UiPart;
import java.nio.charset.StandardCharsets;
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

    @Test
    void a_call_that_asks_waits_and_goes_on_as_it_was_answered() throws Exception {
        RecordingTurn turn = new RecordingTurn("Run a tool, and let me approve it");
        assertThat(agent.run(turn)).isEqualTo(AgentResult.awaiting("approval"));
        UiMessage asked = turn.message(End.AWAITING);
        assertThat(tool(asked).state()).isEqualTo("approval-requested");
        for (boolean approved : new boolean[] {true, false}) {
            RecordingTurn answered =
                    new RecordingTurn("Run a tool, and let me approve it").written(answered(asked, approved));
            assertThat(agent.run(answered)).isEqualTo(AgentResult.completed());
            assertThat(tool(answered.message(End.COMPLETED)).state())
                    .isEqualTo(approved ? "output-available" : "output-denied");
        }
    }

    private static UiPart.Tool tool(UiMessage message) {
        return message.parts().stream()
                .filter(part -> part instanceof UiPart.Tool)
                .map(part -> (UiPart.Tool) part)
                .findFirst()
                .orElseThrow();
    }

    private static UiMessage answered(UiMessage asked, boolean approved) {
        String json = new String(asked.toBytes(), StandardCharsets.UTF_8)
                .replace("approval-requested", "approval-responded")
                .replace("\"id\":\"approval-call-1\"", "\"id\":\"approval-call-1\",\"approved\":" + approved);
        return UiMessage.parse(json.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void a_failure_that_was_asked_for_leaves_what_was_written() {
        RecordingTurn turn = new RecordingTurn("Please fail");
        assertThatThrownBy(() -> agent.run(turn)).hasMessage(DemoScript.FAILURE);
        assertThat(turn.message(End.FAILED).text()).startsWith("**Demo.** This answer breaks off");
    }

    @Test
    void words_of_the_message_choose_what_is_shown() throws Exception {
        assertThat(chunkTypes("Show me markdown")).contains("reasoning-delta", "text-delta");
        assertThat(chunkTypes("Call a tool")).contains("tool-input-delta", "tool-output-available");
        assertThat(chunkTypes("A long answer").size()).isGreaterThan(500);
        assertThat(chunkTypes("Belonging and failure"))
                .doesNotContain("reasoning-delta")
                .hasSizeLessThan(200);
    }

    private List<String> chunkTypes(String question) throws Exception {
        RecordingTurn turn = new RecordingTurn(question);
        agent.run(turn);
        return turn.raw().stream().map(chunk -> UiChunk.parse(chunk).type()).toList();
    }
}
