package dev.holdfast.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.models.loopback.Fault;
import dev.holdfast.models.loopback.LoopbackUpstream;
import dev.holdfast.models.loopback.Pace;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.MessageAssembler.End;
import dev.holdfast.uimessage.UiChunk;
import dev.holdfast.uimessage.UiMessage;
import dev.holdfast.uimessage.UiPart;
import dev.langchain4j.model.openai.OpenAiStreamingChatModel;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The agent with a model of the library against a provider over real HTTP. */
final class LangChain4jAgentTest {

    private LoopbackUpstream upstream = LoopbackUpstream.start(Pace.unlimited());
    private final RecordingTurn turn = new RecordingTurn("Hello?");

    @AfterEach
    void close() {
        upstream.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"openai-chat-text", "deepseek-chat-reasoning", "deepseek-chat-tool-call", "xai-chat-tool-call"})
    @Tag("wire-agents")
    void the_message_has_the_same_parts_as_that_of_the_agent_that_reads_the_wire_itself(String model) throws Exception {
        AgentResult result = agent(model).run(turn);
        RecordingTurn direct = new RecordingTurn("Hello?");
        AgentResult expected = new OpenAiChatAgent(
                        ModelSettings.builder(upstream.baseUrl(), model).build())
                .run(direct);
        assertThat(result).isEqualTo(expected);
        assertThat(turn.raw()).allMatch(chunk -> UiChunk.parse(chunk).acceptedBy(5));
        assertThat(turn.message(End.AWAITING).parts())
                .extracting(UiPart::json)
                .isEqualTo(direct.message(End.AWAITING).parts().stream()
                        .map(UiPart::json)
                        .toList());
    }

    @ParameterizedTest
    @CsvSource({"408,true", "429,true", "500,true", "503,true", "400,false", "401,false", "404,false"})
    void a_refusal_that_may_pass_is_transient(int status, boolean mayPass) {
        upstream.misbehave(new Fault.Refuse(status, "{}"));
        LangChain4jAgent agent = agent("openai-chat-text");
        assertThatThrownBy(() -> agent.run(turn))
                .isInstanceOfSatisfying(
                        ProviderException.class,
                        e -> assertThat(agent.isTransient(e)).as(e.toString()).isEqualTo(mayPass));
    }

    @Test
    void an_answer_that_broke_off_is_transient() {
        for (Fault fault : List.of(new Fault.CutAfter(3), new Fault.CutInside(3), new Fault.EndAfter(3))) {
            upstream.misbehave(fault);
            LangChain4jAgent agent = agent("openai-chat-text");
            assertThatThrownBy(() -> agent.run(new RecordingTurn("Hello?")))
                    .isInstanceOfSatisfying(
                            ProviderException.class,
                            e -> assertThat(agent.isTransient(e))
                                    .as(fault + ": " + e)
                                    .isTrue());
        }
    }

    @Test
    void the_request_says_what_was_asked() throws Exception {
        agent("openai-chat-text").withInstructions("Be brief.").run(turn);
        assertThat(upstream.requests().get(0).body()).contains("Be brief.", "Hello?");
    }

    @Test
    @Tag("wire-usage")
    void the_metadata_says_what_the_answer_cost() throws Exception {
        agent("deepseek-chat-reasoning").run(turn);
        UiMessage message = turn.message(End.COMPLETED);
        assertThat(String.valueOf(message.metadata())).contains("\"totalTokens\":237", "\"finishReason\":\"stop\"");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 150})
    void a_stream_that_ends_early_is_never_taken_for_an_answer(int events) {
        upstream.misbehave(new Fault.EndAfter(events));
        assertThatThrownBy(() -> agent("openai-chat-text").run(turn)).isInstanceOf(ProviderException.Cut.class);
        RecordingTurn cut = new RecordingTurn("Hello?");
        upstream.misbehave(new Fault.CutAfter(events));
        assertThatThrownBy(() -> agent("openai-chat-text").run(cut)).isInstanceOf(ProviderException.Failed.class);
    }

    @Test
    void an_error_status_is_an_error() {
        upstream.misbehave(new Fault.Refuse(429, "{\"error\":\"slow down\"}"));
        assertThatThrownBy(() -> agent("openai-chat-text").run(turn))
                .isInstanceOf(ProviderException.Failed.class)
                .hasMessageContaining("slow down")
                .hasMessageNotContaining("sk-secret");
    }

    @Test
    void a_stop_cancels_the_answer() throws Exception {
        upstream.close();
        upstream = LoopbackUpstream.start(Pace.gated());
        CountDownLatch begun = new CountDownLatch(1);
        turn.onEmit(chunks -> begun.countDown());
        upstream.release(5);
        CompletableFuture<AgentResult> result = AgentRuns.start(agent("openai-chat-text"), turn);
        begun.await();
        turn.stop();
        assertThatThrownBy(result::join).hasCauseInstanceOf(InterruptedException.class);
        upstream.release(400);
        upstream.awaitLostReaders(1);
    }

    private LangChain4jAgent agent(String model) {
        return new LangChain4jAgent(OpenAiStreamingChatModel.builder()
                .baseUrl(upstream.baseUrl().toString())
                .apiKey("sk-secret")
                .modelName(model)
                .returnThinking(true)
                .build());
    }
}
