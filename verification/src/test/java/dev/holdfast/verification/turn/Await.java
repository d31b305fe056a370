package dev.holdfast.verification.turn;

import static dev.holdfast.verification.rig.Patience.await;

import java.time.Duration;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Waits for something that another thread brings about. */
final class Await {

    private Await() {}

    static <T> T until(Supplier<T> value, Predicate<T> wanted) {
        return await().pollDelay(Duration.ZERO).until(value::get, wanted);
    }
}
