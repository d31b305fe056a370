package dev.holdfast.store;

/** Keeping messages findable. The words of a message are deleted with it. */
public interface SearchWrites {

    /** Sets the words of a message, instead of those of before; without words it is not found. It keeps its position. */
    default void putWords(WordsRow row) {}

    /** This message of {@link SearchReads#withoutWords}, and all before it there, need not be named again. */
    default void passedOver(MessageRow row) {}
}
