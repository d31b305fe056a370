package dev.holdfast.turn;

import dev.holdfast.error.HoldfastException.AttachmentNotFound;
import dev.holdfast.session.Attachment;
import dev.holdfast.session.CompactedHistory;
import dev.holdfast.session.Message;
import dev.holdfast.session.Overlay;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * An agent's view of its turn. Used by the agent's own thread; {@link #stopRequested()} and {@link #onStop} also by others.
 *
 * <p>Every method that emits throws {@code StreamClosed} or {@code StaleEpoch} once the turn has its outcome or was taken over: a late
 * agent writes nothing.
 */
public interface TurnContext {

    String sessionId();

    String turnId();

    /** The id of the message that this turn writes; the same over all attempts. */
    String messageId();

    /** The payload the turn was started with. */
    byte[] input();

    /** 1 for the first run (also after the turn waited), more after a crash; counted from 2 again once an attempt made progress. */
    int attempt();

    /** The conversation up to and including the message this turn answers, root first; the newest ones within {@code maxBytes}. */
    List<Message> history(long maxBytes);

    /**
     * The same conversation as a model should read it: with the session's overlays in the place of what they fold. Empty if the turn answers no message.
     */
    CompactedHistory conversation(long maxBytes);

    /**
     * Folds a part of this conversation into a summary that is read in its place from now on; durable on return. Nothing is deleted.
     *
     * @throws dev.holdfast.error.HoldfastException as {@link dev.holdfast.session.Overlays#put} does
     */
    Overlay fold(String from, String to, String summary);

    /**
     * An attachment of the turn's session, for agents that send its bytes to a model. Read it with {@link #openAttachment}.
     *
     * @return empty if there is none of this id
     */
    default Optional<Attachment> attachment(String id) {
        return Optional.empty();
    }

    /**
     * The bytes of an attachment, read a piece at a time and checked as {@link dev.holdfast.session.Attachments#open(String)} does.
     *
     * @throws dev.holdfast.error.HoldfastException.AttachmentNotFound if there is none
     */
    default InputStream openAttachment(String id) {
        throw new AttachmentNotFound(sessionId(), id);
    }

    /** The message this turn already wrote before it waited, to be continued; empty in a first run. */
    Optional<Message> written();

    /** The chunks that are already durable in this stream, in order; empty unless the turn continues after a crash. */
    List<byte[]> prefix();

    /** The position stored with the last chunk emitted through {@link #emit(List, long)}, over all attempts on this stream. */
    OptionalLong position();

    /**
     * Appends a chunk and waits until it is durable.
     *
     * @param chunk one JSON value, at most the stream's chunk limit; not changed by the caller afterwards
     */
    default void emit(byte[] chunk) {
        emit(List.of(chunk));
    }

    /** Appends a chunk of text. */
    default void emit(String chunk) {
        emit(chunk.getBytes(StandardCharsets.UTF_8));
    }

    /** Appends chunks together: all of them are durable or none. */
    void emit(List<byte[]> chunks);

    /**
     * Appends chunks together with a position of the agent's own, for example the number of the provider's event they came from. Both are
     * durable or neither is, so that after a crash {@link #position()} says exactly where to go on.
     *
     * @param chunks possibly empty, to store a position alone
     * @param position not below an earlier one
     */
    void emit(List<byte[]> chunks, long position);

    /** Keeps a small value with the stream, durable on return; for example the id of the provider's run. */
    void remember(String name, byte[] value);

    /** A value kept by {@link #remember}, in this or an earlier attempt on this stream. */
    Optional<byte[]> recall(String name);

    /** Whether a stop was asked for (or the process drains). The agent's thread is interrupted as well. */
    boolean stopRequested();

    /**
     * Whether the turn itself was stopped, for good; not so when this process only gives it up and another attempt goes on. An agent cancels its
     * run at a provider in the first case and leaves it alone in the second.
     */
    boolean isStopped();

    /** Runs when a stop is asked for, at once if it was already; for example to cut the connection to the provider. Must not block. */
    void onStop(Runnable action);

    /**
     * Starts a turn within this one, in a session that is made if it is missing, or attaches to the one that was started there with the same key:
     * after a crash this turn finds the nested one again by it, wherever that has got to. It starts at once, also while its session is busy.
     *
     * @throws dev.holdfast.error.HoldfastException as {@link Turns#start} does
     */
    NestedTurn nest(String sessionId, TurnRequest request);
}
