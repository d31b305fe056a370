package dev.holdfast.turn;

import dev.holdfast.error.HoldfastException.StoreBusy;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.error.HoldfastException.TurnNotFound;
import dev.holdfast.session.Message;
import dev.holdfast.session.Sessions;
import dev.holdfast.stream.Chunk;
import dev.holdfast.stream.ReadBatch;
import dev.holdfast.stream.StreamLimits;
import dev.holdfast.stream.StreamReader;
import dev.holdfast.stream.Streams;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A turn that runs within another one, as its outer turn sees it. Its stream is kept until the outer turn ends, so that it can be read from its
 * beginning as often as need be; then it is discarded with the outer turn, in the same commit. What it emits counts as progress of the outer
 * one, and whoever stops that one stops it, too. While the database is away, its methods wait as those of {@link TurnContext} do.
 *
 * <p>One thread at a time.
 */
public final class NestedTurn {

    private static final Logger LOG = LoggerFactory.getLogger(NestedTurn.class);

    /** Told of what the nested turn says. */
    public interface Follower {

        /** The chunks come from the first one on: for the first time, or because the turn was begun anew and what came before does not count. */
        void begins();

        /** The next chunks, in order. */
        void says(List<byte[]> chunks);
    }

    private final TurnRuntime runtime;
    private final RunContext outer;
    private final Turns turns;
    private final Sessions sessions;
    private final Streams streams;
    private final String sessionId;
    private final TurnHandle handle;

    NestedTurn(TurnRuntime runtime, RunContext outer, String sessionId, TurnRequest request) {
        String tenant = outer.tenant();
        this.runtime = runtime;
        this.outer = outer;
        this.turns = new Turns(runtime, tenant);
        this.sessions = new Sessions(runtime.sessions(), tenant);
        this.streams = new Streams(runtime.streams(), tenant);
        this.sessionId = sessionId;
        var unused = outer.patiently(() -> sessions.create(sessionId));
        this.handle = outer.patiently(() -> turns.start(sessionId, request)); // joins what was started before
    }

    /** The turn as it stands. */
    public TurnStatus status() {
        return outer.patiently(() -> turns.status(sessionId, handle.id()))
                .orElseThrow(() -> new TurnNotFound(sessionId, handle.id()));
    }

    /**
     * Follows the turn until it has its outcome or waits for someone.
     *
     * @return how it stands then
     * @throws InterruptedException if the outer turn is stopped, or its process ends
     */
    public TurnStatus follow(Follower follower) throws InterruptedException {
        Duration pause = TurnLimits.FIRST_COMMIT_BACKOFF;
        while (true) {
            TurnStatus now = status();
            String stream = now.streamName();
            try {
                if (stream != null && readToItsEnd(stream, follower)) {
                    now = status();
                }
            } catch (StoreBusy e) { // away for the moment: it is read again, from its beginning
                if (outer.stopRequested()) {
                    throw e;
                }
                LOG.warn("Nested turn {} waits {} to be read on: {}", handle.id(), pause, e.getMessage());
                pause = runtime.waits().pauseAndGrow(pause);
                continue;
            }
            if (now.state().isOutcome() || now.state() == TurnState.AWAITING) {
                return now;
            }
            boolean unused =
                    runtime.waits().comesWithin(handle.ended(), TurnLimits.FIRST_COMMIT_BACKOFF); // between two streams
        }
    }

    /** Returns false if the stream is not there, or was given up while it was read. */
    private boolean readToItsEnd(String stream, Follower follower) throws InterruptedException {
        try (StreamReader reader = streams.tail(stream, 0)) {
            follower.begins();
            ReadBatch batch;
            do {
                batch = reader.next(StreamLimits.MAX_READ_BYTES);
                if (!batch.chunks().isEmpty()) {
                    follower.says(
                            batch.chunks().stream().map(Chunk::toByteArray).toList());
                }
            } while (!batch.ended());
            return true;
        } catch (StreamNotFound e) {
            return false;
        }
    }

    /** The message that the turn has written; empty as long as it runs for the first time, and if it wrote none. */
    public Optional<Message> message() {
        String message = status().messageId();
        return outer.patiently(() -> sessions.get(sessionId).message(message));
    }

    /** Stops this turn alone, as {@link Turns#stop}. Works when the outer turn has ended, too. */
    public StopResult stop(@Nullable String reason) {
        return outer.patientlyEvenAfterwards(() -> turns.stop(sessionId, handle.id(), reason));
    }
}
