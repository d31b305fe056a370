package dev.holdfast.session;

import dev.holdfast.store.StoreReads;
import dev.holdfast.store.StreamRow;
import dev.holdfast.store.TurnRow;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A turn without an outcome, at one instant.
 *
 * @param turnId its id
 * @param state {@code ACCEPTED}, {@code STREAMING} or {@code AWAITING}
 * @param messageId id of the message it writes, which may not be there yet
 * @param stream the stream it writes to now, or null
 */
public record LiveTurn(
        String turnId,
        TurnRow.State state,
        String messageId,
        @Nullable LiveStream stream) {

    /**
     * A turn's stream and where to read it.
     *
     * @param name for {@link dev.holdfast.stream.Streams}
     * @param incarnation which creation of the name
     * @param from the next sequence number to read; the stream's beginning for someone who has none of it
     */
    public record LiveStream(String name, long incarnation, long from) {}

    public Optional<LiveStream> streamNow() {
        return Optional.ofNullable(stream);
    }

    static LiveTurn of(StoreReads reads, TurnRow turn, SessionCursor cursor) {
        LiveStream stream = turn.streamKey() == 0
                ? null
                : reads.stream(turn.streamKey())
                        .filter(row -> row.state() == StreamRow.State.LIVE)
                        .map(row -> new LiveStream(
                                row.name(),
                                row.incarnation(),
                                cursor.position(row.incarnation()).orElse(row.firstSeq())))
                        .orElse(null);
        return new LiveTurn(turn.id(), turn.state(), turn.messageId(), stream);
    }
}
