package dev.holdfast.client;

import dev.holdfast.client.WatchSlot.Verdict;
import dev.holdfast.client.message.ServerMessage;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls listeners: one call at a time for each session, without the client's lock. The cursor moves once the call has returned, and does not if it
 * threw.
 */
final class Deliveries {

    private static final Logger LOG = LoggerFactory.getLogger(Deliveries.class);

    private final Monitor monitor;
    private final Executor executor;
    private final WatchTable table;

    Deliveries(Monitor monitor, Executor executor, WatchTable table) {
        this.monitor = monitor;
        this.executor = executor;
        this.table = table;
    }

    /**
     * Delivers something that came.
     *
     * @param verdict what becomes of it; under the monitor
     * @param call calls the listener
     * @param taken notes that it was taken; under the monitor
     */
    void deliver(
            Link link,
            WatchSlot slot,
            Supplier<Verdict> verdict,
            Consumer<SessionWatch> call,
            Consumer<SessionWatch> taken) {
        slot.delivery.lock();
        try {
            Optional<SessionWatch> begun = monitor.decide(() -> begin(link, slot, verdict));
            if (begun.isEmpty()) {
                return;
            }
            SessionWatch watch = begun.get();
            try {
                call.accept(watch);
            } catch (Throwable e) { // whatever it is, it was not taken
                monitor.change(() -> refused(link, slot, watch, e));
                return;
            }
            monitor.change(() -> {
                taken.accept(watch); // also if that call ended the watch: who goes on at its cursor gets nothing twice
                table.progress();
            });
        } finally {
            slot.delivery.unlock();
        }
    }

    private Optional<SessionWatch> begin(Link link, WatchSlot slot, Supplier<Verdict> verdict) {
        if (!table.isPresent(link, slot)) {
            return Optional.empty();
        }
        return switch (verdict.get()) {
            case TAKE -> Optional.ofNullable(slot.wanted);
            case PASS_OVER -> Optional.empty();
            case RESTART -> {
                table.restart(slot);
                yield Optional.empty();
            }
        };
    }

    private void refused(Link link, WatchSlot slot, SessionWatch watch, Throwable failure) {
        if (slot.wanted != watch || table.isClosed()) {
            return;
        }
        LOG.debug("The listener of the session {} failed", slot.session, failure);
        if (++slot.refusals >= SessionClient.MAX_REFUSALS) {
            table.giveUp(slot, watch, failure);
        } else if (table.isCurrent(link)) {
            table.restart(slot);
        }
    }

    void driver(Link link, WatchSlot slot, ServerMessage.Driver message) {
        slot.delivery.lock();
        try {
            Optional<SessionWatch> watch = monitor.decide(() -> begin(link, slot, () -> Verdict.TAKE));
            if (watch.isPresent()) {
                watch.get().listener.driver(message);
            }
        } catch (RuntimeException e) {
            LOG.warn("The listener of the session {} failed at who drives it", slot.session, e);
        } finally {
            slot.delivery.unlock();
        }
    }

    /** Tells that a watch has ended, after the calls before. */
    void end(WatchSlot slot, SessionWatch watch, WatchEnd end) {
        monitor.then(() -> executor.execute(() -> {
            slot.delivery.lock();
            try {
                if (!monitor.decide(table::isClosed)) {
                    watch.listener.ended(end);
                }
            } catch (RuntimeException e) {
                LOG.warn("The listener of the session {} failed at its end", slot.session, e);
            } finally {
                slot.delivery.unlock();
            }
        }));
    }
}
