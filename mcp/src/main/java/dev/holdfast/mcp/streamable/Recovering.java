package dev.holdfast.mcp.streamable;

import dev.holdfast.cluster.Peers;
import dev.holdfast.mcp.events.Departures;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Has what was left looked after: when the transport begins, and in a cluster whenever a node may have gone. One at a time; what changes meanwhile
 * is looked at once more afterwards. Thread-safe.
 */
final class Recovering {

    private final Services services;
    private final Recovery recovery;
    private final AtomicInteger asked = new AtomicInteger();

    Recovering(Services services, Recovery recovery) {
        this.services = services;
        this.recovery = recovery;
    }

    void start() {
        Peers peers = services.nodes().peers();
        Departures departures = new Departures(peers);
        services.nodes()
                .endsWith(peers.onChange(
                        () -> { // first listen, then look
                            if (departures.any()) {
                                ask();
                            }
                        }));
        ask();
    }

    private void ask() {
        if (asked.getAndIncrement() == 0) {
            Thread unused = Services.apart("recovery", this::run);
        }
    }

    private void run() {
        int answered;
        do {
            answered = asked.get();
            if (services.closed().get()) {
                return; // and nobody looks again
            }
            recovery.run();
        } while (asked.addAndGet(-answered) != 0);
    }
}
