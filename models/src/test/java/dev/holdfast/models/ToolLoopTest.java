package dev.holdfast.models;

import static dev.holdfast.models.ToolMessages.answered;
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
import dev.holdfast.uimessage.UiChunk;
import dev.holdfast.uimessage.UiMessage;
import dev.holdfast.uimessage.UiPart;
import dev.langchain4j.agent.tool.ToolSpecification;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/** Tools of the server and of the client with each agent, over real HTTP. The model calls {@code weather} for Paris and Rome: see {@link Scripts}. */
final class ToolLoopTest {

    private final LoopbackUpstream upstream = LoopbackUpstream.start(Pace.unlimited());
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
    @Tag("wire-tools")
    @Tag("wire-usage")
    void the_calls_of_an_answer_run_and_the_model_goes_on_with_their_results(Wire wire) throws Exception {
        AgentResult result = agent(wire, weather()).run(turn);
        assertThat(result).isInstanceOf(AgentResult.Completed.class);
        assertThat(turn.raw()).allMatch(chunk -> UiChunk.parse(chunk).acceptedBy(5));
        assertThat(turn.chunks())
                .filteredOn(chunk -> chunk.contains("\"start\""))
                .hasSize(1);
        assertThat(turn.chunks())
                .filteredOn(chunk -> chunk.contains("\"finish\""))
                .hasSize(1);
        UiMessage message = turn.message(End.COMPLETED);
        assertThat(message.parts())
                .extracting(UiPart::type)
                .containsExactly("step-start", "text", "tool-weather", "tool-weather", "step-start", "text");
        assertThat(message.text()).isEqualTo("I look." + Scripts.SAID);
        assertThat(outputs(message)).containsExactly("warm in Paris", "warm in Rome");
        JsonNode metadata = Objects.requireNonNull(message.metadata());
        assertThat(metadata.at("/usage/inputTokens").asInt()).isEqualTo(20);
        assertThat(metadata.at("/usage/outputTokens").asInt()).isEqualTo(10);
        assertThat(metadata.at("/finishReason").asString()).isEqualTo("stop");
        assertThat(upstream.requests()).hasSize(2);
        assertThat(upstream.requests().get(0).body()).contains("The weather of a city.");
        assertThat(upstream.requests().get(1).body()).contains("warm in Paris", "warm in Rome");
    }

    @Test
    void the_calls_of_an_answer_run_at_the_same_time_and_each_result_is_emitted_when_it_is_there() throws Exception {
        CyclicBarrier both = new CyclicBarrier(2);
        CountDownLatch romeIsDurable = new CountDownLatch(1);
        turn.onEmit(chunks -> {
            if (turn.chunks().get(chunks - 1).contains("warm in Rome")) {
                romeIsDurable.countDown();
            }
        });
        Tool tool = Tool.of(Wire.WEATHER, call -> {
            both.await();
            String city = call.input().get("city").asString();
            if (city.equals("Paris")) {
                romeIsDurable.await();
            }
            return ToolOutput.text("warm in " + city);
        });
        agent(Wire.CHAT, tool).run(turn);
        assertThat(outputs(turn.message(End.COMPLETED))).containsExactly("warm in Paris", "warm in Rome");
    }

