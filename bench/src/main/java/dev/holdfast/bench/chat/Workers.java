package dev.holdfast.bench.chat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** A closed loop: so many workers at once, each with one turn after the other. */
final class Workers {

    private Workers() {}

    /** One turn from its start to its end, with its reader. */
    @FunctionalInterface
    interface Turn {
        void run(int worker, int number) throws IOException, InterruptedException;
    }

    /** Runs them all, and returns how long it took. */
    static long run(int workers, int turnsEach, Turn turn) throws IOException, InterruptedException {
        List<FutureTask<Void>> tasks = new ArrayList<>();
        for (int worker = 0; worker < workers; worker++) {
            int number = worker;
            tasks.add(new FutureTask<>(() -> {
                for (int i = 0; i < turnsEach; i++) {
                    turn.run(number, i);
                }
                return null;
            }));
        }
        long start = System.nanoTime();
        tasks.forEach(task -> Thread.ofVirtual().start(task));
        for (FutureTask<Void> task : tasks) {
            try {
                task.get();
            } catch (ExecutionException e) {
                throw new IOException("a turn failed", e.getCause());
            }
        }
        return System.nanoTime() - start;
    }
}
