package dev.holdfast.verification.models;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.models.AgentTool;
import dev.holdfast.models.ModelSettings;
import dev.holdfast.models.OpenAiChatAgent;
import dev.holdfast.models.Tool;
import dev.holdfast.models.Toolbox;
import dev.holdfast.models.loopback.LoopbackRequest;
import dev.holdfast.models.loopback.Recording;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.turn.Agent;
import dev.holdfast.turn.TurnRequest;
import dev.holdfast.turn.TurnSettings;
import dev.holdfast.turn.TurnStatus;
import dev.holdfast.uimessage.UiMessage;
import dev.holdfast.uimessage.UiMessageAssembler;
import dev.holdfast.uimessage.UiPart;
import dev.holdfast.verification.rig.Script;
import dev.langchain4j.agent.tool.ToolSpecification;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** Models that call other agents as their tools, one within the other, down to an agent named {@code inner}. */
final class Nesting {

    /** The session of the outermost turn, and its agent. */
    static final String OUTER = "outer";

    /** The agent between the outermost and the innermost, where there are three. */
    static final String MIDDLE = "middle";

    static final String INNER = "inner";

    static final TurnRequest ASK = TurnRequest.answer(
            "t",
            OUTER,
            MessageDraft.of("u", "user", UiMessage.ofUser("u", "What is it?").toBytes()));

    private static final int MAX_SESSIONS = 10;

    private Nesting() {}

    /** An agent whose model calls the innermost as its tool. */
    static Holdfast once(Path folder, URI model, Agent inner, UnaryOperator<Tool> as) {
        return open(folder, settings(inner).withAgent(OUTER, calling(INNER, model, as)));
    }

    /** An agent whose model calls another one as its tool, whose model calls the innermost. */
    static Holdfast twice(Path folder, URI model, Agent inner) {
        return open(
                folder,
                settings(inner)
                        .withAgent(OUTER, calling(MIDDLE, model, tool -> tool))
                        .withAgent(MIDDLE, calling(INNER, model, tool -> tool)));
    }

    private static TurnSettings settings(Agent inner) {
        return TurnSettings.defaults().withAssembler(new UiMessageAssembler()).withAgent(INNER, inner);
    }

    private static Holdfast open(Path folder, TurnSettings turns) {
        Holdfast holdfast = Holdfast.open(folder, HoldfastSettings.defaults().withTurns(turns));
        holdfast.sessions().create(OUTER);
        return holdfast;
    }

    private static Agent calling(String agent, URI model, UnaryOperator<Tool> as) {
        Tool ask = as.apply(AgentTool.of(
                ToolSpecification.builder().name("ask").build(),
                agent,
                call -> call.input().get("question").stringValue()));
        return new OpenAiChatAgent(ModelSettings.builder(model, "m").build()).withTools(Toolbox.of(ask));
    }

    /** What such a model says: it asks whether it is so, in two events, and when it is told, that it is so, in two. */
    static Optional<Recording> answer(LoopbackRequest request) {
        return Optional.of(
                Script.hasResults(request)
                        ? Script.last()
                        : Script.of(
                                "{'model':'m','choices':[{'index':0,'delta':{'tool_calls':[{'index':0,'id':'c1','function':{'name':'ask','arguments':'{`question`:`Is it so?`}'}}]}}]}",
                                "{'choices':[{'index':0,'delta':{},'finish_reason':'tool_calls'}]}"));
    }

    /** The newest turn of an agent that was called, as soon as it is there. */
    static Optional<TurnStatus> find(Holdfast holdfast, String agent) {
        return holdfast.sessions().list(MAX_SESSIONS).stream()
                .flatMap(session -> holdfast.turns().latest(session.id(), 1).stream())
                .filter(turn -> turn.agent().equals(agent))
                .findFirst();
    }

    static TurnStatus turn(Holdfast holdfast, String agent) {
        return find(holdfast, agent).orElseThrow();
    }

    static String chunks(Holdfast holdfast, TurnStatus turn) {
        return holdfast.streams().read(Objects.requireNonNull(turn.streamName()), 0, 1 << 20).chunks().stream()
                .map(chunk -> new String(chunk.toByteArray(), StandardCharsets.UTF_8))
                .collect(Collectors.joining());
    }

    /** Whether the turn of an agent shows what the one that it called has said so far. */
    static boolean shows(Holdfast holdfast, String agent, String soFar) {
        return find(holdfast, agent)
                .map(turn -> chunks(holdfast, turn))
                .filter(chunks -> chunks.contains("\"output\":\"" + soFar + "\",\"preliminary\":true"))
                .isPresent();
    }

    static boolean hasStream(Holdfast holdfast, TurnStatus turn) {
        return holdfast.streams()
                .status(Objects.requireNonNull(turn.streamName()))
                .isPresent();
    }

    static UiMessage message(Holdfast holdfast, TurnStatus turn) {
        return UiMessage.parse(holdfast.sessions()
                .get(turn.sessionId())
                .message(turn.messageId())
                .orElseThrow()
                .content());
    }

    /** The one call of the turn. */
    static UiPart.Tool call(Holdfast holdfast, TurnStatus turn) {
        List<UiPart.Tool> calls = message(holdfast, turn).parts().stream()
                .filter(UiPart.Tool.class::isInstance)
                .map(UiPart.Tool.class::cast)
                .toList();
        if (calls.size() != 1) {
            throw new AssertionError("one call was made, but there are " + calls);
        }
        return calls.getFirst();
    }
}
