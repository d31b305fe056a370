package dev.holdfast.stream;

import java.util.List;

/**
 * How a stream is created by {@link Streams#create}: all of it in one commit.
 *
 * @param options content type, life and the like
 * @param firstChunks chunks it starts with; the arrays must not be changed afterwards
 * @param settled whether it is settled as completed at once
 */
public record StreamCreation(StreamOptions options, List<byte[]> firstChunks, boolean settled) {

    public static StreamCreation of(StreamOptions options) {
        return new StreamCreation(options, List.of(), false);
    }

    public StreamCreation with(List<byte[]> chunks) {
        return new StreamCreation(options, chunks, settled);
    }

    /** Settles it as completed in the same commit. */
    public StreamCreation settling() {
        return new StreamCreation(options, firstChunks, true);
    }
}
