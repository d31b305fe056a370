package dev.holdfast.turn;

import dev.holdfast.store.Command;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.FeedRow;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.TurnRow;
import dev.holdfast.stream.StreamEngine;
import java.util.List;
import java.util.Optional;

/** Gives the first turn that waits its stream, if its session is free and its time has come. */
final class StartNext extends Command<StartNext.Next> {

    /** What was decided. */
    sealed interface Next {
        /** It runs from now on. */
        record Started(SessionRow session, TurnRow waited, TurnRow row, StreamEngine.Opened stream) implements Next {}

        /** It may not start before {@code at}, wall clock, ms. */
        record Later(long at) implements Next {}

        /** Nothing waits, or another turn has the session. */
        record Nothing() implements Next {}
    }

    private final TurnRuntime runtime;
    private final long sessionKey;

    StartNext(TurnRuntime runtime, long sessionKey) {
        this.runtime = runtime;
        this.sessionKey = sessionKey;
    }

    @Override
    protected Next decide(CommitScope scope) {
        Optional<SessionRow> session = scope.reads().session(sessionKey).filter(row -> !row.deleted());
        List<TurnRow> line = session.isEmpty() ? List.of() : Line.of(scope.reads(), sessionKey);
        if (line.isEmpty() || !line.stream().allMatch(Line::waits)) {
            return new Next.Nothing();
        }
        TurnRow first = line.getFirst();
        return first.startsAt() > scope.now()
                ? new Next.Later(first.startsAt())
                : start(scope, session.orElseThrow(), first);
    }

    private Next start(CommitScope scope, SessionRow session, TurnRow waiting) {
        StreamEngine.Opened stream = TurnRows.openStream(runtime.streams(), scope, session, waiting);
        TurnRow row = TurnRows.started(waiting, stream, scope.now());
        scope.writes().updateTurn(row);
        runtime.sessions()
                .feed(scope, session, FeedRow.Kind.STREAM_OPENED, row.messageId(), row.id(), row.streamName());
        return new Next.Started(session, waiting, row, stream);
    }
}
