package dev.holdfast.verification.models;

import static dev.holdfast.verification.rig.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.models.AgentTool;
import dev.holdfast.models.ModelSettings;
import dev.holdfast.models.OpenAiChatAgent;
import dev.holdfast.models.Tool;
import dev.holdfast.models.Toolbox;
import dev.holdfast.models.loopback.LoopbackRequest;
import dev.holdfast.models.loopback.LoopbackUpstream;
import dev.holdfast.models.loopback.Pace;
import dev.holdfast.models.loopback.Recording;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.session.SessionInfo;
import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.NestedTurn;
import dev.holdfast.turn.StopResult;
import dev.holdfast.turn.TurnContext;
import dev.holdfast.turn.TurnHandle;
import dev.holdfast.turn.TurnLimits;
import dev.holdfast.turn.TurnRequest;
import dev.holdfast.turn.TurnSettings;
import dev.holdfast.turn.TurnState;
import dev.holdfast.turn.TurnStatus;
import dev.holdfast.uimessage.UiMessage;
import dev.holdfast.uimessage.UiMessageAssembler;
import dev.holdfast.uimessage.UiPart;
import dev.holdfast.verification.rig.Script;
import dev.langchain4j.agent.tool.ToolSpecification;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A model that calls another agent as its tool, on a real store. The inner agent says two words, each when the test lets it. */
final class NestedAgentTest {

    private static final String SESSION = "outer";
    private static final TurnRequest ASK = TurnRequest.answer(
            "t",
            "outer",
            MessageDraft.of("u", "user", UiMessage.ofUser("u", "What is it?").toBytes()));

    @TempDir
    Path folder;

    private final LoopbackUpstream upstream = LoopbackUpstream.start(Pace.unlimited());
    private final Semaphore words = new Semaphore(0);
    private final CountDownLatch innerBegan = new CountDownLatch(1);
    private volatile List<String> answer = List.of("one ", "two");
    private volatile boolean fails;

    NestedAgentTest() {
        upstream.script(this::answer);
    }

    @AfterEach
    void close() {
        upstream.close();
    }

    @Test
    void the_inner_answer_is_shown_as_it_grows_and_its_stream_is_kept_until_the_outer_turn_ends_S55() throws Exception {
        try (Holdfast holdfast = open(tool -> tool)) {
            TurnHandle turn = holdfast.turns().start(SESSION, ASK);
            words.release();
            await().until(() -> chunks(holdfast, turn.status()).contains("\"output\":\"one \",\"preliminary\":true"));
            TurnStatus inner = inner(holdfast);
            assertThat(inner.state()).isEqualTo(TurnState.STREAMING);
            words.release();
            TurnStatus end = turn.await();
            assertThat(end.state()).isEqualTo(TurnState.COMPLETED);
            assertThat(call(holdfast, end).output().orElseThrow().stringValue()).isEqualTo("one two");
            assertThat(call(holdfast, end).state()).isEqualTo("output-available");
            assertThat(call(holdfast, end).isSettled()).isTrue();
            assertThat(message(holdfast, SESSION, end).text()).isEqualTo("It is so.");
            assertThat(holdfast.streams().status(Objects.requireNonNull(inner.streamName())))
                    .isEmpty();
            assertThat(message(holdfast, inner.sessionId(), inner(holdfast)).text())
                    .isEqualTo("one two");
        }
        assertThat(upstream.requests()).hasSize(2);
        assertThat(upstream.requests().get(1).body()).contains("one two");
    }

    @Test
    void a_process_that_ends_in_between_loses_neither_turn_and_begins_neither_twice_S55() throws Exception {
        try (Holdfast holdfast = open(tool -> tool)) {
            TurnStatus begun = holdfast.turns().start(SESSION, ASK).status();
            words.release();
            await().until(() -> chunks(holdfast, begun).contains("preliminary"));
        }
        words.drainPermits();
        try (Holdfast holdfast = open(tool -> tool)) {
            words.release();
            TurnStatus end = holdfast.turns().start(SESSION, ASK).await();
            assertThat(end.state()).isEqualTo(TurnState.COMPLETED);
            assertThat(call(holdfast, end).output().orElseThrow().stringValue()).isEqualTo("one two");
            assertThat(message(holdfast, SESSION, end).text()).isEqualTo("It is so.");
            assertThat(holdfast.turns().latest(inner(holdfast).sessionId(), 10)).hasSize(1);
        }
        assertThat(upstream.requests()).hasSize(2);
    }

