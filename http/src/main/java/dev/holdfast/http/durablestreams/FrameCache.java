package dev.holdfast.http.durablestreams;

import dev.holdfast.stream.ReadBatch;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Frames that were encoded a moment ago: the thousand readers who wait at the tail of a stream all get the same bytes. Bounded: each place
 * holds one frame, the newest that fell there. Thread-safe; a frame that two readers miss at once is encoded twice.
 */
final class FrameCache {

    private static final int PLACES = 256;

    private static final int MAX_FRAME_BYTES = 64 << 10;

    private final AtomicReferenceArray<@Nullable Entry> places = new AtomicReferenceArray<>(PLACES);

    private record Entry(
            long incarnation, long from, long next, boolean upToDate, boolean ended, long cursor, byte[] frame) {

        boolean is(long wantedIncarnation, ReadBatch batch, long wantedFrom, long wantedCursor) {
            return incarnation == wantedIncarnation
                    && from == wantedFrom
                    && next == batch.nextSeq()
                    && upToDate == batch.upToDate()
                    && ended == batch.ended()
                    && cursor == wantedCursor;
        }
    }

    /** The frame of a batch; do not change it. */
    byte[] find(long incarnation, Content content, ReadBatch batch, long cursor) {
        long from = batch.nextSeq() - batch.chunks().size();
        int place = (int) Math.floorMod(incarnation * 31 + from, (long) PLACES);
        Entry known = places.get(place);
        if (known != null && known.is(incarnation, batch, from, cursor)) {
            return known.frame();
        }
        byte[] frame = SseFrame.of(content, batch, cursor);
        if (frame.length <= MAX_FRAME_BYTES) {
            places.set(
                    place,
                    new Entry(incarnation, from, batch.nextSeq(), batch.upToDate(), batch.ended(), cursor, frame));
        }
        return frame;
    }
}
