package dev.holdfast.http.session;

import java.time.Duration;
import java.util.List;

/**
 * How a server of the session transport is set up for a test: all of it is plain data, so that a server in another process can be told.
 *
 * @param keys API keys, or none
 * @param maxExchanges how many requests it serves at once; 0 for its default
 * @param feedRetained how many events of each feed it keeps; 0 for its default
 * @param clock what tells it the time
 * @param rotateMillis how old its connections get; 0 for as old as they like
 * @param boot where what clients are told first comes from
 */
record Plan(List<String> keys, int maxExchanges, int feedRetained, Clock clock, long rotateMillis, Host boot) {

    /** What tells the server the time. */
    enum Clock {
        /** The machine. Heartbeats come often, so that a client that vanished is noticed soon. */
        MACHINE,
        /** The test, which moves it. Heartbeats come after 15 seconds. */
        TEST
    }

    /** What the application around the server does when a client attaches. */
    enum Host {
        /** Nothing: clients are told what is stored. */
        SILENT,
        /** It tells the session's name. */
        COMPUTES,
        /** It throws. */
        FAILS
    }

    static Plan plain() {
        return new Plan(List.of(), 0, 0, Clock.MACHINE, 0, Host.SILENT);
    }

    Plan withKeys(String... secrets) {
        return new Plan(List.of(secrets), maxExchanges, feedRetained, clock, rotateMillis, boot);
    }

    Plan withMaxExchanges(int exchanges) {
        return new Plan(keys, exchanges, feedRetained, clock, rotateMillis, boot);
    }

    Plan withFeedRetained(int events) {
        return new Plan(keys, maxExchanges, events, clock, rotateMillis, boot);
    }

    Plan withMovedClock(Duration rotate) {
        return new Plan(keys, maxExchanges, feedRetained, Clock.TEST, rotate.toMillis(), boot);
    }

    Plan withBoot(Host host) {
        return new Plan(keys, maxExchanges, feedRetained, clock, rotateMillis, host);
    }
}
