package dev.holdfast.http.chat;

import dev.holdfast.uimessage.ChunkGate;
import dev.holdfast.uimessage.ChunkGate.Verdict;
import dev.holdfast.uimessage.InvalidUiJson;
import dev.holdfast.uimessage.UiChunk;
import dev.holdfast.uimessage.UiMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What one client is told of a turn's chunks. It begins with one {@code start} that has the id of the message, since a message without it is
 * shown twice; chunks that end the message are held back until the turn has its outcome, so that whoever sees the end finds the message in the
 * store; the rest goes through the {@link ChunkGate} of the client's major. The same chunks give the same view, so positions can be counted in it.
 *
 * <p>Confined to the request's thread.
 */
final class ClientView {

    private static final Verdict NOTHING = new Verdict.Send(List.of());

    private final ChunkGate gate;
    private final String messageId;
    private final boolean canReset;
    private boolean started;
    private int steps;
    private boolean finishedStep;
    /** Whether the chunks of another attempt follow, whose beginning the client has. */
    private boolean again;

    private @Nullable UiChunk end;

    /**
     * @param before the message as the client has it, which the chunks go on with; or null
     */
    ClientView(int major, String messageId, @Nullable UiMessage before) {
        this.gate = new ChunkGate(major, before);
        this.messageId = messageId;
        this.canReset = major >= ChunkGate.NEWEST_MAJOR && before == null;
    }

    /** The next chunk of the turn. */
    Verdict add(byte[] chunk) {
        UiChunk parsed;
        try {
            parsed = UiChunk.parse(chunk);
        } catch (InvalidUiJson e) {
            return NOTHING;
        }
        return switch (parsed) {
            case UiChunk.Start start -> begin(start, chunk);
            case UiChunk.Finish finish -> hold(finish);
            case UiChunk.Abort abort -> hold(abort);
            case UiChunk.StreamError error -> hold(error);
            case UiChunk.StartStep step
            when again -> {
                again = false;
                yield NOTHING;
            }
            case UiChunk.StartStep step -> {
                steps++;
                yield admit(chunk);
            }
            case UiChunk.FinishStep step -> {
                finishedStep = true;
                yield admit(chunk);
            }
            default -> admit(chunk);
        };
    }

    Verdict add(UiChunk chunk) {
        return add(chunk.toBytes());
    }

    private Verdict begin(UiChunk.Start start, byte[] chunk) {
        if (started) {
            return start.messageMetadata() == null
                    ? NOTHING
                    : gate.admit(new UiChunk.MessageMetadata(start.messageMetadata()).toBytes());
        }
        started = true;
        return messageId.equals(start.messageId())
                ? gate.admit(chunk)
                : gate.admit(new UiChunk.Start(messageId, start.messageMetadata(), start.extra()).toBytes());
    }

    private Verdict hold(UiChunk chunk) {
        end = chunk;
        return NOTHING;
    }

    private Verdict admit(byte[] chunk) {
        Verdict verdict = gate.admit(chunk);
        if (started || !(verdict instanceof Verdict.Send send) || send.chunks().isEmpty()) {
            return verdict;
        }
        started = true;
        List<byte[]> chunks = new ArrayList<>();
        chunks.add(new UiChunk.Start(messageId).toBytes());
        chunks.addAll(send.chunks());
        return new Verdict.Send(chunks);
    }

    /** A chunk of this wire's own, which may end the message. */
    Verdict say(UiChunk chunk) {
        return gate.admit(chunk.toBytes());
    }

    /** The chunk with which the agent ended the message, if it did. */
    Optional<UiChunk> end() {
        return Optional.ofNullable(end);
    }

    /**
     * The turn begins anew, and what the client has seen does not count. Returns what tells it so, or empty if it cannot be told and must read anew.
     * Clients of 7 drop the step in progress; that is all they have if it is their first.
     */
    Optional<Verdict> restart() {
        if (!canReset || steps != 1 || finishedStep) {
            return Optional.empty();
        }
        again = true;
        end = null;
        return Optional.of(say(new UiChunk.ResetStep(Map.of())));
    }
}
