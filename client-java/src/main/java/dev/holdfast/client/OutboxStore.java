package dev.holdfast.client;

import java.io.IOException;
import java.util.List;

/**
 * Keeps what was sent and not answered yet, so that a process that ends in between goes on with it. One client at a time uses a store, one call at a time.
 */
public interface OutboxStore {

    /** What is kept, in the order in which it was put. */
    List<OutboxEntry> load() throws IOException;

    /** Keeps one more, behind the others; on disk when this returns. */
    void put(OutboxEntry entry) throws IOException;

    /** Forgets one, if it is there. */
    void remove(OutboxEntry entry) throws IOException;

    /** Keeps nothing: what is in the outbox ends with the process. */
    static OutboxStore none() {
        return new OutboxStore() {
            @Override
            public List<OutboxEntry> load() {
                return List.of();
            }

            @Override
            public void put(OutboxEntry entry) {}

            @Override
            public void remove(OutboxEntry entry) {}
        };
    }
}
