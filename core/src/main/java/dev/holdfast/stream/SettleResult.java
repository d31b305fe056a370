package dev.holdfast.stream;

/**
 * What a settlement did.
 *
 * @param settled true if this call settled the stream; false if it was settled before, in which case nothing was done and the commit
 *     callback did not run
 * @param state the stream's outcome
 * @param tail the number of chunks it ended with
 */
public record SettleResult(boolean settled, StreamState state, long tail) {}
