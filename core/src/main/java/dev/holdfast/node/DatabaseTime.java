package dev.holdfast.node;

import dev.holdfast.store.Time;

/**
 * The database's clock as a node's wall clock, so that deadlines mean the same on every node. It is read with each beat and carried on by the
 * machine's monotonic clock in between; it never goes back. Safe for any thread.
 */
final class DatabaseTime implements Time {

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
        reading = new Reading(Math.max(databaseMillis + elapsed, wallMillis()), now);
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
