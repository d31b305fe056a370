package dev.holdfast.client;

import dev.holdfast.client.message.ClientMessage;
import dev.holdfast.client.message.ServerMessage.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Commands under way on the present link. Each has one end: its answer, or that there was none in time. A call that was abandoned, as all are when their
 * link is, has no end at all. Guarded by the client's monitor.
 */
final class Calls {

    /** How long an answer may take. */
    static final Duration LIMIT = Duration.ofSeconds(15);

    private static final String TOO_LATE = "There was no answer in %d seconds.".formatted(LIMIT.toSeconds());

    private final Monitor monitor;
    private final Timers timers;
    private final Set<Call> open = new HashSet<>();

    Calls(Monitor monitor, Timers timers) {
        this.monitor = monitor;
        this.timers = timers;
    }

    /** How a call ended. */
    sealed interface End {
        /** The server said something. */
        record Answered(Reply reply) implements End {}

        /** It did not, so the command may have been carried out or not. */
        record Unanswered(String why) implements End {}
    }

    /** A command under way. */
    final class Call {
        private final Consumer<End> then;
        private boolean over;
        private Timers.@Nullable Cancel limit;
        private @Nullable CompletableFuture<Reply> reply;

        private Call(Consumer<End> then) {
            this.then = then;
        }

        private void finish(End end) {
            if (stop()) {
                then.accept(end);
            }
        }

        private void sent(CompletableFuture<Reply> future) {
            if (over) {
                monitor.then(() -> future.cancel(true));
            } else {
                reply = future;
            }
        }

        private boolean stop() {
            if (over) {
                return false;
            }
            over = true;
            open.remove(this);
            if (limit != null) {
                limit.cancel();
            }
            CompletableFuture<Reply> future = reply;
            if (future != null) {
                monitor.then(() -> future.cancel(true));
            }
            return true;
        }
    }

    /** Sends a command after the present change. {@code then} runs under the monitor. */
    void start(Link link, ClientMessage command, Consumer<End> then) {
        monitor.assertHeld();
        Call call = new Call(then);
        open.add(call);
        call.limit = timers.after(LIMIT, () -> monitor.change(() -> call.finish(new End.Unanswered(TOO_LATE))));
        monitor.then(() -> {
            CompletableFuture<Reply> future = link.send(command);
            monitor.change(() -> call.sent(future));
            var unused = future.whenComplete((reply, failure) -> monitor.change(() -> call.finish(
                    reply != null
                            ? new End.Answered(reply)
                            : new End.Unanswered("There was no answer: %s.".formatted(why(failure))))));
        });
    }

    private static String why(Throwable failure) {
        Throwable cause = failure.getCause() == null ? failure : failure.getCause();
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }

    /** Forgets all that are under way. */
    void abandonAll() {
        monitor.assertHeld();
        new ArrayList<>(open).forEach(Call::stop);
    }
}
