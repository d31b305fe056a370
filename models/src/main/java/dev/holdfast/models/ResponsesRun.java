package dev.holdfast.models;

import dev.holdfast.models.OpenAiResponsesAgent.KeptRun;
import dev.holdfast.turn.TurnContext;
import dev.holdfast.uimessage.UiChunk;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** One answer that follows a run at the provider: starts it or attaches to it, and attaches again when the connection breaks. Owned by the turn's thread. */
final class ResponsesRun {

    private final ModelSettings settings;
    private final Upstream upstream;
    private final StepWriter step;
    private final TurnContext turn;
    private ResponsesMapper mapper;
    /** The provider's id of the run; null until it is known, and then durable. */
    private @Nullable String id;
    /** The stream's count of events before the first of this run. */
    private long base;
    /** The number of the newest event whose chunks are durable; -1 before the first. */
    private long position = -1;

    ResponsesRun(ModelSettings settings, Upstream upstream, StepWriter step) {
        this.settings = settings;
        this.upstream = upstream;
        this.step = step;
        this.turn = step.turn();
        this.mapper = ResponsesMapper.after(turn.messageId(), step.inherited());
        KeptRun kept = turn.recall(KeptRun.NAME)
                .map(KeptRun::read)
                .filter(run -> run.answers() == step.answers())
                .orElse(null);
        this.base = kept == null ? step.events() : kept.base();
        if (kept != null) {
            this.id = kept.id();
            this.position = step.events() - base - 1;
        }
    }

    void follow() throws InterruptedException {
        try {
            if (id != null) {
                attachOrForget();
            }
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
    }

    /** Attaches to the run of an earlier attempt. If the provider does not know it any more, another one takes its place. */
    private void attachOrForget() throws InterruptedException {
        try {
            attach();
        } catch (ProviderException.Refused e) {
            if (e.status() != 404) {
                throw e;
            }
            step.resetStep();
            mapper = new ResponsesMapper(turn.messageId());
            base = step.events();
            position = -1;
            id = null;
        }
    }

    private void start() throws InterruptedException {
        ObjectNode request = ResponsesRequest.of(settings, step.tools(), step.conversation());
        try (UpstreamEvents events = upstream.post("/responses", request, turn)) {
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
            read(events.next());
        }
    }

    private void read(List<SseEvent> events) {
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
            if (mapper.isDone()) {
                step.complete(chunks);
            } else if (newest > position) {
                step.accept(chunks, base + newest + 1);
            }
            position = newest;
        }
    }

    private void remember(ObjectNode json) {
        String run = id == null ? ModelJson.text(json.path("response"), "id") : null;
        if (run != null) {
            turn.remember(KeptRun.NAME, new KeptRun(step.answers(), base, run).toBytes());
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
