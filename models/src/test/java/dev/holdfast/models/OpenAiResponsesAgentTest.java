package dev.holdfast.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.models.loopback.Fault;
import dev.holdfast.models.loopback.LoopbackUpstream;
import dev.holdfast.models.loopback.Pace;
import dev.holdfast.models.loopback.Recording;
import dev.holdfast.turn.Agent.Recovery;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.uimessage.UiChunk;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The agent against a provider over real HTTP; the provider's runs outlive their readers. */
final class OpenAiResponsesAgentTest {

    private static final String MODEL = "openai-responses-mcp-tool";
    private static final int EVENTS = 373;
    /** Between any two events at the mapper (see {@link MapperEveryCursorTest}), between some of them over HTTP. */
    private static final int STRIDE = 29;

    private LoopbackUpstream upstream = LoopbackUpstream.start(Pace.unlimited());
    private final RecordingTurn turn = new RecordingTurn("Who won?");

    @AfterEach
    void close() {
        upstream.close();
    }

    @Test
    void the_whole_answer_arrives_and_the_id_of_the_run_is_durable_before_it() throws Exception {
        assertThat(agent().run(turn)).isInstanceOf(AgentResult.Completed.class);
        assertThat(turn.chunks()).isEqualTo(expected());
        assertThat(turn.log().get(0)).isEqualTo("remember openai.response");
        assertThat(turn.position()).hasValue(new StepPosition(1, 0).encoded());
    }

    @Test
    @Tag("recovery-attach")
    void a_turn_that_lost_its_process_goes_on_at_the_next_event() throws Exception {
        // EVERY-CURSOR
        for (int k = 1; k < EVENTS; k += k < 28 ? 1 : STRIDE) {
            RecordingTurn first = new RecordingTurn("Who won?");
            upstream.misbehave(new Fault.EndAfter(k), new Fault.Refuse(503, "{}"));
            assertThatThrownBy(() -> agent().run(first)).isInstanceOf(ProviderException.Refused.class);
            assertThat(first.position()).as("after %d events", k).hasValue((long) k);
            assertThat(agent().recover(first.lostTurn())).isEqualTo(Recovery.CONTINUE);
            RecordingTurn second = first.lost();
            agent().run(second);
            assertThat(second.chunks()).as("after %d events", k).isEqualTo(expected());
        }
    }

    @Test
    void a_turn_that_lost_its_process_after_the_last_event_asks_for_nothing() throws Exception {
        agent().run(turn);
        int requests = upstream.requests().size();
        RecordingTurn again = turn.lost();
        assertThat(agent().run(again)).isInstanceOf(AgentResult.Completed.class);
        assertThat(again.chunks()).isEqualTo(expected());
        assertThat(upstream.requests()).hasSize(requests);
    }

    @Test
    void a_turn_whose_run_the_provider_forgot_is_asked_anew() {
        upstream.misbehave(new Fault.EndAfter(30), new Fault.Refuse(503, "{}"));
        assertThatThrownBy(() -> agent().run(turn)).isInstanceOf(ProviderException.class);
        upstream.forgetRuns();
        assertThat(agent().recover(turn.lostTurn())).isEqualTo(Recovery.RETRY);
    }

    @Test
    void a_turn_that_never_learnt_of_its_run_is_asked_anew() {
        upstream.misbehave(new Fault.CutAfter(0));
        assertThatThrownBy(() -> agent().run(turn))
                .as("the client may not have seen an answer at all")
                .isInstanceOfAny(ProviderException.Cut.class, ProviderException.Unreachable.class);
        assertThat(turn.chunks()).isEmpty();
        assertThat(agent().recover(turn.lostTurn())).isEqualTo(Recovery.RETRY);
    }

    @ParameterizedTest
    @ValueSource(ints = {30, 200, 372})
    void a_connection_that_breaks_is_made_again_without_anyone_noticing(int events) throws Exception {
        for (Fault fault :
                List.of(new Fault.CutAfter(events), new Fault.CutInside(events), new Fault.EndAfter(events))) {
            RecordingTurn broken = new RecordingTurn("Who won?");
            upstream.misbehave(fault);
            agent().run(broken);
            assertThat(broken.chunks()).as(fault.toString()).isEqualTo(expected());
        }
    }

    @Test
    void a_connection_that_brings_nothing_is_an_error_and_not_tried_for_ever() {
        upstream.misbehave(new Fault.EndAfter(50), new Fault.EndAfter(0));
        assertThatThrownBy(() -> agent().run(turn)).isInstanceOf(ProviderException.Cut.class);
    }

    @Test
    void a_stop_cancels_the_run_at_the_provider() throws Exception {
        CompletableFuture<AgentResult> result = startedAndHeld();
        turn.stop();
        assertThatThrownBy(result::join).hasCauseInstanceOf(InterruptedException.class);
        upstream.awaitStatus("resp_loopback_1", "cancelled");
    }

    @Test
    void a_drain_leaves_the_run_alone_for_the_next_attempt() throws Exception {
        CompletableFuture<AgentResult> result = startedAndHeld();
        turn.drain();
        assertThatThrownBy(result::join).hasCauseInstanceOf(InterruptedException.class);
        assertThat(upstream.status("resp_loopback_1")).hasValue("in_progress");
        RecordingTurn next = turn.lost();
        upstream.release(EVENTS);
        agent().run(next);
        assertThat(next.chunks()).isEqualTo(expected());
    }

    private CompletableFuture<AgentResult> startedAndHeld() throws InterruptedException {
        upstream.close();
        upstream = LoopbackUpstream.start(Pace.gated());
        CountDownLatch begun = new CountDownLatch(1);
        turn.onEmit(chunks -> {
            if (chunks >= 10) {
                begun.countDown();
            }
        });
        upstream.release(40);
        CompletableFuture<AgentResult> result = AgentRuns.start(agent(), turn);
        begun.await();
        return result;
    }

    private OpenAiResponsesAgent agent() {
        return new OpenAiResponsesAgent(
                ModelSettings.builder(upstream.baseUrl(), MODEL).build());
    }

    private static List<String> expected() {
        ResponsesMapper mapper = new ResponsesMapper("m1");
        List<UiChunk> chunks = new ArrayList<>();
        for (String event : Recording.named(MODEL).orElseThrow().events()) {
            chunks.addAll(mapper.accept(ModelJson.event(event.getBytes(StandardCharsets.UTF_8))));
        }
        return chunks.stream()
                .map(chunk -> new String(chunk.toBytes(), StandardCharsets.UTF_8))
                .toList();
    }
}
