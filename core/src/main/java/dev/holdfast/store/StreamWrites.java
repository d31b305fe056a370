package dev.holdfast.store;

/** Writing streams, the log and blocks. */
public interface StreamWrites {

    /**
     * Adds to the log. All that one transaction appends becomes one log entry (one position), in which the appends of each stream keep their
     * order. Appending does not touch the stream's row.
     * The arrays are handed over: nobody changes them afterwards.
     */
    void append(AppendRecord record);

    /** Inserts a stream. Its key is new. */
    void insertStream(StreamRow row);

    /** Replaces a stream's row. A row whose state is {@code DISCARDED} gives its name free. */
    void updateStream(StreamRow row);

    /** Deletes a stream's row. Its blocks and properties were deleted before. */
    void deleteStream(long key);

    /** Writes a sealed block. */
    void insertBlock(BlockRow block);

    /**
     * Deletes blocks that end at or below {@code belowSeq}, oldest first; a store that keeps the log by stream, what is left of the stream's log
     * there as well.
     *
     * @return how many rows were deleted; less than {@code limit} means that none is left
     */
    int deleteBlocks(long streamKey, long belowSeq, int limit);

    /**
     * The engine needs no log entry at or below this position any more: all its chunks are sealed or discarded. A journal store deletes
     * them (bounded work per call); a store that keeps chunks by stream may ignore it.
     *
     * @return the highest position actually released so far
     */
    long releaseLog(long position);
}
