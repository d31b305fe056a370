package dev.holdfast.turn;

import static org.awaitility.Awaitility.await;

import java.time.Duration;

/** What a process keeps in memory of its turns. */
public final class TurnsInMemory {

    private TurnsInMemory() {}

    /** Waits until nothing is kept; fails if something stays. Who was told the end of a turn may be a little ahead of what is let go. */
    public static void awaitNone(Turns turns) {
        Integer unused = await("nothing is kept of turns that rest")
                .atMost(Duration.ofSeconds(30))
                .pollDelay(Duration.ZERO)
                .until(turns::held, held -> held == 0);
    }
}
