package dev.holdfast.verification.models;

import static dev.holdfast.verification.rig.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.models.ModelSettings;
import dev.holdfast.models.OpenAiChatAgent;
import dev.holdfast.models.Tool;
import dev.holdfast.models.ToolCall;
import dev.holdfast.models.ToolOutput;
import dev.holdfast.models.Toolbox;
import dev.holdfast.models.loopback.LoopbackUpstream;
import dev.holdfast.models.loopback.Pace;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.turn.Agent;
import dev.holdfast.turn.ToolAnswer;
import dev.holdfast.turn.TurnHandle;
import dev.holdfast.turn.TurnRequest;
import dev.holdfast.turn.TurnSettings;
import dev.holdfast.turn.TurnState;
import dev.holdfast.turn.TurnStatus;
import dev.holdfast.uimessage.UiMessage;
import dev.holdfast.uimessage.UiMessageAssembler;
import dev.holdfast.uimessage.UiPart;
import dev.holdfast.uimessage.UiToolAnswers;
import dev.holdfast.verification.rig.Script;
import dev.langchain4j.agent.tool.ToolSpecification;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Turns whose model calls tools of the server, on a real store and over real HTTP. The model calls {@code weather} for Paris and for Rome. */
class ToolTurnTest {

    private static final String SESSION = "s";
    private static final TurnRequest ASK = TurnRequest.answer(
            "t",
            "agent",
            new MessageDraft(
                    "u",
                    "user",
                    UiMessage.ofUser("u", "Where is it warm?").toBytes(),
                    new MessageDraft.Placement.UnderLeaf(),
                    null));

    private static final ToolSpecification WEATHER =
            ToolSpecification.builder().name("weather").build();

    @TempDir
    Path folder;

    private final LoopbackUpstream upstream = LoopbackUpstream.start(Pace.unlimited());
    private final Map<String, Integer> runs = new ConcurrentHashMap<>();
    private final CountDownLatch romeRuns = new CountDownLatch(1);
    private final CountDownLatch interrupted = new CountDownLatch(1);

    ToolTurnTest() {
        upstream.script(Script::weather);
    }

    @AfterEach
    void close() {
        upstream.close();
    }

    @Test
    void a_process_that_ends_while_a_tool_runs_keeps_the_results_that_were_there() throws Exception {
        Agent agent = agent(hangingInRome());
        try (Holdfast holdfast = open(agent)) {
            TurnStatus begun = holdfast.turns().start(SESSION, ASK).status();
            romeRuns.await();
            await().until(() -> textOf(holdfast, begun).contains("warm in Paris"));
        }
        try (Holdfast holdfast = open(agent)) {
            TurnStatus end = holdfast.turns().start(SESSION, ASK).await();
            assertThat(end.state()).isEqualTo(TurnState.COMPLETED);
            UiMessage message = messageOf(holdfast, end);
            assertThat(message.text()).isEqualTo("It is so.");
            assertThat(calls(message))
                    .extracting(UiPart.Tool::state)
                    .containsExactly("output-available", "output-error");
            assertThat(calls(message).get(1).errorText())
                    .hasValueSatisfying(text -> assertThat(text).contains("interrupted"));
        }
        assertThat(runs)
                .hasSize(2)
                .containsKeys("s/t/c1", "s/t/c2")
                .allSatisfy((key, times) -> assertThat(times).isOne());
        assertThat(upstream.requests().get(1).body()).contains("warm in Paris", "interrupted");
    }

    @Test
    void a_stop_interrupts_the_tool_and_closes_its_call() throws Exception {
        try (Holdfast holdfast = open(agent(hangingInRome()))) {
            TurnHandle turn = holdfast.turns().start(SESSION, ASK);
            romeRuns.await();
            holdfast.turns().stop(SESSION, "t", "enough");
            TurnStatus end = turn.await();
            interrupted.await();
            assertThat(end.state()).isEqualTo(TurnState.STOPPED);
            assertThat(calls(messageOf(holdfast, end))).allMatch(UiPart.Tool::isSettled);
        }
        assertThat(upstream.requests()).hasSize(1);
    }

