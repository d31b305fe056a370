package dev.holdfast.http.chat;

import dev.holdfast.stream.Cursor;
import dev.holdfast.uimessage.UiMessage;
import java.util.OptionalLong;

/** What a client has of a turn before its connection begins. */
sealed interface Place {

    /** Nothing of the answer; it is sent chunk by chunk. */
    record Nothing() implements Place {}

    /** Nothing it could be told to go on from: the replay is compacted, with what was written before the turn waited. */
    record Reload() implements Place {}

    /** All up to a cursor. */
    record At(Cursor cursor) implements Place {}

    /** The message as it was when the turn waited. */
    record Message(UiMessage message) implements Place {}

    /**
     * So many chunks of the exact view.
     *
     * @param index the number of the next chunk; a negative one counts from the end, and is where the client wants to begin
     * @param goesOn whether the view begins behind what was written before the turn waited
     * @param incarnation the stream that it was counted in, if known
     */
    record Index(long index, boolean goesOn, OptionalLong incarnation) implements Place {}

    /** Whether the view goes on with a message that the client has. */
    default boolean hasMessage() {
        return this instanceof Message || (this instanceof Index index && index.goesOn());
    }

    /** Whether the client may come back with the number of the next chunk of its run. */
    default boolean counted() {
        return posted() || (this instanceof Index index && index.incarnation().isPresent());
    }

    /** Whether the client posted, and so is to be told the outcome also if the turn is over. */
    default boolean posted() {
        return this instanceof Nothing || this instanceof Message;
    }
}