    @Test
    void a_stop_of_the_outer_turn_stops_the_inner_one_S55() throws Exception {
        try (Holdfast holdfast = open(tool -> tool)) {
            TurnHandle turn = holdfast.turns().start(SESSION, ASK);
            words.release();
            await().until(() -> chunks(holdfast, turn.status()).contains("preliminary"));
            holdfast.turns().stop(SESSION, "t", "enough");
            assertThat(turn.await().state()).isEqualTo(TurnState.STOPPED);
            assertThat(innerStopped(holdfast).error()).isEqualTo("enough");
        }
    }

    @Test
    void a_stop_of_the_inner_turn_alone_is_an_error_of_the_call_that_says_so_S55() throws Exception {
        try (Holdfast holdfast = open(tool -> tool)) {
            TurnHandle turn = holdfast.turns().start(SESSION, ASK);
            words.release();
            await().until(() -> chunks(holdfast, turn.status()).contains("preliminary"));
            holdfast.turns().stop(inner(holdfast).sessionId(), "answer", "by somebody");
            TurnStatus end = turn.await();
            assertThat(end.state()).isEqualTo(TurnState.COMPLETED);
            assertThat(call(holdfast, end).errorText().orElseThrow()).contains("STOPPED", "by somebody", "one");
            assertThat(innerStopped(holdfast).error()).isEqualTo("by somebody");
        }
    }

    @Test
    void the_end_of_a_calls_time_stops_the_inner_turn_and_the_outer_one_goes_on_S55() throws Exception {
        try (Holdfast holdfast = open(tool -> tool.withTimeout(Duration.ofMillis(50)))) {
            TurnStatus end = holdfast.turns().start(SESSION, ASK).await();
            assertThat(end.state()).isEqualTo(TurnState.COMPLETED);
            assertThat(call(holdfast, end).errorText().orElseThrow()).contains("50 ms");
            assertThat(innerStopped(holdfast).error()).isEqualTo("The time of the call is over.");
        }
    }

    @Test
    void an_outer_turn_that_fails_while_it_waits_stops_the_inner_one_and_says_why_S55() throws Exception {
        answer = List.of("a".repeat(8 << 10), "b".repeat(4 << 10), "never");
        TurnLimits limits =
                TurnLimits.defaults().withMaxBytes(16 << 10); // less than what is shown, more than what is said
        try (Holdfast holdfast = open(tool -> tool, limits)) {
            TurnHandle turn = holdfast.turns().start(SESSION, ASK);
            words.release();
            await().until(() -> chunks(holdfast, turn.status()).contains("preliminary"));
            words.release();
            assertThat(turn.await().state()).isEqualTo(TurnState.FAILED);
            assertThat(innerStopped(holdfast).error()).isEqualTo("The turn that asked for it has ended without it.");
        }
    }

    @Test
    void an_inner_turn_can_be_stopped_when_the_outer_one_has_ended_S55() throws Exception {
        CompletableFuture<NestedTurn> nested = new CompletableFuture<>();
        TurnSettings turns = TurnSettings.defaults()
                .withAssembler(new UiMessageAssembler())
                .withAgent("inner", new Inner())
                .withAgent("outer", turn -> {
                    MessageDraft asked = MessageDraft.of(
                            "prompt",
                            "user",
                            UiMessage.ofUser("prompt", "Is it so?").toBytes());
                    nested.complete(turn.nest("nested-1", TurnRequest.answer("answer", "inner", asked)));
                    throw new IllegalStateException("fails at once");
                });
        try (Holdfast holdfast =
                Holdfast.open(folder, HoldfastSettings.defaults().withTurns(turns))) {
            holdfast.sessions().create(SESSION);
            TurnHandle turn = holdfast.turns().start(SESSION, ASK);
            assertThat(turn.await().state()).isEqualTo(TurnState.FAILED);
            innerBegan.await();

            StopResult unused = nested.join().stop("nobody waits for it");

            assertThat(innerStopped(holdfast).error()).isEqualTo("nobody waits for it");
        }
    }

    @Test
    void a_failure_of_the_inner_agent_is_an_error_of_the_call_S55() throws Exception {
        fails = true;
        try (Holdfast holdfast = open(tool -> tool)) {
            words.release(2);
            TurnStatus end = holdfast.turns().start(SESSION, ASK).await();
            assertThat(end.state()).isEqualTo(TurnState.COMPLETED);
            assertThat(call(holdfast, end).errorText().orElseThrow()).contains("FAILED", "no more words", "one two");
            assertThat(message(holdfast, SESSION, end).text()).isEqualTo("It is so.");
        }
    }

