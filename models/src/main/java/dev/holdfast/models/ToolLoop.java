package dev.holdfast.models;

import dev.holdfast.turn.Agent.LostTurn;
import dev.holdfast.turn.Agent.Recovery;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnContext;
import dev.holdfast.uimessage.ToolTraits;
import dev.holdfast.uimessage.UiChunk;
import dev.holdfast.uimessage.UiMessage;
import dev.holdfast.uimessage.UiPart;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/**
 * The steps of one turn: the model answers, the tools that it called run, and the model is asked again with their results, until it calls none, the turn
 * has to wait for somebody, or the limit of steps is reached. Owned by the turn's thread.
 *
 * <p>A result is durable as soon as it is there and is never made again. After a crash the turn goes on with the step it was in: what the model said of an
 * incomplete answer is dropped and asked anew; calls without a result are closed as interrupted, since nobody knows how far they came, unless
 * their tool is {@link Tool#repeatable}.
 */
final class ToolLoop {

    private static final Logger LOG = LoggerFactory.getLogger(ToolLoop.class);

    /** Kept with the stream before the first tool runs: from then on its prefix is worth more than a new answer. */
    private static final String RAN = "holdfast.tools";

    private static final byte[] YES = {1};

    /** Where the calls come from that are looked at. */
    private enum Origin {
        /** The model has just made them. */
        ANSWER,
        /** An earlier attempt left them, after it may have run them. */
        LOST_ATTEMPT,
        /** The turn waited on them, and goes on now. */
        WAIT
    }

    private enum Next {
        MODEL,
        AWAIT,
        END
    }

    /** What becomes of a call without a result. */
    private sealed interface Decision {
        record Run(Tool tool, Tool.GrowingExecutor executor) implements Decision {}

        record Close(String errorText) implements Decision {}

        record Deny() implements Decision {}

        record Ask() implements Decision {}

        record Wait() implements Decision {}
    }

    private final TurnContext turn;
    private final Toolbox tools;
    private final Set<String> foreign;
    private final StepWriter step;
    private boolean approvalNeeded;
    private boolean ran;

    /**
     * @param foreign names of tools that the request declares beside the toolbox: the client's
     */
    ToolLoop(TurnContext turn, Toolbox tools, Set<String> foreign) {
        this.turn = turn;
        this.tools = tools;
        this.foreign = foreign;
        this.step = new StepWriter(turn, tools);
        this.ran = turn.recall(RAN).isPresent();
    }

    /** How a lost turn goes on whose provider does not keep its run. */
    static Recovery recover(LostTurn turn) {
        return turn.recall(RAN).isPresent() ? Recovery.CONTINUE : Recovery.RETRY;
    }

    StepWriter step() {
        return step;
    }

    /**
     * @throws ProviderException if the provider did not deliver a whole answer
     * @throws InterruptedException if the turn was stopped
     */
    AgentResult run(AnswerReader model) throws InterruptedException {
        Next next = begin();
        while (next == Next.MODEL) {
            step.nextStep();
            model.read(step);
            next = settle(Origin.ANSWER);
        }
        if (!step.isFinished()) {
            step.finish();
        }
        if (next == Next.END) {
            return AgentResult.completed();
        }
        return AgentResult.awaiting(approvalNeeded ? "approval" : "tool results");
    }

    private Next begin() throws InterruptedException {
        if (step.isFinished()) {
            List<UiPart.Tool> open = open(calls(step.message()));
            approvalNeeded = open.stream().anyMatch(call -> call.state().equals("approval-requested"));
            return open.isEmpty() ? Next.END : Next.AWAIT;
        }
        if (step.isInterrupted()) {
            return Next.MODEL;
        }
        if (step.isAnswered()) {
            return settle(Origin.LOST_ATTEMPT);
        }
        return settle(Origin.WAIT);
    }

    private Next settle(Origin origin) throws InterruptedException {
        UiMessage message = step.message();
        List<UiPart.Tool> calls = calls(message);
        if (origin == Origin.ANSWER && calls.isEmpty() && !(step.isPaused() && step.steps() < tools.maxSteps())) {
            return Next.END;
        }
        if (origin == Origin.ANSWER) {
            step.settleAnswer();
        }
        if (calls.isEmpty()) {
            return Next.MODEL;
        }
        Map<String, Integer> sameIds = sameIds(message);
        List<UiChunk> decided = new ArrayList<>();
        List<ToolRuns.Run> runs = new ArrayList<>();
        boolean waits = false;
        for (UiPart.Tool call : open(calls)) {
            ToolCall named = named(call, sameIds);
            switch (decide(call, named, origin)) {
                case Decision.Run d -> runs.add(new ToolRuns.Run(named, d.tool(), d.executor()));
                case Decision.Close d -> decided.add(error(call.toolCallId(), d.errorText()));
                case Decision.Deny d -> decided.add(new UiChunk.ToolOutputDenied(call.toolCallId()));
                case Decision.Ask d -> {
                    decided.add(new UiChunk.ToolApprovalRequest("approval-" + call.toolCallId(), call.toolCallId()));
                    approvalNeeded = true;
                    waits = true;
                }
                case Decision.Wait d -> {
                    approvalNeeded |= call.state().equals("approval-requested");
                    waits = true;
                }
            }
        }
        if (!decided.isEmpty()) {
            step.results(decided);
        }
        run(runs);
        return waits ? Next.AWAIT : step.steps() < tools.maxSteps() ? Next.MODEL : Next.END;
    }

