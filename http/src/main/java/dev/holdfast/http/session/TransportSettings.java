package dev.holdfast.http.session;

import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.sse.SseSettings;
import dev.holdfast.store.Timers;
import java.time.Duration;

/**
 * How the session transport is served.
 *
 * @param events heartbeats, rotation, the pause before coming back, and the clock
 * @param limits the bound on a command
 * @param defaultAgent the agent of turns that name none
 * @param suspendGrace how long a suspended connection keeps its drivers' seats
 * @param timers wakes silent connections
 * @param boot what clients of a session are told first
 */
public record TransportSettings(
        SseSettings events,
        HttpLimits limits,
        String defaultAgent,
        Duration suspendGrace,
        Timers timers,
        BootContext boot) {

    public static TransportSettings of(SseSettings events, HttpLimits limits, String defaultAgent) {
        return new TransportSettings(
                events, limits, defaultAgent, TransportLimits.SUSPEND_GRACE, Timers.system(), BootContext.stored());
    }

    /** With a boot context that the application computes. */
    public TransportSettings withBoot(BootContext computed) {
        return new TransportSettings(events, limits, defaultAgent, suspendGrace, timers, computed);
    }

    public TransportSettings withSuspendGrace(Duration grace) {
        return new TransportSettings(events, limits, defaultAgent, grace, timers, boot);
    }
}
