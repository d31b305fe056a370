package dev.holdfast.models;

import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnContext;
import dev.holdfast.uimessage.UiChunk;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Answers with any streaming model of LangChain4j. The provider's wire, its retries and its errors are that library's; a turn that lost its process is
 * asked anew ({@code RETRY}). Tool calls are given out and not run: the turn then waits for their results. Thread-safe if the model is.
 */
public final class LangChain4jAgent implements Agent {

    private final StreamingChatModel model;
    private final @Nullable String instructions;
    private final List<ToolSpecification> tools;

    public LangChain4jAgent(StreamingChatModel model) {
        this(model, null, List.of());
    }

    private LangChain4jAgent(StreamingChatModel model, @Nullable String instructions, List<ToolSpecification> tools) {
        this.model = model;
        this.instructions = instructions;
        this.tools = List.copyOf(tools);
    }

    /** The same agent with something that the model is told before the conversation. */
    public LangChain4jAgent withInstructions(String text) {
        return new LangChain4jAgent(model, text, tools);
    }

    /** The same agent with tools that the model may call. */
    public LangChain4jAgent withTools(List<ToolSpecification> specifications) {
        return new LangChain4jAgent(model, instructions, specifications);
    }

    /** @throws ProviderException if the model did not deliver the whole answer */
    @Override
    public AgentResult run(TurnContext turn) throws InterruptedException {
        ChatRequest request = ChatRequest.builder()
                .messages(LangChain4jConversation.of(instructions, Conversation.of(turn)))
                .toolSpecifications(tools)
                .build();
        LangChain4jMapper mapper = new LangChain4jMapper(turn.messageId());
        try (LangChain4jStream stream = new LangChain4jStream()) {
            turn.onStop(stream::stop);
            stream.start(model, request);
            while (!mapper.isDone()) {
                step(turn, mapper, stream);
            }
        }
        return mapper.awaitsTools() ? AgentResult.awaiting("tool results") : AgentResult.completed();
    }

    private static void step(TurnContext turn, LangChain4jMapper mapper, LangChain4jStream stream)
            throws InterruptedException {
        List<UiChunk> chunks = new ArrayList<>();
        try {
            for (LangChain4jStream.Signal signal : stream.next()) {
                chunks.addAll(mapper.accept(signal));
            }
        } finally {
            // What came before an error is part of the answer, too.
            Emission.emit(turn, chunks);
        }
    }
}
