package dev.holdfast.verification.turn;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Waits for something that another thread brings about. */
final class Await {

    private Await() {}

    static <T> T until(Supplier<T> value, Predicate<T> wanted) {
        return await().atMost(Duration.ofSeconds(30)).pollDelay(Duration.ZERO).until(value::get, wanted);
    }
}
