package dev.holdfast.store;

/** Time and randomness, given from outside so that tests own them. */
public interface Time {

    /** The wall clock, ms since 1970; for persisted deadlines and for people. */
    long wallMillis();

    /** A clock that only grows, ns from an arbitrary start; for durations. */
    long monotonicNanos();

    /** Random bits for incarnations and generated ids; unpredictable in production. */
    long randomLong();

    /** The machine's clocks and a secure random generator. */
    static Time system() {
        return SystemTime.INSTANCE;
    }
}
