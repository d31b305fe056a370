package dev.holdfast.client;

import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells of states, one at a time and in order; who is slow hears the latest one only. Guarded by the client's monitor. */
final class Announcer {

    private static final Logger LOG = LoggerFactory.getLogger(Announcer.class);

    private final Monitor monitor;
    private final Executor executor;
    private final Consumer<ClientState> listener;
    private @Nullable ClientState latest;
    private boolean telling;
    private boolean silent;

    Announcer(Monitor monitor, Executor executor, Consumer<ClientState> listener) {
        this.monitor = monitor;
        this.executor = executor;
        this.listener = listener;
    }

    void announce(ClientState state) {
        monitor.assertHeld();
        if (silent) {
            return;
        }
        latest = state;
        if (!telling) {
            telling = true;
            monitor.then(() -> executor.execute(this::tell));
        }
    }

    /** Nothing is told any more. */
    void silence() {
        monitor.assertHeld();
        silent = true;
        latest = null;
    }

    private void tell() {
        for (Optional<ClientState> next = next(); next.isPresent(); next = next()) {
            try {
                listener.accept(next.get());
            } catch (RuntimeException e) {
                LOG.warn("A listener to the state of a client failed", e);
            }
        }
    }

    private Optional<ClientState> next() {
        return monitor.decide(() -> {
            Optional<ClientState> next = Optional.ofNullable(latest);
            latest = null;
            telling = next.isPresent();
            return next;
        });
    }
}