    @Test
    void a_call_whose_time_is_over_ends_with_an_error_and_the_model_goes_on() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        Tool tool = Tool.of(Wire.WEATHER, call -> {
                    never.await();
                    return ToolOutput.text("too late");
                })
                .withTimeout(Duration.ofMillis(5));
        assertThat(agent(Wire.CHAT, tool).run(turn)).isInstanceOf(AgentResult.Completed.class);
        assertThat(outputs(turn.message(End.COMPLETED))).allMatch(output -> output.contains("no result after 5 ms"));
        assertThat(upstream.requests().get(1).body()).contains("no result after 5 ms");
    }

    @Test
    void a_tool_that_fails_or_says_too_much_ends_its_call_with_an_error() throws Exception {
        Tool tool = Tool.of(Wire.WEATHER, call -> {
            if (call.input().get("city").asString().equals("Paris")) {
                throw new IllegalStateException("no such city");
            }
            return ToolOutput.text("x".repeat(ModelLimits.MAX_TOOL_OUTPUT_BYTES));
        });
        assertThat(agent(Wire.CHAT, tool).run(turn)).isInstanceOf(AgentResult.Completed.class);
        List<String> outputs = outputs(turn.message(End.COMPLETED));
        assertThat(outputs.get(0)).contains("no such city");
        assertThat(outputs.get(1)).contains("at most " + ModelLimits.MAX_TOOL_OUTPUT_BYTES);
    }

    @Test
    void a_stop_interrupts_the_tools_that_run() throws Exception {
        CountDownLatch running = new CountDownLatch(2);
        CountDownLatch interrupted = new CountDownLatch(2);
        Tool tool = Tool.of(Wire.WEATHER, call -> {
            running.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.countDown();
                throw e;
            }
            return ToolOutput.text("never");
        });
        CompletableFuture<AgentResult> result = AgentRuns.start(agent(Wire.CHAT, tool), turn);
        running.await();
        turn.stop();
        assertThatThrownBy(result::join).hasCauseInstanceOf(InterruptedException.class);
        interrupted.await();
        assertThat(turn.message(End.STOPPED).parts())
                .filteredOn(UiPart.Tool.class::isInstance)
                .hasSize(2);
        assertThat(upstream.requests()).hasSize(1);
    }

    @Test
    @Tag("row-12")
    void calls_of_the_client_wait_and_those_of_the_server_do_not() throws Exception {
        upstream.answer(Scripts.recording(
                "{'model':'m','choices':[{'index':0,'delta':{'tool_calls':[{'index':0,'id':'c1','function':{'name':'weather','arguments':'{`city`:`Paris`}'}},"
                        + "{'index':1,'id':'c2','function':{'name':'locate','arguments':'{}'}}]}}]}",
                "{'choices':[{'index':0,'delta':{},'finish_reason':'tool_calls'}]}"));
        Toolbox tools = Toolbox.of(
                weather(),
                Tool.ofClient(ToolSpecification.builder().name("locate").build()));
        Agent agent = Wire.CHAT.agent(upstream, tools);
        assertThat(agent.run(turn)).isEqualTo(AgentResult.awaiting("tool results"));
        UiMessage waiting = turn.message(End.AWAITING);
        assertThat(calls(waiting))
                .extracting(UiPart.Tool::state)
                .containsExactly("output-available", "input-available");
        assertThat(calls(waiting)).extracting(UiPart.Tool::isProviderExecuted).containsExactly(true, false);
        assertThat(turn.lost()).satisfies(lost -> assertThat(agent.run(lost)).isInstanceOf(AgentResult.Awaiting.class));

        UiMessage answered = edited(waiting, "c2", "{\"state\":\"output-available\",\"output\":\"here\"}");
        RecordingTurn resumed = new RecordingTurn("Where is it warm?").written(answered);
        assertThat(agent.run(resumed)).isInstanceOf(AgentResult.Completed.class);
        assertThat(resumed.message(End.COMPLETED).text()).isEqualTo(Scripts.SAID);
        assertThat(runs).hasSize(1);
        assertThat(upstream.requests().get(1).body()).contains("warm in Paris", "here");
    }

    @Test
    void a_tool_that_nobody_has_is_an_error_that_the_model_is_told() throws Exception {
        Tool other = Tool.of(ToolSpecification.builder().name("other").build(), call -> ToolOutput.text("?"));
        assertThat(agent(Wire.CHAT, other).run(turn)).isInstanceOf(AgentResult.Completed.class);
        assertThat(outputs(turn.message(End.COMPLETED))).containsOnly("There is no tool named \"weather\".");
    }

    @Test
    void calls_that_need_an_approval_wait_for_it_and_run_or_not() throws Exception {
        Tool tool = weather()
                .needingApproval(call -> call.input().get("city").asString().equals("Rome"));
        Agent agent = agent(Wire.CHAT, tool);
        assertThat(agent.run(turn)).isEqualTo(AgentResult.awaiting("approval"));
        UiMessage waiting = turn.message(End.AWAITING);
        assertThat(calls(waiting))
                .extracting(UiPart.Tool::state)
                .containsExactly("output-available", "approval-requested");
        assertThat(runs.keySet()).containsExactly("s1/t1/c1");

        RecordingTurn allowed = new RecordingTurn("Where is it warm?").written(answered(waiting, true));
        assertThat(agent.run(allowed)).isInstanceOf(AgentResult.Completed.class);
        assertThat(outputs(allowed.message(End.COMPLETED))).containsExactly("warm in Paris", "warm in Rome");
        assertThat(runs.values()).containsOnly(1);

        RecordingTurn denied = new RecordingTurn("Where is it warm?").written(answered(waiting, false));
        assertThat(agent.run(denied)).isInstanceOf(AgentResult.Completed.class);
        assertThat(calls(denied.message(End.COMPLETED)))
                .extracting(UiPart.Tool::state)
                .containsExactly("output-available", "output-denied");
        assertThat(upstream.requests().get(2).body()).contains("did not allow this call: too far");
        assertThat(runs.values()).containsOnly(1);

        RecordingTurn ignored = new RecordingTurn("Where is it warm?").written(waiting);
        agent.run(ignored);
        assertThat(outputs(ignored.message(End.COMPLETED))).containsExactly("warm in Paris", Conversation.INTERRUPTED);
    }

    @Test
    void a_turn_takes_a_bounded_number_of_steps() throws Exception {
        upstream.script(request -> Optional.of(Scripts.calls(request.path())));
        Agent agent = Wire.CHAT.agent(upstream, Toolbox.of(weather()).withMaxSteps(3));
        assertThat(agent.run(turn)).isInstanceOf(AgentResult.Completed.class);
        assertThat(upstream.requests()).hasSize(3);
        List<String> outputs = outputs(turn.message(End.COMPLETED));
        assertThat(outputs).hasSize(6);
        assertThat(outputs.subList(4, 6)).allMatch(output -> output.contains("limit of 3 steps"));
        // A provider that gives the same ids in each answer does not make two calls one.
        assertThat(runs).hasSize(4).containsKeys("s1/t1/c1", "s1/t1/c1#2");
    }

    @Test
    @Tag("wire-tools")
    void an_executor_sees_the_call_in_the_words_of_langchain4j_and_the_turn_to_nest_in() throws Exception {
        AtomicReference<ToolCall> seen = new AtomicReference<>();
        agent(Wire.CHAT, Tool.of(Wire.WEATHER, call -> {
                    seen.set(call);
                    return ToolOutput.parsed("{\"degrees\":7}");
                }))
                .run(turn);
        assertThat(seen.get().turn()).isSameAs(turn);
        assertThat(seen.get().request().name()).isEqualTo("weather");
        assertThat(seen.get().request().arguments()).contains("city");
        assertThat(outputs(turn.message(End.COMPLETED))).containsOnly("{\"degrees\":7}");
    }

    @Test
    void two_tools_of_one_name_are_refused() {
        assertThatThrownBy(() -> Toolbox.of(weather(), weather()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("weather");
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