    @Test
    @Tag("S65")
    @Tag("recovery-park")
    void a_call_that_waits_for_an_approval_waits_over_a_restart() throws Exception {
        Tool weather = Tool.of(WEATHER, this::warm).needingApproval();
        try (Holdfast holdfast = open(agent(weather))) {
            assertThat(holdfast.turns().start(SESSION, ASK).await().state()).isEqualTo(TurnState.AWAITING);
        }
        try (Holdfast holdfast = open(agent(weather))) {
            TurnStatus waiting = holdfast.turns().status(SESSION, "t").orElseThrow();
            assertThat(waiting.state()).isEqualTo(TurnState.AWAITING);
            assertThat(calls(messageOf(holdfast, waiting)))
                    .extracting(UiPart.Tool::state)
                    .containsOnly("approval-requested");
            // Going on without an answer: the calls never run.
            TurnStatus end = holdfast.turns().resume(SESSION, "t", null).await();
            assertThat(end.state()).isEqualTo(TurnState.COMPLETED);
            assertThat(messageOf(holdfast, end).text()).isEqualTo("It is so.");
        }
        assertThat(runs).isEmpty();
    }

    @Test
    @Tag("wire-calls")
    void an_approved_call_runs_after_the_restart_and_a_denied_one_never_does() throws Exception {
        Tool weather = Tool.of(WEATHER, this::warm).needingApproval();
        try (Holdfast holdfast = open(agent(weather))) {
            holdfast.turns().start(SESSION, ASK).await();
            holdfast.turns().answer(SESSION, "t", new ToolAnswer.Approval("c1", true, null));
        }
        try (Holdfast holdfast = open(agent(weather))) {
            assertThat(runs).isEmpty();
            holdfast.turns().answer(SESSION, "t", new ToolAnswer.Approval("c2", false, "too far"));
            TurnStatus end = holdfast.turns().start(SESSION, ASK).await();
            assertThat(end.state()).isEqualTo(TurnState.COMPLETED);
            UiMessage message = messageOf(holdfast, end);
            assertThat(calls(message))
                    .extracting(UiPart.Tool::state)
                    .containsExactly("output-available", "output-denied");
            assertThat(message.text()).isEqualTo("It is so.");
        }
        assertThat(runs).containsOnlyKeys("s/t/c1");
        assertThat(upstream.requests().get(1).body()).contains("warm in Paris", "did not allow this call: too far");
    }

    private Tool hangingInRome() {
        return Tool.of(WEATHER, call -> {
            ToolOutput output = warm(call);
            if (call.input().get("city").asString().equals("Rome")) {
                romeRuns.countDown();
                try {
                    new CountDownLatch(1).await();
                } finally {
                    interrupted.countDown();
                }
            }
            return output;
        });
    }

    private ToolOutput warm(ToolCall call) {
        runs.merge(call.idempotencyKey(), 1, Integer::sum);
        return ToolOutput.text("warm in " + call.input().get("city").asString());
    }

    private Agent agent(Tool tool) {
        return new OpenAiChatAgent(
                        ModelSettings.builder(upstream.baseUrl(), "m").build())
                .withTools(Toolbox.of(tool));
    }

    private Holdfast open(Agent agent) {
        TurnSettings turns = TurnSettings.defaults()
                .withAnswers(new UiToolAnswers())
                .withAssembler(new UiMessageAssembler())
                .withAgent("agent", agent);
        Holdfast holdfast = Holdfast.open(folder, HoldfastSettings.defaults().withTurns(turns));
        holdfast.sessions().create(SESSION);
        return holdfast;
    }

    private static String textOf(Holdfast holdfast, TurnStatus turn) {
        return holdfast.streams().read(Objects.requireNonNull(turn.streamName()), 0, 1 << 20).chunks().stream()
                .map(chunk -> new String(chunk.toByteArray(), StandardCharsets.UTF_8))
                .collect(Collectors.joining());
    }

    private static UiMessage messageOf(Holdfast holdfast, TurnStatus turn) {
        return UiMessage.parse(holdfast.sessions()
                .get(SESSION)
                .message(turn.messageId())
                .orElseThrow()
                .content());
    }

    private static List<UiPart.Tool> calls(UiMessage message) {
        return message.parts().stream()
                .filter(UiPart.Tool.class::isInstance)
                .map(UiPart.Tool.class::cast)
                .toList();
    }
}
