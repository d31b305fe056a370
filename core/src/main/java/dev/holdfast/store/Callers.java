package dev.holdfast.store;

import dev.holdfast.error.HoldfastException;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Tells callers what became of their commands: threads that wait are woken, futures are completed away from the committer's thread. Thread-safe,
 * as each command is told once.
 */
final class Callers {

    private final Executor apart;

    /**
     * @param apart runs what must not keep the committer's thread busy
     */
    Callers(Executor apart) {
        this.apart = apart;
    }

    /** Gives each command of a batch its answer, or its refusal if that is what it got. After the commit (VISIBLE-IS-DURABLE). */
    void release(List<Command<?>> batch, @Nullable Object[] answers) {
        boolean anyFuture = false;
        Waking waking = new Waking(answers.length);
        for (int i = 0; i < answers.length; i++) {
            Command<?> command = batch.get(i);
            anyFuture |= command.hasFuture();
            if (answers[i] instanceof HoldfastException refusal) {
                command.refuse(refusal);
            } else {
                waking.add(command.answer(answers[i]));
            }
        }
        waking.finish(apart);
        if (anyFuture) {
            completeFutures(batch);
        }
    }

    /** Refuses all of them that have no answer yet. */
    void refuse(List<Command<?>> batch, HoldfastException error) {
        for (Command<?> command : batch) {
            command.refuse(error);
        }
        completeFutures(batch);
    }

    private void completeFutures(List<Command<?>> batch) {
        apart.execute(() -> batch.forEach(Command::completeFuture));
    }
}
