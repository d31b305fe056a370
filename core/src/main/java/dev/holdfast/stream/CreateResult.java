package dev.holdfast.stream;

/**
 * What a creation did.
 *
 * @param created true if the stream is new; false if one that was created alike was there, in which case nothing was written
 * @param status the stream as it stands after the commit
 */
public record CreateResult(boolean created, StreamStatus status) {}
