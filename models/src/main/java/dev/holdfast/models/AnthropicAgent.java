package dev.holdfast.models;

import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnContext;
import dev.holdfast.uimessage.UiChunk;
import java.util.ArrayList;
import java.util.List;

/**
 * Answers with a model behind Anthropic's messages.
 *
 * <p>The provider forgets an answer with its connection, so a turn that lost its process is asked anew ({@code RETRY}), or from its newest complete step
 * on once tools of the server ran. Calls of tools that neither the server nor the provider runs are given out: the turn then waits for their
 * results. Thinking goes back to the model with its signatures, and so do the calls that the provider ran, with their results. Thread-safe.
 *
 * <p>The API wants a limit of the answer's length: {@value #DEFAULT_MAX_TOKENS} tokens unless the parameter {@code max_tokens} is set.
 *
 * @see <a href="https://docs.anthropic.com/en/docs/build-with-claude/streaming">The events of messages</a>
 */
public final class AnthropicAgent implements Agent {

    /** Longest answer of the model in tokens, unless the parameter {@code max_tokens} says otherwise. */
    public static final int DEFAULT_MAX_TOKENS = 8192;

    /** The version of the API that is spoken, unless the header {@code anthropic-version} says otherwise. */
    public static final String API_VERSION = "2023-06-01";

    private final ModelSettings settings;
    private final Toolbox tools;
    private final Upstream upstream;

    /**
     * @param settings with a base URL up to and including the version, such as {@code https://api.anthropic.com/v1}
     */
    public AnthropicAgent(ModelSettings settings) {
        this(settings, Toolbox.EMPTY);
    }

    private AnthropicAgent(ModelSettings settings, Toolbox tools) {
        this.settings = settings;
        this.tools = tools;
        this.upstream = Upstream.withKeyHeader(settings, "anthropic-version", API_VERSION);
    }

    /** The same agent with tools that the model may call. */
    public AnthropicAgent withTools(Toolbox toolbox) {
        return new AnthropicAgent(settings, toolbox);
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
        AnthropicMapper mapper = new AnthropicMapper(step.turn().messageId(), step.nextNumber());
        try (UpstreamEvents events =
                upstream.post("/messages", AnthropicRequest.of(settings, tools, step.conversation()), step.turn())) {
            while (!mapper.isDone()) {
                read(step, mapper, events);
            }
        }
    }

    private static void read(StepWriter step, AnthropicMapper mapper, UpstreamEvents events)
            throws InterruptedException {
        List<UiChunk> chunks = new ArrayList<>();
        try {
            for (SseEvent event : events.next()) {
                chunks.addAll(mapper.accept(ModelJson.event(event.data())));
            }
        } finally {
            // What came before an error is part of the answer, too.
            if (!mapper.isDone()) {
                step.accept(chunks);
            } else if (mapper.isPaused()) {
                step.pause(chunks);
            } else {
                step.complete(chunks);
            }
        }
    }
}
