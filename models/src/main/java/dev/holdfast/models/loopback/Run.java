package dev.holdfast.models.loopback;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/** An answer in the making: a thread of its own produces its events, whether anybody reads them or not. Guarded by its lock. */
final class Run {

    private final String id;
    private final List<String> script;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final List<String> produced = new ArrayList<>();
    private boolean cancelled;
    private boolean over;
    private final Thread producer;

    Run(String id, List<String> script, Pace pace, Semaphore gate) {
        this.id = id;
        this.script = script;
        this.producer = Thread.ofVirtual().name("loopback-run-" + id).unstarted(() -> produce(pace, gate));
    }

    String id() {
        return id;
    }

    void start() {
        producer.start();
    }

    private void produce(Pace pace, Semaphore gate) {
        try {
            for (String event : script) {
                switch (pace) {
                    case Pace.Unlimited p -> {}
                    case Pace.Paused p -> Thread.sleep(p.pause());
                    case Pace.Gated p -> gate.acquire();
                }
                update(() -> produced.add(event));
            }
        } catch (InterruptedException e) {
            // Cancelled.
        }
        update(() -> over = true);
    }

    void cancel() {
        update(() -> {
            if (!over) {
                cancelled = true;
            }
        });
        producer.interrupt();
    }

    void wake() {
        update(() -> {});
    }

    private void update(Runnable change) {
        lock.lock();
        try {
            change.run();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Events from an index on: at least one, or none when the run is over or the reader has gone. */
    List<String> from(int index, BooleanSupplier gone) throws InterruptedException {
        lock.lock();
        try {
            while (produced.size() <= index && !over && !cancelled && !gone.getAsBoolean()) {
                changed.await();
            }
            return produced.size() <= index ? List.of() : List.copyOf(produced.subList(index, produced.size()));
        } finally {
            lock.unlock();
        }
    }

    /** Whether all events were produced, so that a reader may be told that the answer is whole. */
    boolean isWhole() {
        lock.lock();
        try {
            return produced.size() == script.size();
        } finally {
            lock.unlock();
        }
    }

    void awaitStatus(String status) throws InterruptedException {
        lock.lock();
        try {
            while (!status().equals(status)) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    String status() {
        lock.lock();
        try {
            if (cancelled) {
                return "cancelled";
            }
            return produced.size() == script.size() ? "completed" : "in_progress";
        } finally {
            lock.unlock();
        }
    }
}
