package dev.holdfast.models;

import static dev.holdfast.models.ToolMessages.answer;
import static dev.holdfast.models.ToolMessages.calls;
import static dev.holdfast.models.ToolMessages.edited;
import static dev.holdfast.models.ToolMessages.outputs;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.models.loopback.LoopbackUpstream;
import dev.holdfast.models.loopback.Pace;
import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.MessageAssembler.End;
import dev.holdfast.uimessage.UiMessage;
import dev.holdfast.uimessage.UiPart;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Turns with tools that lose their process, with each agent, over real HTTP. The model calls {@code weather} for Paris and Rome: see {@link Scripts}. */
final class ToolRecoveryTest {

    private static final class Crash extends Error {
        private static final long serialVersionUID = 1L;
    }

    private LoopbackUpstream upstream = LoopbackUpstream.start(Pace.unlimited());
    private final Map<String, Integer> runs = new ConcurrentHashMap<>();
    private final RecordingTurn turn = new RecordingTurn("Where is it warm?");

    @BeforeEach
    void script() {
        upstream.script(Scripts::calling);
    }

    @AfterEach
    void close() {
        upstream.close();
    }

    @ParameterizedTest
    @EnumSource(Wire.class)
    void a_crash_at_any_chunk_runs_no_tool_twice_and_loses_no_result(Wire wire) throws Exception {
        restart(Pace.eventsPerSecond(1000)); // slow enough that most events are emitted one by one
        Agent agent = agent(wire, weather());
        agent.run(turn);
        int emissions = (int)
                turn.log().stream().filter(line -> line.startsWith("emit")).count();
        UiMessage whole = turn.message(End.COMPLETED);
        for (int k = 1; k <= emissions; k++) {
            runs.clear();
            RecordingTurn first = new RecordingTurn("Where is it warm?");
            int at = k;
            int[] count = {0};
            first.onEmit(chunks -> {
                if (++count[0] == at) {
                    throw new Crash();
                }
            });
            try {
                agent.run(first);
            } catch (Crash e) {
                // As meant; the number of emissions varies a little with how events arrive.
            }
            RecordingTurn second = first.recovered(agent);
            assertThat(agent.run(second)).as("after emission %d", k).isInstanceOf(AgentResult.Completed.class);
            UiMessage message = second.message(End.COMPLETED);
            assertThat(message.text()).as("after emission %d", k).isEqualTo(whole.text());
            assertThat(message.parts()).as("after emission %d", k).hasSameSizeAs(whole.parts());
            assertThat(runs.values()).as("after emission %d", k).allMatch(times -> times <= 1);
            for (UiPart.Tool call : calls(message)) {
                String city = call.input().orElseThrow().get("city").asString();
                assertThat(call.output().map(Object::toString).or(call::errorText))
                        .as("after emission %d", k)
                        .isIn(Optional.of("\"warm in " + city + "\""), Optional.of(Conversation.INTERRUPTED));
            }
        }
    }

    @Test
    @Tag("recovery-interrupt")
    void a_result_that_is_durable_is_used_again_and_an_interrupted_call_is_closed() throws Exception {
        CountDownLatch romeRuns = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        Tool tool = Tool.of(Wire.WEATHER, call -> {
            count(call);
            if (call.input().get("city").asString().equals("Rome")) {
                romeRuns.countDown();
                never.await();
            }
            romeRuns.await();
            return ToolOutput.text("warm in Paris");
        });
        Agent agent = agent(Wire.CHAT, tool);
        turn.onEmit(chunks -> {
            if (turn.chunks().get(chunks - 1).contains("tool-output-available")) {
                throw new Crash();
            }
        });
        assertThatThrownBy(() -> agent.run(turn)).isInstanceOf(Crash.class);
        RecordingTurn second = turn.recovered(agent);
        agent.run(second);
        assertThat(runs).hasSize(2).allSatisfy((key, times) -> assertThat(times).isOne());
        assertThat(outputs(second.message(End.COMPLETED))).containsExactly("warm in Paris", Conversation.INTERRUPTED);
        assertThat(upstream.requests().get(1).body()).contains("warm in Paris", Conversation.INTERRUPTED);
    }

