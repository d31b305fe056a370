package dev.holdfast.stream;

import dev.holdfast.store.StreamRow;
import org.jspecify.annotations.Nullable;

/**
 * What readers may see of a stream: a snapshot of durable state, published by the committer after each commit that touched the stream.
 * {@code open} is shared with later snapshots and only ever grows behind {@code tail}, so that publishing costs one small object.
 *
 * @param row the row as committed
 * @param state the declared state; kept when the stream is discarded
 * @param error the reason of an errored stream
 * @param openFrom sequence number of the first chunk in {@code open}; everything below is in blocks
 * @param open the open block's chunks
 * @param tail the durable tail
 * @param lastAppendAt wall clock, ms, of the last chunk; the creation if there is none
 * @param gone discarded, deleted or expired: nobody new may attach
 * @param version grows with each snapshot
 */
record View(
        StreamRow row,
        StreamState state,
        @Nullable String error,
        long openFrom,
        OpenChunks open,
        long tail,
        long lastAppendAt,
        boolean gone,
        long version) {}
