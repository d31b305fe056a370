package dev.holdfast.stream;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a stream is created by {@link Streams#create}: all of it in one commit.
 *
 * @param options content type, life and the like
 * @param firstChunks chunks it starts with, after those of the stream it is forked from; the arrays must not be changed afterwards
 * @param settled whether it is settled as completed at once
 * @param fork where it branches off another stream, or null. What the options leave open (content type, time to live or expiry, retention) is then as
 *     with the source
 */
public record StreamCreation(
        StreamOptions options,
        List<byte[]> firstChunks,
        boolean settled,
        @Nullable Fork fork) {

    public static StreamCreation of(StreamOptions options) {
        return new StreamCreation(options, List.of(), false, null);
    }

    public StreamCreation with(List<byte[]> chunks) {
        return new StreamCreation(options, chunks, settled, fork);
    }

    /** Settles it as completed in the same commit. */
    public StreamCreation settling() {
        return new StreamCreation(options, firstChunks, true, fork);
    }

    public StreamCreation from(Fork point) {
        return new StreamCreation(options, firstChunks, settled, point);
    }
}