    @Test
    void an_interrupted_call_of_a_repeatable_tool_runs_again_with_the_same_key() throws Exception {
        List<String> keys = new ArrayList<>();
        Tool tool = Tool.of(Wire.WEATHER, call -> {
                    if (call.input().get("city").asString().equals("Paris")) {
                        keys.add(call.idempotencyKey());
                    }
                    return ToolOutput.text("warm");
                })
                .repeatable();
        Agent agent = agent(Wire.CHAT, tool);
        turn.onEmit(chunks -> {
            if (turn.recall("holdfast.tools").isPresent()) {
                throw new Crash(); // with the first result, before the second or together with it
            }
        });
        assertThatThrownBy(() -> agent.run(turn)).isInstanceOf(Crash.class);
        RecordingTurn second = turn.recovered(agent);
        agent.run(second);
        assertThat(outputs(second.message(End.COMPLETED))).containsExactly("warm", "warm");
        assertThat(keys).isNotEmpty().allMatch("s1/t1/c1"::equals);
    }

    @Test
    void an_answer_that_a_crash_interrupted_is_asked_anew_in_the_same_step() throws Exception {
        restart(Pace.gated());
        upstream.release(6 + 1); // all of the first answer, and the first event of the second
        turn.onEmit(chunks -> {
            if (turn.chunks().get(chunks - 1).contains("It is ")) {
                throw new Crash();
            }
        });
        Agent agent = agent(Wire.CHAT, weather());
        assertThatThrownBy(() -> agent.run(turn)).isInstanceOf(Crash.class);
        upstream.release(100);
        RecordingTurn second = turn.recovered(agent);
        agent.run(second);
        assertThat(second.chunks())
                .filteredOn(chunk -> chunk.contains("reset-step"))
                .hasSize(1);
        assertThat(second.message(End.COMPLETED).text()).isEqualTo("I look." + Scripts.SAID);
        assertThat(runs.values()).hasSize(2).containsOnly(1);
    }

    @Test
    void a_run_that_the_provider_forgot_meanwhile_is_asked_anew_in_the_same_step() throws Exception {
        restart(Pace.gated());
        upstream.release(6 + 2);
        turn.onEmit(chunks -> {
            if (turn.chunks().get(chunks - 1).contains("It is ")) {
                throw new Crash();
            }
        });
        Agent agent = agent(Wire.RESPONSES, weather());
        assertThatThrownBy(() -> agent.run(turn)).isInstanceOf(Crash.class);
        upstream.forgetRuns();
        upstream.release(100);
        RecordingTurn second = turn.recovered(agent);
        agent.run(second);
        assertThat(second.chunks())
                .filteredOn(chunk -> chunk.contains("reset-step"))
                .hasSize(1);
        assertThat(second.message(End.COMPLETED).text()).isEqualTo("I look." + Scripts.SAID);
        assertThat(runs.values()).hasSize(2).containsOnly(1);
    }

    @Test
    void a_crash_while_an_approved_call_runs_does_not_run_it_again() throws Exception {
        Agent agent = agent(Wire.CHAT, weather().needingApproval());
        agent.run(turn);
        UiMessage waiting = turn.message(End.AWAITING);
        UiMessage approved = edited(waiting, "c1", answer(true));
        RecordingTurn resumed = new RecordingTurn("Where is it warm?")
                .written(edited(approved, "c2", answer(true)))
                .onEmit(chunks -> {
                    throw new Crash();
                });
        assertThatThrownBy(() -> agent.run(resumed)).isInstanceOf(Crash.class);
        RecordingTurn second = resumed.recovered(agent);
        assertThat(agent.run(second)).isInstanceOf(AgentResult.Completed.class);
        assertThat(runs.values()).containsOnly(1);
        assertThat(second.message(End.COMPLETED).text()).isEqualTo("I look." + Scripts.SAID);
    }

    private void restart(Pace pace) {
        upstream.close();
        upstream = LoopbackUpstream.start(pace);
        upstream.script(Scripts::calling);
    }

    private Agent agent(Wire wire, Tool tool) {
        return wire.agent(upstream, Toolbox.of(tool));
    }

    private Tool weather() {
        return Tool.of(Wire.WEATHER, call -> {
            count(call);
            return ToolOutput.text("warm in " + call.input().get("city").asString());
        });
    }

    private void count(ToolCall call) {
        runs.merge(call.idempotencyKey(), 1, Integer::sum);
    }
}
