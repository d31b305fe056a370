package dev.holdfast.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Whoever has an answer is woken, by whichever thread. */
final class WakingTest {

    private static final int MANY = Waking.DIRECT_LIMIT + 1;

    private final List<Runnable> handedOver = new ArrayList<>();

    @Test
    void a_few_callers_are_woken_at_once() throws InterruptedException {
        List<Thread> callers = callers(Waking.DIRECT_LIMIT, Thread.ofVirtual());

        wake(callers, Waking.DIRECT_LIMIT);

        assertThat(handedOver).isEmpty();
        join(callers);
    }

    @Test
    void many_virtual_callers_are_woken_by_another_thread() throws InterruptedException {
        List<Thread> callers = callers(MANY, Thread.ofVirtual());

        wake(callers, MANY);

        assertThat(handedOver).hasSize(1);
        handedOver.forEach(Runnable::run);
        join(callers);
    }

    @Test
    void platform_threads_are_woken_at_once_however_many_wait() throws InterruptedException {
        List<Thread> callers = callers(MANY, Thread.ofPlatform());

        wake(callers, MANY);

        assertThat(handedOver).isEmpty();
        join(callers);
    }

    @Test
    void a_large_batch_of_which_few_wait_is_not_handed_over() throws InterruptedException {
        List<Thread> callers = callers(1, Thread.ofVirtual());

        wake(callers, MANY);

        assertThat(handedOver).isEmpty();
        join(callers);
    }

    private void wake(List<Thread> callers, int batch) {
        Waking waking = new Waking(batch);
        callers.forEach(waking::add);
        for (int i = callers.size(); i < batch; i++) {
            waking.add(null);
        }
        waking.finish(handedOver::add);
    }

    /** Threads that end once they are unparked; a permit that comes before they park counts as well. */
    private static List<Thread> callers(int count, Thread.Builder kind) {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            threads.add(kind.start(LockSupport::park));
        }
        return threads;
    }

    private static void join(List<Thread> threads) throws InterruptedException {
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
