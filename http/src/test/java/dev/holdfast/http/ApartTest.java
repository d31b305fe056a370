package dev.holdfast.http;

import static dev.holdfast.http.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** An exchange in parts: no wake-up is lost, and it never has two threads. */
final class ApartTest {

    private static final HttpHandler PARTS = exchange -> {};

    /** Takes what it was given; 1,000 is the end. */
    private static final class Taking implements Exchange.Rest {
        static final int LAST = 1_000;

        final AtomicInteger given = new AtomicInteger();
        final AtomicInteger closed = new AtomicInteger();
        final BlockingQueue<String> wrong = new LinkedBlockingQueue<>();
        volatile int seen;

        private final AtomicInteger inside = new AtomicInteger();
        private int parts; // plain: what a part did, the next one sees
        private volatile int partsByAll;

        @Override
        public boolean goOn(Runnable wake) {
            if (inside.getAndIncrement() != 0) {
                wrong.add("two threads");
            }
            if (parts != partsByAll) {
                wrong.add("a part does not see the one before");
            }
            if (closed.get() > 0) {
                wrong.add("a part after the last one");
            }
            parts++;
            partsByAll = parts;
            seen = given.get();
            inside.getAndDecrement();
            return seen < LAST;
        }

        @Override
        public void close() {
            closed.incrementAndGet();
        }
    }

    private static void spin(int times) {
        for (int i = 0; i < times; i++) {
            Thread.onSpinWait();
        }
    }

    @Test
    void no_wake_up_is_lost_between_nothing_to_do_and_no_thread() throws Exception {
        SplittableRandom seeds = new SplittableRandom(20_261_130);
        int wakers = 3;
        int each = 40;
        try (ExecutorService threads = Executors.newFixedThreadPool(wakers)) {
            for (int round = 0; round < 400; round++) {
                Taking rest = new Taking();
                BlockingQueue<String> ends = new LinkedBlockingQueue<>();
                Apart apart = new Apart(new NoExchange());
                apart.leave(rest);
                apart.begin(PARTS, defect -> ends.add(String.valueOf(defect)));
                List<Future<?>> waking = new ArrayList<>();
                for (int w = 0; w < wakers; w++) {
                    SplittableRandom random = seeds.split();
                    waking.add(threads.submit(() -> {
                        for (int i = 0; i < each; i++) {
                            spin(random.nextInt(100));
                            rest.given.incrementAndGet();
                            apart.wake();
                        }
                    }));
                }
                for (Future<?> one : waking) {
                    one.get();
                }
                await().pollDelay(Duration.ZERO)
                        .pollInterval(Duration.ofMillis(1))
                        .until(() -> rest.seen == wakers * each);

                rest.given.set(Taking.LAST);
                apart.wake();
                apart.wake();

                assertThat(ends.take()).isEqualTo("null");
                apart.wake();
                assertThat(rest.wrong).isEmpty();
                assertThat(rest.closed).hasValue(1);
                assertThat(ends).isEmpty();
            }
        }
    }

    @Test
    void a_wake_up_before_the_first_part_is_answered_by_it() {
        Taking rest = new Taking();
        BlockingQueue<String> ends = new LinkedBlockingQueue<>();
        Apart apart = new Apart(new NoExchange());
        apart.leave(rest);
        rest.given.set(Taking.LAST);
        apart.wake();
        assertThat(rest.partsByAll).isZero();

        apart.begin(PARTS, defect -> ends.add(String.valueOf(defect)));

        assertThat(ends).containsExactly("null");
    }

    @Test
    void a_part_that_fails_is_the_last_and_what_it_held_is_let_go() throws Exception {
        for (Exception failure : List.of(new IOException("gone"), new InterruptedException(), new DefectException())) {
            AtomicInteger closed = new AtomicInteger();
            NoExchange exchange = new NoExchange();
            BlockingQueue<String> ends = new LinkedBlockingQueue<>();
            Apart apart = new Apart(exchange);
            apart.leave(new Failing(failure, closed));

            apart.begin(PARTS, defect -> ends.add(String.valueOf(defect)));

            assertThat(Thread.interrupted()).isEqualTo(failure instanceof InterruptedException);
            assertThat(ends.take()).isEqualTo(failure instanceof DefectException ? failure.toString() : "null");
            assertThat(closed).hasValue(1);
            assertThat(exchange.aborted).isTrue();
        }
    }

    @Test
    void where_a_binding_cannot_do_it_the_parts_run_at_once_on_the_thread_that_waits_between_them() throws Exception {
        Taking rest = new Taking();
        NoExchange exchange = new NoExchange();
        BlockingQueue<Runnable> wakes = new LinkedBlockingQueue<>();
        Exchange.Rest told = new Exchange.Rest() {
            @Override
            public boolean goOn(Runnable wake) {
                boolean more = rest.goOn(wake);
                wakes.add(wake);
                return more;
            }

            @Override
            public void close() {
                rest.close();
            }
        };
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> going = threads.submit(() -> {
                exchange.goOnApart(told);
                return null;
            });
            for (int i = 1; i <= 100; i++) {
                rest.given.set(i == 100 ? Taking.LAST : i);
                wakes.take().run();
            }
            going.get();
            assertThat(rest.seen).isEqualTo(Taking.LAST);
            assertThat(rest.closed).hasValue(1);

            wakes.clear();
            Future<?> interrupted = threads.submit(() -> {
                rest.given.set(0);
                exchange.goOnApart(told);
                return null;
            });
            Runnable unused = wakes.take();
            interrupted.cancel(true);
            await().until(() -> rest.closed.get() == 2);
        }
    }

    private static final class DefectException extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private record Failing(Exception failure, AtomicInteger closed) implements Exchange.Rest {
        @Override
        public boolean goOn(Runnable wake) throws IOException, InterruptedException {
            switch (failure) {
                case IOException e -> throw e;
                case InterruptedException e -> throw e;
                default -> throw (RuntimeException) failure;
            }
        }

        @Override
        public void close() {
            closed.incrementAndGet();
        }
    }
}
