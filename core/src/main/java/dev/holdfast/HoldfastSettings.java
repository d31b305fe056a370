package dev.holdfast;

import dev.holdfast.node.EngineSettings;
import dev.holdfast.session.MessageContents;
import dev.holdfast.session.SessionLimits;
import dev.holdfast.store.Committer;
import dev.holdfast.store.StoreSettings;
import dev.holdfast.store.Time;
import dev.holdfast.store.Timers;
import dev.holdfast.stream.StreamLimits;
import dev.holdfast.turn.TurnSettings;
import java.util.function.Supplier;

/**
 * How an instance behaves. Start from {@link #defaults()} and change what you need.
 *
 * @param store how an embedded store behaves; its clock is always {@code time}, so that nothing in an instance goes by another one
 * @param committer bounds of the queue in front of the store
 * @param streams limits of streams
 * @param sessions limits of sessions, messages, feeds and properties
 * @param contents reads the contents of messages, for titles and the search
 * @param turns agents, and how turns run
 * @param time clocks and randomness
 * @param timers makes what runs things later; each opened instance gets its own and closes it
 */
public record HoldfastSettings(
        StoreSettings store,
        Committer.Limits committer,
        StreamLimits streams,
        SessionLimits sessions,
        MessageContents contents,
        TurnSettings turns,
        Time time,
        Supplier<Timers> timers) {

    public HoldfastSettings {
        store = store.withTime(time);
    }

    public static HoldfastSettings defaults() {
        return new HoldfastSettings(
                StoreSettings.defaults(),
                Committer.Limits.defaults(),
                StreamLimits.defaults(),
                SessionLimits.defaults(),
                MessageContents.plain(),
                TurnSettings.defaults(),
                Time.system(),
                Timers::system);
    }

    EngineSettings engines() {
        return new EngineSettings(committer, streams, sessions, contents, turns, time);
    }

    public HoldfastSettings withStore(StoreSettings settings) {
        return new HoldfastSettings(settings, committer, streams, sessions, contents, turns, time, timers);
    }

    public HoldfastSettings withCommitter(Committer.Limits limits) {
        return new HoldfastSettings(store, limits, streams, sessions, contents, turns, time, timers);
    }

    public HoldfastSettings withStreams(StreamLimits limits) {
        return new HoldfastSettings(store, committer, limits, sessions, contents, turns, time, timers);
    }

    public HoldfastSettings withSessions(SessionLimits limits) {
        return new HoldfastSettings(store, committer, streams, limits, contents, turns, time, timers);
    }

    public HoldfastSettings withContents(MessageContents port) {
        return new HoldfastSettings(store, committer, streams, sessions, port, turns, time, timers);
    }

    public HoldfastSettings withTurns(TurnSettings settings) {
        return new HoldfastSettings(store, committer, streams, sessions, contents, settings, time, timers);
    }

    /** The same with other clocks and randomness, those of an embedded store among them. A store that the caller makes has its own. */
    public HoldfastSettings withTime(Time clocks, Supplier<Timers> alarms) {
        return new HoldfastSettings(store, committer, streams, sessions, contents, turns, clocks, alarms);
    }
}
