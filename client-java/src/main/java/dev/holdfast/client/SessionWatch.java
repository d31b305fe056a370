package dev.holdfast.client;

import org.jspecify.annotations.Nullable;

/** A watch, as who asked for it has it in hand. Its fields are written under the client's monitor. */
final class SessionWatch implements Watch {

    private final WatchTable table;
    private final String session;
    final SessionListener listener;
    volatile @Nullable String cursor;
    volatile boolean active = true;

    SessionWatch(WatchTable table, String session, @Nullable String cursor, SessionListener listener) {
        this.table = table;
        this.session = session;
        this.cursor = cursor;
        this.listener = listener;
    }

    @Override
    public String session() {
        return session;
    }

    @Override
    public @Nullable String cursor() {
        return cursor;
    }

    @Override
    public boolean isActive() {
        return active;
    }

    @Override
    public void unwatch() {
        table.unwatch(this);
    }
}
