package dev.holdfast.node;

import dev.holdfast.store.Time;

/**
 * The database's clock as a node's wall clock, so that deadlines mean the same on every node. It is read with each beat and carried on by the
 * machine's monotonic clock in between. What a reading is off by never takes it back; a database whose clock went back, such as a standby that took
 * over with a clock of its own, does, or the nodes that were there before would let everything expire too early. Safe for any thread.
 */
final class DatabaseTime implements Time {

    /** Being ahead of a reading by more is no matter of how long it took. */
    private static final long MAX_AHEAD_MILLIS = 10_000;

    private final Time machine;

    private record Reading(long wallMillis, long atNanos) {}

    private volatile Reading reading;

    DatabaseTime(Time machine) {
        this.machine = machine;
        this.reading = new Reading(machine.wallMillis(), machine.monotonicNanos());
    }

    /**
     * The database's clock was read.
     *
     * @param askedAtNanos when it was asked, by the monotonic clock: it was not read before, so the clock is never ahead of it
     */
    synchronized void read(long databaseMillis, long askedAtNanos) {
        long now = machine.monotonicNanos();
        long elapsed = (now - askedAtNanos) / 2 / 1_000_000;
        long read = databaseMillis + elapsed;
        long carriedOn = wallMillis();
        reading = new Reading(carriedOn - read > MAX_AHEAD_MILLIS ? read : Math.max(read, carriedOn), now);
    }

    /** The first reading sets the clock, whatever the machine's said. */
    synchronized void set(long databaseMillis) {
        reading = new Reading(databaseMillis, machine.monotonicNanos());
    }

    @Override
    public long wallMillis() {
        Reading last = reading;
        return last.wallMillis() + (machine.monotonicNanos() - last.atNanos()) / 1_000_000;
    }

    @Override
    public long monotonicNanos() {
        return machine.monotonicNanos();
    }

    @Override
    public long randomLong() {
        return machine.randomLong();
    }
}
