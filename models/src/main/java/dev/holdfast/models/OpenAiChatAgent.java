package dev.holdfast.models;

import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnContext;
import dev.holdfast.uimessage.UiChunk;
import java.util.ArrayList;
import java.util.List;

/**
 * Answers with a model behind chat completions: OpenAI's, or any server in its manner.
 *
 * <p>Such a server forgets an answer with its connection, so a turn that lost its process is asked anew ({@code RETRY}), or from its newest complete
 * step on once tools of the server ran. Calls of tools that the server does not run are given out: the turn then waits for their results.
 * Thread-safe.
 *
 * @see <a href="https://platform.openai.com/docs/api-reference/chat-streaming">The events of chat completions</a>
 */
public final class OpenAiChatAgent implements Agent {

    private final ModelSettings settings;
    private final Toolbox tools;
    private final Upstream upstream;

    public OpenAiChatAgent(ModelSettings settings) {
        this(settings, Toolbox.EMPTY);
    }

    private OpenAiChatAgent(ModelSettings settings, Toolbox tools) {
        this.settings = settings;
        this.tools = tools;
        this.upstream = Upstream.withBearerToken(settings);
    }

    /** The same agent with tools that the model may call. */
    public OpenAiChatAgent withTools(Toolbox toolbox) {
        return new OpenAiChatAgent(settings, toolbox);
    }

    @Override
    public Recovery recover(LostTurn turn) {
        return ToolLoop.recover(turn);
    }

    @Override
    public boolean isTransient(Exception failure) {
        return ProviderException.isTransient(failure);
    }

    /** @throws ProviderException if the provider did not deliver the whole answer */
    @Override
    public AgentResult run(TurnContext turn) throws InterruptedException {
        return new ToolLoop(turn, tools, settings.declaredTools()).run(this::answer);
    }

    private void answer(StepWriter step) throws InterruptedException {
        step.resetStep();
        ChatCompletionsMapper mapper = new ChatCompletionsMapper(step.turn().messageId(), step.callPrefix());
        try (UpstreamEvents events =
                upstream.post("/chat/completions", ChatRequest.of(settings, tools, step.conversation()), step.turn())) {
            while (!mapper.isDone()) {
                read(step, mapper, events);
            }
        }
    }

    private static void read(StepWriter step, ChatCompletionsMapper mapper, UpstreamEvents events)
            throws InterruptedException {
        List<UiChunk> chunks = new ArrayList<>();
        try {
            for (SseEvent event : events.next()) {
                chunks.addAll(event.isDone() ? mapper.end() : mapper.accept(ModelJson.event(event.data())));
            }
        } catch (ProviderException.Cut e) {
            // Some servers leave out the mark at the end. The answer is whole once the reason of its end is known.
            if (!mapper.isFinished()) {
                throw e;
            }
            chunks.addAll(mapper.end());
        } finally {
            // What came before an error is part of the answer, too.
            if (mapper.isDone()) {
                step.complete(chunks);
            } else {
                step.accept(chunks);
            }
        }
    }
}
