package dev.holdfast.bench.postgres;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** So many at once, each on a virtual thread and with one piece of work after the other. */
final class Workers {

    private Workers() {}

    /** A piece of work. */
    @FunctionalInterface
    interface Work {
        void run(int worker, int number) throws Exception;
    }

    static void run(int workers, int each, Work work) throws InterruptedException {
        List<FutureTask<Void>> tasks = new ArrayList<>();
        for (int i = 0; i < workers; i++) {
            int worker = i;
            FutureTask<Void> task = new FutureTask<>(() -> {
                for (int number = 0; number < each; number++) {
                    work.run(worker, number);
                }
                return null;
            });
            tasks.add(task);
            Thread unused = Thread.startVirtualThread(task);
        }
        for (FutureTask<Void> task : tasks) {
            try {
                task.get();
            } catch (ExecutionException e) {
                throw new IllegalStateException("the work of a run failed; its figures mean nothing", e.getCause());
            }
        }
    }
}
