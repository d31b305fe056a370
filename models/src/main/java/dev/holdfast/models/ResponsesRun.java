package dev.holdfast.models;

import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnContext;
import dev.holdfast.uimessage.UiChunk;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** One turn that follows a run at the provider: starts it or attaches to it, and attaches again when the connection breaks. Owned by the turn's thread. */
final class ResponsesRun {

    private final OpenAiSettings settings;
    private final Upstream upstream;
    private final TurnContext turn;
    private final ResponsesMapper mapper;
    /** The provider's id of the run; null until it is known, and then durable. */
    private @Nullable String id;
    /** The number of the newest event whose chunks are durable; -1 before the first. */
    private long position;

    ResponsesRun(OpenAiSettings settings, Upstream upstream, TurnContext turn) {
        this.settings = settings;
        this.upstream = upstream;
        this.turn = turn;
        this.mapper = ResponsesMapper.after(turn.messageId(), Emission.prefix(turn));
        this.id = turn.recall(OpenAiResponsesAgent.RUN)
                .map(utf8 -> new String(utf8, StandardCharsets.UTF_8))
                .orElse(null);
        this.position = turn.position().orElse(-1);
        if (id == null && position >= 0) {
            throw new IllegalStateException("The stream has events of a run, but not the run's id.");
        }
    }

    AgentResult follow() throws InterruptedException {
        try {
            if (id == null) {
                start();
            }
            while (!mapper.isDone()) {
                attach();
            }
        } catch (InterruptedException e) {
            cancel();
            throw e;
        }
        return mapper.awaitsTools() ? AgentResult.awaiting("tool results") : AgentResult.completed();
    }

    private void start() throws InterruptedException {
        try (UpstreamEvents events =
                upstream.post("/responses", ResponsesRequest.of(settings, Conversation.of(turn)), turn)) {
            follow(events);
        } catch (ProviderException.Cut e) {
            // The run goes on at the provider, if it said which one it is.
            if (id == null) {
                throw e;
            }
        }
    }

    private void attach() throws InterruptedException {
        long before = position;
        String after = before < 0 ? "" : "&starting_after=" + before;
        try (UpstreamEvents events = upstream.get("/responses/" + id + "?stream=true" + after, turn)) {
            follow(events);
        } catch (ProviderException.Cut e) {
            // Each connection has to bring an event, so this ends.
            if (position == before) {
                throw e;
            }
        }
    }

    private void follow(UpstreamEvents events) throws InterruptedException {
        while (!mapper.isDone()) {
            step(events.next());
        }
    }

    private void step(List<SseEvent> events) {
        List<UiChunk> chunks = new ArrayList<>();
        long newest = position;
        try {
            for (SseEvent event : events) {
                ObjectNode json = ModelJson.event(event.data());
                long number = json.path("sequence_number").asLong(newest + 1);
                if (number > newest) {
                    remember(json);
                    chunks.addAll(mapper.accept(json));
                    newest = number;
                }
            }
        } finally {
            // What came before an error is part of the answer, too.
            if (newest > position) {
                turn.emit(Emission.bytes(chunks), newest);
                position = newest;
            }
        }
    }

    private void remember(ObjectNode json) {
        String run = id == null ? ModelJson.text(json.path("response"), "id") : null;
        if (run != null) {
            turn.remember(OpenAiResponsesAgent.RUN, run.getBytes(StandardCharsets.UTF_8));
            id = run;
        }
    }

    /** A run that nobody wants any more costs money; one whose reader only moves to another process is needed. */
    private void cancel() {
        if (id != null && turn.isStopped()) {
            upstream.tell("/responses/" + id + "/cancel");
        }
    }
}
