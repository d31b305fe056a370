package dev.holdfast.stream;

import dev.holdfast.store.Command;
import dev.holdfast.store.CommitScope;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One append on its way, or only the question how it would be answered. */
final class Append extends Command<AppendResult> {

    /** What becomes of an append that passes every check. */
    enum Mode {
        WRITE,
        CHECK
    }

    private final Function<CommitScope, StreamLog> stream;
    private final @Nullable StreamLog likely;
    private final long epoch;
    private final AppendRequest request;
    private final Mode mode;
    private final int bytes;

    /**
     * @param stream finds the stream, on the committer's thread
     * @param epoch the writer's epoch, or 0 for an append by name
     * @throws dev.holdfast.error.HoldfastException.InvalidArgument if the request is malformed
     * @throws dev.holdfast.error.HoldfastException.LimitExceeded if it is too large
     */
    Append(Function<CommitScope, StreamLog> stream, long epoch, AppendRequest request, Mode mode, StreamLimits limits) {
        this(stream, null, epoch, request, mode, limits);
    }

    /**
     * As above.
     *
     * @param likely what {@code stream} will find, if nothing happens in between
     */
    Append(
            Function<CommitScope, StreamLog> stream,
            @Nullable StreamLog likely,
            long epoch,
            AppendRequest request,
            Mode mode,
            StreamLimits limits) {
        this.stream = stream;
        this.likely = likely;
        this.epoch = epoch;
        this.request = request;
        this.mode = mode;
        this.bytes = request.checked(limits);
    }

    @Override
    protected int payloadBytes() {
        return bytes;
    }

    @Override
    protected int readAhead() {
        return likely == null ? 0 : likely.readAhead();
    }

    @Override
    protected AppendResult decide(CommitScope scope) {
        StreamLog log = stream.apply(scope);
        AppendResult answer = AppendRules.check(log, scope, epoch, request);
        if (answer != null) {
            return answer;
        }
        return mode == Mode.CHECK ? log.wouldAppend(request) : log.append(scope, request);
    }
}