    private Holdfast open(UnaryOperator<Tool> as) {
        return open(as, TurnLimits.defaults());
    }

    private Holdfast open(UnaryOperator<Tool> as, TurnLimits limits) {
        ToolSpecification specification =
                ToolSpecification.builder().name("ask").build();
        Tool ask = as.apply(AgentTool.of(
                specification, "inner", call -> call.input().get("question").stringValue()));
        Agent outer = new OpenAiChatAgent(
                        ModelSettings.builder(upstream.baseUrl(), "m").build())
                .withTools(Toolbox.of(ask));
        TurnSettings turns = TurnSettings.defaults()
                .withAssembler(new UiMessageAssembler())
                .withLimits(limits)
                .withAgent("outer", outer)
                .withAgent("inner", new Inner());
        Holdfast holdfast = Holdfast.open(folder, HoldfastSettings.defaults().withTurns(turns));
        holdfast.sessions().create(SESSION);
        return holdfast;
    }

    /** Goes on behind the words that it has said. */
    private final class Inner implements Agent {
        @Override
        public AgentResult run(TurnContext turn) throws InterruptedException {
            innerBegan.countDown();
            String asked =
                    UiMessage.parse(turn.history(1 << 20).getLast().content()).text();
            assertThat(asked).isEqualTo("Is it so?");
            int said = Math.max(0, turn.prefix().size() - 2);
            if (turn.prefix().isEmpty()) {
                turn.emit(List.of(
                        "{\"type\":\"start\"}".getBytes(StandardCharsets.UTF_8),
                        "{\"type\":\"text-start\",\"id\":\"t\"}".getBytes(StandardCharsets.UTF_8)));
            }
            for (String word : answer.subList(said, answer.size())) {
                words.acquire();
                turn.emit("{\"type\":\"text-delta\",\"id\":\"t\",\"delta\":\"" + word + "\"}");
            }
            if (fails) {
                throw new IllegalStateException("no more words");
            }
            return AgentResult.completed();
        }

        @Override
        public Recovery recover(LostTurn turn) {
            return Recovery.CONTINUE;
        }
    }

    private static TurnStatus inner(Holdfast holdfast) {
        String session = holdfast.sessions().list(10).stream()
                .map(SessionInfo::id)
                .filter(id -> id.startsWith("nested-"))
                .findFirst()
                .orElseThrow();
        return holdfast.turns().status(session, "answer").orElseThrow();
    }

    private static TurnStatus innerStopped(Holdfast holdfast) {
        return await().atMost(Duration.ofMinutes(1))
                .until(() -> inner(holdfast), inner -> inner.state() == TurnState.STOPPED);
    }

    private static String chunks(Holdfast holdfast, TurnStatus turn) {
        return holdfast.streams().read(Objects.requireNonNull(turn.streamName()), 0, 1 << 20).chunks().stream()
                .map(chunk -> new String(chunk.toByteArray(), StandardCharsets.UTF_8))
                .collect(Collectors.joining());
    }

    private static UiMessage message(Holdfast holdfast, String session, TurnStatus turn) {
        return UiMessage.parse(holdfast.sessions()
                .get(session)
                .message(turn.messageId())
                .orElseThrow()
                .content());
    }

    private static UiPart.Tool call(Holdfast holdfast, TurnStatus turn) {
        return message(holdfast, SESSION, turn).parts().stream()
                .filter(UiPart.Tool.class::isInstance)
                .map(UiPart.Tool.class::cast)
                .findFirst()
                .orElseThrow();
    }

    /** What the model answers; not before the inner agent has begun, however late its call's time ended it. */
    private Optional<Recording> answer(LoopbackRequest request) {
        return Optional.of(
                Script.hasResults(request)
                        ? lastWords()
                        : Script.of(
                                "{'model':'m','choices':[{'index':0,'delta':{'tool_calls':[{'index':0,'id':'c1','function':{'name':'ask','arguments':'{`question`:`Is it so?`}'}}]}}]}",
                                "{'choices':[{'index':0,'delta':{},'finish_reason':'tool_calls'}]}"));
    }

    private Recording lastWords() {
        try {
            innerBegan.await();
            return Script.last();
        } catch (InterruptedException e) {
            throw new IllegalStateException("Nobody interrupts a model", e);
        }
    }
}
