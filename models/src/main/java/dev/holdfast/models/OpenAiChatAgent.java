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
 * <p>Such a server forgets an answer with its connection, so a turn that lost its process is asked anew ({@code RETRY}). Tool calls are given out and
 * not run: the turn then waits for their results. Thread-safe.
 *
 * @see <a href="https://platform.openai.com/docs/api-reference/chat-streaming">The events of chat completions</a>
 */
public final class OpenAiChatAgent implements Agent {

    private final OpenAiSettings settings;
    private final Upstream upstream;

    public OpenAiChatAgent(OpenAiSettings settings) {
        this.settings = settings;
        this.upstream = new Upstream(settings);
    }

    /** @throws ProviderException if the provider did not deliver the whole answer */
    @Override
    public AgentResult run(TurnContext turn) throws InterruptedException {
        ChatCompletionsMapper mapper = new ChatCompletionsMapper(turn.messageId());
        try (UpstreamEvents events =
                upstream.post("/chat/completions", ChatRequest.of(settings, Conversation.of(turn)), turn)) {
            while (!mapper.isDone()) {
                step(turn, mapper, events);
            }
        }
        return mapper.awaitsTools() ? AgentResult.awaiting("tool results") : AgentResult.completed();
    }

    private static void step(TurnContext turn, ChatCompletionsMapper mapper, UpstreamEvents events)
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
            Emission.emit(turn, chunks);
        }
    }
}