    private Decision decide(UiPart.Tool call, ToolCall named, Origin origin) {
        if (origin == Origin.ANSWER && step.steps() >= tools.maxSteps()) {
            return new Decision.Close(
                    "The tool was not run: the turn has reached its limit of %d steps.".formatted(tools.maxSteps()));
        }
        Optional<Tool> tool = tools.tool(call.toolName());
        Tool.GrowingExecutor executor = tool.flatMap(Tool::executor).orElse(null);
        return tool.isPresent() && executor != null
                ? decideForServer(call, named, tool.get(), executor, origin)
                : decideForClient(call, tool.isPresent(), origin);
    }

    private Decision decideForServer(
            UiPart.Tool call, ToolCall named, Tool tool, Tool.GrowingExecutor executor, Origin origin) {
        return switch (call.state()) {
            case "approval-responded" ->
                isAllowed(call) ? run(tool, executor, mayHaveRun(origin)) : new Decision.Deny();
            case "approval-requested" ->
                origin == Origin.WAIT ? new Decision.Close(Conversation.INTERRUPTED) : new Decision.Wait();
            case "input-available" ->
                origin == Origin.WAIT
                        ? new Decision.Close(Conversation.INTERRUPTED)
                        : decideNew(named, tool, executor, origin);
            case "output-available" -> run(tool, executor, true); // it ran, and got as far as its preliminary output
            default -> new Decision.Close(Conversation.INTERRUPTED);
        };
    }

    private Decision decideForClient(UiPart.Tool call, boolean declared, Origin origin) {
        if (!declared && !tools.isEmpty() && !foreign.contains(call.toolName())) {
            return new Decision.Close("There is no tool named \"%s\".".formatted(call.toolName()));
        }
        boolean answerable = !call.state().equals("input-streaming") && origin != Origin.WAIT;
        return answerable ? new Decision.Wait() : new Decision.Close(Conversation.INTERRUPTED);
    }

    private Decision decideNew(ToolCall named, Tool tool, Tool.GrowingExecutor executor, Origin origin) {
        boolean ask;
        try {
            ask = tool.needsApproval(named);
        } catch (RuntimeException e) {
            LOG.warn("Whether tool {} needs an approval cannot be told, so its call does not run", tool.name(), e);
            return new Decision.Close("The tool was not run: whether it needs an approval could not be told.");
        }
        return ask ? new Decision.Ask() : run(tool, executor, mayHaveRun(origin));
    }

    private static Decision run(Tool tool, Tool.GrowingExecutor executor, boolean mayHaveRun) {
        return mayHaveRun && !tool.isRepeatable()
                ? new Decision.Close(Conversation.INTERRUPTED)
                : new Decision.Run(tool, executor);
    }

    private boolean mayHaveRun(Origin origin) {
        return origin == Origin.LOST_ATTEMPT || (origin == Origin.WAIT && turn.attempt() > 1);
    }

    private static boolean isAllowed(UiPart.Tool call) {
        return call.value("approval")
                .map(approval -> approval.path("approved").asBoolean(false))
                .orElse(false);
    }

    private void run(List<ToolRuns.Run> runs) throws InterruptedException {
        if (runs.isEmpty()) {
            return;
        }
        if (!ran) {
            ran = true;
            turn.remember(RAN, YES);
        }
        ToolRuns.run(
                turn,
                runs,
                results -> step.results(results.stream().map(ToolLoop::chunk).toList()));
    }

    private static UiChunk chunk(ToolRuns.Result result) {
        String id = result.call().id();
        return switch (result.output()) {
            case ToolOutput.Value value
            when !result.isLast() ->
                new UiChunk.ToolOutputAvailable(id, value.json(), Boolean.TRUE, ToolTraits.NONE, Map.of());
            case ToolOutput.Value value -> new UiChunk.ToolOutputAvailable(id, value.json(), ToolTraits.NONE);
            case ToolOutput.Failure failure -> error(id, failure.message());
        };
    }

    private static UiChunk error(String callId, String text) {
        return new UiChunk.ToolOutputError(callId, text, ToolTraits.NONE);
    }

    /** The calls of the newest step that the model's provider did not run itself. */
    private static List<UiPart.Tool> calls(UiMessage message) {
        List<UiPart.Tool> calls = new ArrayList<>();
        for (UiPart part : message.parts()) {
            if (part instanceof UiPart.StepStart) {
                calls.clear();
            } else if (part instanceof UiPart.Tool tool && !ServerTools.isOfProvider(tool)) {
                calls.add(tool);
            }
        }
        return calls;
    }

    private static List<UiPart.Tool> open(List<UiPart.Tool> calls) {
        return calls.stream().filter(call -> !call.isSettled()).toList();
    }

    /** How often each id of a call occurs; some providers give the same ones out in each answer. */
    private static Map<String, Integer> sameIds(UiMessage message) {
        Map<String, Integer> counts = new HashMap<>();
        for (UiPart part : message.parts()) {
            if (part instanceof UiPart.Tool tool) {
                counts.merge(tool.toolCallId(), 1, Integer::sum);
            }
        }
        return counts;
    }

    private ToolCall named(UiPart.Tool call, Map<String, Integer> sameIds) {
        int occurrence = sameIds.getOrDefault(call.toolCallId(), 1);
        String key = turn.sessionId() + "/" + turn.turnId() + "/" + call.toolCallId()
                + (occurrence == 1 ? "" : "#" + occurrence);
        JsonNode input = call.input().orElseGet(ModelJson::object);
        return new ToolCall(turn, call.toolCallId(), call.toolName(), input, key);
    }
}
