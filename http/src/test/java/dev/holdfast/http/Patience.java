package dev.holdfast.http;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** How long a test waits for what another thread or process brings about: long enough for a machine that does much else meanwhile. */
public final class Patience {

    private static final Duration LONG = Duration.ofMinutes(2);

    private Patience() {}

    /** The begin of a condition to wait for. */
    public static ConditionFactory await() {
        return Awaitility.await().atMost(LONG);
    }
}
