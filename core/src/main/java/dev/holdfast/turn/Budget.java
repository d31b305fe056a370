package dev.holdfast.turn;

import dev.holdfast.store.TurnRow;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What recovering a turn has cost so far, and whether it may cost more. Pure: the record of an incident, what was lost now, and the clock go
 * in; the next record comes out.
 *
 * @param attempts attempts that count, since the turn last got further than ever
 * @param work chunks since the incident was opened
 * @param furthest the most chunks that the turn's stream ever had
 * @param nested chunks of the turns that it nests
 * @param openedAt wall clock, ms
 * @param updatedAt wall clock, ms
 * @param countedAt wall clock, ms, of the last attempt that counted
 * @param progressAt wall clock, ms, of the last progress
 * @param progressed whether the attempt that was lost last got further than ever before
 */
record Budget(
        String turnId,
        Incident.Status status,
        Incident.Cause cause,
        String reason,
        int attempts,
        long work,
        long furthest,
        long nested,
        long openedAt,
        long updatedAt,
        long countedAt,
        long progressAt,
        boolean progressed) {

    /**
     * What an attempt left.
     *
     * @param chunks in its stream
     * @param nested in the streams of the turns that it nests
     */
    record Left(long chunks, long nested) {}

    /** The account after another loss. */
    static Budget after(
            @Nullable Budget before, TurnRow lost, Loss loss, Left left, long now, RecoverySettings settings) {
        if (before == null || before.status() == Incident.Status.GIVEN_UP) {
            boolean progressed = left.chunks() > lost.progress() || left.nested() > 0;
            return new Budget(
                    lost.id(),
                    Incident.Status.RECOVERING,
                    loss.cause(),
                    loss.reason(),
                    1,
                    0,
                    left.chunks(),
                    left.nested(),
                    now,
                    now,
                    now,
                    progressed ? now : lost.progressAt(),
                    progressed);
        }
        boolean progressed = left.chunks() > before.furthest() || left.nested() > before.nested();
        boolean sameStorm = !progressed
                && loss.cause() == Incident.Cause.PROCESS_LOST
                && now - before.countedAt() < settings.wakeDebounce().toMillis();
        long emitted = Math.max(0, left.chunks() - lost.progress()) + Math.max(0, left.nested() - before.nested());
        return new Budget(
                lost.id(),
                Incident.Status.RECOVERING,
                loss.cause(),
                loss.reason(),
                progressed ? 1 : sameStorm ? before.attempts() : before.attempts() + 1,
                before.work() + emitted,
                Math.max(before.furthest(), left.chunks()),
                Math.max(before.nested(), left.nested()),
                before.openedAt(),
                now,
                sameStorm ? before.countedAt() : now,
                progressed ? now : before.progressAt(),
                progressed);
    }

    /** Why the turn must not be taken up again, if it must not: the weightiest reason first. */
    Optional<String> exhausted(TurnLimits limits, RecoverySettings settings, boolean wanted) {
        if (work > settings.maxWork()) {
            return Optional.of(
                    "It emitted %d chunks since its first recovery, more than %d".formatted(work, settings.maxWork()));
        }
        long without = updatedAt - progressAt;
        if (attempts > 1 && without > limits.maxWithoutProgress().toMillis()) {
            return Optional.of("It made no progress for %d s".formatted(without / 1000));
        }
        if (!wanted) {
            return Optional.of("The application does not want it to be recovered again");
        }
        if (!progressed && attempts >= limits.maxAttempts()) {
            return Optional.of("It was lost %d times without progress".formatted(attempts));
        }
        return Optional.empty();
    }

    Budget givenUp(String why, long now) {
        return new Budget(
                turnId,
                Incident.Status.GIVEN_UP,
                cause,
                why,
                attempts,
                work,
                furthest,
                nested,
                openedAt,
                now,
                countedAt,
                progressAt,
                progressed);
    }
}
