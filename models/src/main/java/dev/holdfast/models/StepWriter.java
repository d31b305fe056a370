package dev.holdfast.models;

import dev.holdfast.turn.TurnContext;
import dev.holdfast.uimessage.MessageInProgress;
import dev.holdfast.uimessage.UiChunk;
import dev.holdfast.uimessage.UiMessage;
import dev.holdfast.uimessage.UiPart;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Makes one stream of the answers that a model gives in the steps of a turn: one {@code start} and one {@code finish}, a step around each answer and the
 * results of its tools, and the usage of all answers together in the metadata.
 *
 * <p>Its state follows from the message written before, the durable chunks and the position stored with them, so that a turn that lost its process
 * goes on with the step it was in. Owned by the turn's thread.
 */
final class StepWriter {

    private final TurnContext turn;
    private final Toolbox tools;
    private final MessageInProgress message;
    /** Chunks that become durable together with the next ones. */
    private final List<UiChunk> held = new ArrayList<>();
    /** The durable chunks of the step in progress, if an earlier attempt left it. */
    private final List<UiChunk> inherited = new ArrayList<>();

    private StepPosition position;
    private long written;
    private boolean started;
    private boolean stepOpen;
    private boolean finished;
    /** Whether the provider interrupted its answer and wants to be asked again. */
    private boolean paused;
    /** Steps in this stream. */
    private int steps;
    /** Steps of the message, over all streams of the turn. */
    private int allSteps;

    private @Nullable JsonNode usageBefore;
    /** How the newest answer ended. */
    private UiChunk.Finish last;

    StepWriter(TurnContext turn, Toolbox tools) {
        this.turn = turn;
        this.tools = tools;
        UiMessage before = turn.written().map(Conversation::read).orElse(null);
        this.message = new MessageInProgress(turn.messageId(), before);
        this.allSteps = before == null ? 0 : stepsOf(before);
        this.position = StepPosition.of(turn);
        this.written = position.encoded();
        Emission.prefix(turn).forEach(this::restore);
        this.usageBefore = usage();
        this.last = new UiChunk.Finish(isAnswered() ? "tool-calls" : "other");
    }

    private void restore(UiChunk chunk) {
        message.accept(chunk);
        switch (chunk) {
            case UiChunk.Start c -> started = true;
            case UiChunk.StartStep c -> openStep();
            case UiChunk.FinishStep c -> stepOpen = false;
            case UiChunk.ResetStep c -> inherited.clear();
            case UiChunk.Finish c -> finished = true;
            default -> {}
        }
        inherited.add(chunk);
    }

    private void openStep() {
        stepOpen = true;
        steps++;
        allSteps++;
        inherited.clear();
    }

    private static int stepsOf(UiMessage message) {
        return (int) message.parts().stream()
                .filter(UiPart.StepStart.class::isInstance)
                .count();
    }

    TurnContext turn() {
        return turn;
    }

    Toolbox tools() {
        return tools;
    }

    /** Whether the stream has its last chunk. */
    boolean isFinished() {
        return finished;
    }

    /** Whether a step is open whose answer is complete: its tools are what is left of it. */
    boolean isAnswered() {
        return stepOpen && position.answers() == steps;
    }

    /** Whether a step is open whose answer is not complete. */
    boolean isInterrupted() {
        return stepOpen && position.answers() < steps;
    }

    boolean isPaused() {
        return paused;
    }

    /** Answers that the turn has, over all its streams. */
    int steps() {
        return allSteps;
    }

    /** The number in the message of the step whose answer comes now, from 1. */
    int nextNumber() {
        return stepOpen ? allSteps : allSteps + 1;
    }

    /** What ids that a provider leaves out are made of: different in each step. */
    String callPrefix() {
        return nextNumber() == 1 ? turn.messageId() : turn.messageId() + "-step-" + nextNumber();
    }

    /** The message of the turn as it stands. */
    UiMessage message() {
        return message.snapshot();
    }

    /** What the model is to answer: the conversation and what this turn has said and done so far. */
    List<UiMessage> conversation() {
        return Conversation.of(turn, message.snapshot());
    }

    /** The durable chunks of the interrupted answer, if there is one; {@link #events} says where to go on with it. */
    List<UiChunk> inherited() {
        return isInterrupted() ? List.copyOf(inherited) : List.of();
    }

    /** Events of the interrupted answer whose chunks are durable. */
    long events() {
        return position.events();
    }

    /** Answers that are complete in this stream. */
    int answers() {
        return position.answers();
    }

    /** Drops what is there of an interrupted answer, which will be given anew. Clients of major 7 understand; others read the stream anew. */
    void resetStep() {
        if (isInterrupted()) {
            inherited.clear();
            hold(new UiChunk.ResetStep());
            write(List.of());
        }
    }

