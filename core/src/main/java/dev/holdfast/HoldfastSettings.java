package dev.holdfast;

import dev.holdfast.session.SessionLimits;
import dev.holdfast.store.Committer;
import dev.holdfast.store.StoreSettings;
import dev.holdfast.store.Time;
import dev.holdfast.store.Timers;
import dev.holdfast.stream.StreamLimits;
import java.util.function.Supplier;

/**
 * How an instance behaves. Start from {@link #defaults()} and change what you need.
 *
 * @param store how an embedded store behaves
 * @param committer bounds of the queue in front of the store
 * @param streams limits of streams
 * @param sessions limits of sessions, messages, feeds and properties
 * @param time clocks and randomness
 * @param timers makes what runs things later; each opened instance gets its own and closes it
 */
public record HoldfastSettings(
        StoreSettings store,
        Committer.Limits committer,
        StreamLimits streams,
        SessionLimits sessions,
        Time time,
        Supplier<Timers> timers) {

    public static HoldfastSettings defaults() {
        return new HoldfastSettings(
                StoreSettings.defaults(),
                Committer.Limits.defaults(),
                StreamLimits.defaults(),
                SessionLimits.defaults(),
                Time.system(),
                Timers::system);
    }

    public HoldfastSettings withStore(StoreSettings settings) {
        return new HoldfastSettings(settings, committer, streams, sessions, time, timers);
    }

    public HoldfastSettings withCommitter(Committer.Limits limits) {
        return new HoldfastSettings(store, limits, streams, sessions, time, timers);
    }

    public HoldfastSettings withStreams(StreamLimits limits) {
        return new HoldfastSettings(store, committer, limits, sessions, time, timers);
    }

    public HoldfastSettings withSessions(SessionLimits limits) {
        return new HoldfastSettings(store, committer, streams, limits, time, timers);
    }
}
