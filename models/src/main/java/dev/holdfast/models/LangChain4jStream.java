package dev.holdfast.models;

import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.CompleteToolCall;
import dev.langchain4j.model.chat.response.PartialResponse;
import dev.langchain4j.model.chat.response.PartialResponseContext;
import dev.langchain4j.model.chat.response.PartialThinking;
import dev.langchain4j.model.chat.response.PartialThinkingContext;
import dev.langchain4j.model.chat.response.PartialToolCall;
import dev.langchain4j.model.chat.response.PartialToolCallContext;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.langchain4j.model.chat.response.StreamingHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Hands a model's callbacks, which come on its threads, to the turn's thread. The queue between them is bounded: a slow disk slows the model down. The
 * model is called on a thread of its own, since some call back before they return.
 */
final class LangChain4jStream implements AutoCloseable {

    private static final int MAX_QUEUED_SIGNALS = 1024;

    /** What a model calls back with. */
    sealed interface Signal {
        record Text(String text) implements Signal {}

        record Thinking(String text) implements Signal {}

        record ToolInput(
                int index, @Nullable String id, @Nullable String name, String delta) implements Signal {}

        record ToolCall(int index, @Nullable String id, String name, String input) implements Signal {}

        record Done(ChatResponse response) implements Signal {}

        record Failed(Throwable cause) implements Signal {}

        record Stopped() implements Signal {}
    }

    private final BlockingQueue<Signal> signals = new ArrayBlockingQueue<>(MAX_QUEUED_SIGNALS);
    private volatile boolean over;
    private volatile @Nullable StreamingHandle handle;

    void start(StreamingChatModel model, ChatRequest request) {
        Thread.ofVirtual().name("holdfast-langchain4j").start(() -> {
            try {
                model.chat(request, new Handler());
            } catch (RuntimeException e) {
                put(new Signal.Failed(e));
            }
        });
    }

    /** All signals that have arrived, at least one. */
    List<Signal> next() throws InterruptedException {
        List<Signal> batch = new ArrayList<>();
        batch.add(signals.take());
        signals.drainTo(batch);
        if (over) {
            throw Upstream.stopped();
        }
        return batch;
    }

    /** Cancels the answer, as soon as the library can. */
    void stop() {
        close();
        boolean unused = signals.offer(new Signal.Stopped()); // a full queue wakes the reader as well
    }

    @Override
    public void close() {
        over = true;
        cancel(handle);
    }

    private static void cancel(@Nullable StreamingHandle handle) {
        try {
            if (handle != null) {
                handle.cancel();
            }
        } catch (UnsupportedOperationException e) {
            // This model cannot be cancelled; what it still says goes nowhere.
        }
    }

    private void put(Signal signal) {
        try {
            while (!over && !signals.offer(signal, 1, TimeUnit.SECONDS)) {
                // The turn's thread is behind; the model waits.
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void note(StreamingHandle streamingHandle) {
        handle = streamingHandle;
        if (over) {
            cancel(streamingHandle);
        }
    }

    private final class Handler implements StreamingChatResponseHandler {
        @Override
        public void onPartialResponse(PartialResponse text, PartialResponseContext context) {
            note(context.streamingHandle());
            onPartialResponse(text.text());
        }

        @Override
        public void onPartialResponse(String text) {
            put(new Signal.Text(text));
        }

        @Override
        public void onPartialThinking(PartialThinking thinking, PartialThinkingContext context) {
            note(context.streamingHandle());
            onPartialThinking(thinking);
        }

        @Override
        public void onPartialThinking(PartialThinking thinking) {
            put(new Signal.Thinking(thinking.text()));
        }

        @Override
        public void onPartialToolCall(PartialToolCall call, PartialToolCallContext context) {
            note(context.streamingHandle());
            onPartialToolCall(call);
        }

        @Override
        public void onPartialToolCall(PartialToolCall call) {
            put(new Signal.ToolInput(call.index(), call.id(), call.name(), call.partialArguments()));
        }

        @Override
        public void onCompleteToolCall(CompleteToolCall call) {
            put(new Signal.ToolCall(
                    call.index(),
                    call.toolExecutionRequest().id(),
                    call.toolExecutionRequest().name(),
                    call.toolExecutionRequest().arguments()));
        }

        @Override
        public void onCompleteResponse(ChatResponse response) {
            put(new Signal.Done(response));
        }

        @Override
        public void onError(Throwable error) {
            put(new Signal.Failed(error));
        }
    }
}
