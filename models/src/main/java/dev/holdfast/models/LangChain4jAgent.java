package dev.holdfast.models;

import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnContext;
import dev.holdfast.uimessage.UiChunk;
import dev.langchain4j.exception.HttpException;
import dev.langchain4j.exception.NonRetriableException;
import dev.langchain4j.exception.RetriableException;
import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Answers with any streaming model of LangChain4j. The provider's wire, its retries and its errors are that library's; a turn that lost its process is
 * asked anew ({@code RETRY}), or from its newest complete step on once tools of the server ran. Calls of tools that the server does not run are given
 * out: the turn then waits for their results. Thread-safe if the model is.
 */
public final class LangChain4jAgent implements Agent {

    private final StreamingChatModel model;
    private final @Nullable String instructions;
    private final Toolbox tools;

    public LangChain4jAgent(StreamingChatModel model) {
        this(model, null, Toolbox.EMPTY);
    }

    private LangChain4jAgent(StreamingChatModel model, @Nullable String instructions, Toolbox tools) {
        this.model = model;
        this.instructions = instructions;
        this.tools = tools;
    }

    /** The same agent with something that the model is told before the conversation. */
    public LangChain4jAgent withInstructions(String text) {
        return new LangChain4jAgent(model, text, tools);
    }

    /** The same agent with tools that the model may call. */
    public LangChain4jAgent withTools(Toolbox toolbox) {
        return new LangChain4jAgent(model, instructions, toolbox);
    }

    @Override
    public Recovery recover(LostTurn turn) {
        return ToolLoop.recover(turn);
    }

    /** What the library calls retriable, a broken connection, and an answer that was cut. */
    @Override
    public boolean isTransient(Exception failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof NonRetriableException) {
                return false;
            }
            if (cause instanceof RetriableException
                    || cause instanceof IOException
                    || (cause instanceof HttpException http && ProviderException.mayPass(http.statusCode()))) {
                return true;
            }
        }
        return ProviderException.isTransient(failure);
    }

    /** @throws ProviderException if the model did not deliver the whole answer */
    @Override
    public AgentResult run(TurnContext turn) throws InterruptedException {
        return new ToolLoop(turn, tools, Set.of()).run(this::answer);
    }

    private void answer(StepWriter step) throws InterruptedException {
        step.resetStep();
        ChatRequest request = ChatRequest.builder()
                .messages(LangChain4jConversation.of(instructions, step.conversation()))
                .toolSpecifications(tools.specifications())
                .build();
        LangChain4jMapper mapper = new LangChain4jMapper(step.turn().messageId(), step.callPrefix());
        try (LangChain4jStream stream = new LangChain4jStream()) {
            step.turn().onStop(stream::stop);
            stream.start(model, request);
            while (!mapper.isDone()) {
                read(step, mapper, stream);
            }
        }
    }

    private static void read(StepWriter step, LangChain4jMapper mapper, LangChain4jStream stream)
            throws InterruptedException {
        List<UiChunk> chunks = new ArrayList<>();
        try {
            for (LangChain4jStream.Signal signal : stream.next()) {
                chunks.addAll(mapper.accept(signal));
            }
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