    /** Begins another step, unless one is open without its answer: the one before ends together with the first chunk of the next. */
    void nextStep() {
        if (isAnswered()) {
            stepOpen = false;
            hold(new UiChunk.FinishStep());
        }
        usageBefore = usage();
        paused = false;
    }

    /** Takes chunks of an answer that goes on. */
    void accept(List<UiChunk> chunks) {
        accept(chunks, position.events());
    }

    /** Takes chunks of an answer that goes on; they and the count of its events become durable together. */
    void accept(List<UiChunk> chunks, long events) {
        position = new StepPosition(position.answers(), events);
        write(framed(chunks));
    }

    /** Takes the last chunks of an answer. They become durable with what follows from it. */
    void complete(List<UiChunk> chunks) {
        held.addAll(framed(chunks));
        position = new StepPosition(position.answers() + 1, 0);
    }

    /** Takes the last chunks of an answer that the provider interrupted. */
    void pause(List<UiChunk> chunks) {
        complete(chunks);
        paused = true;
    }

    /** Makes the answer durable, since its tools run now. */
    void settleAnswer() {
        JsonNode metadata = last.messageMetadata();
        if (metadata != null) {
            hold(new UiChunk.MessageMetadata(metadata));
            last = new UiChunk.Finish(last.finishReason(), null, last.extra());
        }
        write(List.of());
    }

    /** Ends the stream. */
    void finish() {
        List<UiChunk> end = new ArrayList<>();
        if (stepOpen) {
            stepOpen = false;
            end.add(new UiChunk.FinishStep());
        }
        end.add(last);
        end.forEach(message::accept);
        finished = true;
        write(end);
    }

    /** Writes results of tools. */
    void results(List<UiChunk> results) {
        List<UiChunk> out = new ArrayList<>();
        if (!started) {
            started = true;
            out.add(new UiChunk.Start(turn.messageId()));
        }
        out.addAll(results);
        results.forEach(message::accept);
        write(out);
    }

    private void hold(UiChunk chunk) {
        message.accept(chunk);
        held.add(chunk);
    }

    private void write(List<UiChunk> chunks) {
        List<UiChunk> all = new ArrayList<>(held);
        all.addAll(chunks);
        held.clear();
        if (written != position.encoded()) {
            turn.emit(Emission.bytes(all), position.encoded());
            written = position.encoded();
        } else if (!all.isEmpty()) {
            turn.emit(Emission.bytes(all));
        }
    }

    private List<UiChunk> framed(List<UiChunk> chunks) {
        List<UiChunk> out = new ArrayList<>();
        for (UiChunk chunk : chunks) {
            switch (chunk) {
                case UiChunk.Start c -> start(c, out);
                case UiChunk.StartStep c -> {
                    if (!stepOpen) {
                        openStep();
                        out.add(c);
                    }
                }
                case UiChunk.FinishStep c -> {}
                case UiChunk.Finish c ->
                    last = new UiChunk.Finish(c.finishReason(), summed(c.messageMetadata()), c.extra());
                case UiChunk.MessageMetadata c ->
                    out.add(new UiChunk.MessageMetadata(summed(c.messageMetadata()), c.extra()));
                default -> out.add(ServerTools.mark(chunk, tools));
            }
        }
        out.forEach(message::accept);
        return out;
    }

    private void start(UiChunk.Start start, List<UiChunk> out) {
        if (!started) {
            started = true;
            out.add(start);
        } else if (start.messageMetadata() != null && !isKnown(start.messageMetadata())) {
            out.add(new UiChunk.MessageMetadata(start.messageMetadata()));
        }
    }

    private boolean isKnown(JsonNode metadata) {
        JsonNode known = message.metadata();
        return known != null
                && metadata.properties().stream()
                        .allMatch(field -> field.getValue().equals(known.get(field.getKey())));
    }

    /** Metadata whose usage counts the answers before this one, too. */
    private @Nullable JsonNode summed(@Nullable JsonNode metadata) {
        if (metadata == null || usageBefore == null || !metadata.path("usage").isObject()) {
            return metadata;
        }
        ObjectNode all = ModelJson.object();
        metadata.properties().forEach(field -> all.set(field.getKey(), field.getValue()));
        all.set("usage", Usage.sum(usageBefore, metadata.get("usage")));
        return all;
    }

    private @Nullable JsonNode usage() {
        JsonNode metadata = message.metadata();
        JsonNode usage = metadata == null ? null : metadata.get("usage");
        return usage != null && usage.isObject() ? usage : null;
    }
}
