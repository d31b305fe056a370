package dev.holdfast.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.uimessage.UiMessage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A conversation that grew too long is read with a summary; what goes wrong with it costs no answer. */
final class CompactingAgentTest {

    private static final Compaction COMPACTION = new Compaction(500, 1, 120);
    private static final String WORDS = "word ".repeat(80).strip();

    /** Texts that the agent read in its last run. */
    private final List<String> read = new ArrayList<>();

    private final Agent agent = turn -> {
        read.clear();
        Conversation.of(turn, new UiMessage(turn.messageId(), "assistant", List.of()))
                .forEach(message -> read.add(message.text()));
        turn.emit("{\"type\":\"start\"}");
        return AgentResult.completed();
    };

    private static RecordingTurn turn(int messages) {
        List<UiMessage> history = new ArrayList<>();
        for (int i = 0; i < messages; i++) {
            history.add(UiMessage.ofUser("u" + i, i + " " + WORDS));
        }
        return new RecordingTurn(history);
    }

    @Test
    @Tag("S45")
    void the_older_part_is_read_as_its_summary_and_the_rest_as_it_is() throws Exception {
        List<String> transcripts = new ArrayList<>();
        Summarizer summarizer = (turn, transcript, maxTokens) -> {
            transcripts.add(transcript);
            assertThat(maxTokens).isBetween(Compaction.MIN_SUMMARY_TOKENS, 200);
            return "They said words.";
        };
        var unused = new CompactingAgent(agent, summarizer, COMPACTION).run(turn(12));
        assertThat(read).hasSize(5);
        assertThat(read.get(0)).startsWith("0 word");
        assertThat(read.get(1)).startsWith("Summary of").endsWith("They said words.");
        assertThat(read.subList(2, 5))
                .extracting(text -> text.substring(0, text.indexOf(' ')))
                .containsExactly("9", "10", "11");
        // As much as fits at once, and then that summary with what was still too much.
        assertThat(transcripts).hasSize(2);
        assertThat(transcripts.get(0)).contains("1 word", "4 word").doesNotContain("0 word", "5 word");
        assertThat(transcripts.get(1))
                .contains("They said words.", "5 word", "8 word")
                .doesNotContain("9 word");
    }

    @Test
    @Tag("S45")
    void a_short_conversation_is_not_summed_up() throws Exception {
        Summarizer none = (turn, transcript, maxTokens) -> {
            throw new AssertionError("was asked");
        };
        var unused = new CompactingAgent(agent, none, COMPACTION).run(turn(3));
        assertThat(read).hasSize(3);
    }

    @Test
    @Tag("S45")
    void without_a_summary_the_conversation_is_read_as_it_is() throws Exception {
        for (Summarizer broken : List.<Summarizer>of(
                (turn, transcript, maxTokens) -> {
                    throw new IOException("the model is away");
                },
                (turn, transcript, maxTokens) -> "  ",
                (turn, transcript, maxTokens) -> WORDS.repeat(50))) {
            var unused = new CompactingAgent(agent, broken, COMPACTION).run(turn(8));
            assertThat(read).hasSize(8);
        }
    }

    @Test
    void a_stop_ends_the_wait_for_a_summary() {
        RecordingTurn turn = turn(8);
        Summarizer stopped = (asked, transcript, maxTokens) -> {
            turn.stop();
            throw new IOException("cut by the stop");
        };
        assertThatThrownBy(() -> new CompactingAgent(agent, stopped, COMPACTION).run(turn))
                .isInstanceOf(InterruptedException.class);
        assertThat(read).isEmpty();
    }

    @Test
    void what_an_agent_goes_on_with_is_not_folded_under_it() throws Exception {
        RecordingTurn lost = turn(8);
        lost.emit("{\"type\":\"start\"}");
        Summarizer none = (turn, transcript, maxTokens) -> {
            throw new AssertionError("was asked");
        };
        var unused = new CompactingAgent(agent, none, COMPACTION).run(lost.lost());
        assertThat(read).hasSize(8);
    }

    @Test
    void an_agent_sums_up_in_a_conversation_of_its_own() throws Exception {
        RecordingTurn turn = turn(2);
        Agent echo = asked -> {
            String question = Conversation.of(asked, new UiMessage("none", "assistant", List.of()))
                    .getFirst()
                    .text();
            assertThat(question).contains("<conversation>\nwhat was said\n</conversation>", "75 words");
            asked.emit(List.of(
                    "{\"type\":\"start\",\"messageId\":\"summary\"}".getBytes(java.nio.charset.StandardCharsets.UTF_8),
                    "{\"type\":\"text-start\",\"id\":\"t\"}".getBytes(java.nio.charset.StandardCharsets.UTF_8)));
            asked.emit("{\"type\":\"text-delta\",\"id\":\"t\",\"delta\":\"All \"}");
            asked.emit("{\"type\":\"text-delta\",\"id\":\"t\",\"delta\":\"of it.\"}");
            asked.emit("{\"type\":\"text-end\",\"id\":\"t\"}");
            return AgentResult.completed();
        };
        assertThat(Summarizer.by(echo).summarize(turn, "what was said", 100)).isEqualTo("All of it.");
        assertThat(turn.chunks()).isEmpty();
    }
}
