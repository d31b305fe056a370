package dev.holdfast.testkit;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.StoreBusy;
import dev.holdfast.error.HoldfastException.StoreFailed;
import dev.holdfast.error.HoldfastException.StoreFull;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A disk with one append-only file, and a script of what goes wrong on it.
 *
 * <p>What was written is safe once it was synced. At a crash of what was not, any prefix survives: none of it, all of it, or a torn part.
 * Each verb of a {@link SimStore} is a <i>step</i>, and so are the writing, the syncing and the end of a commit; a fault is planned for a
 * number of steps ahead and strikes at the first step from there on that it can strike.
 *
 * <p>A crash kills the process that has the disk: its every later step dies too, even if it caught the first
 * {@link SimulatedCrash}. {@link #restart} then gives the disk to the next process.
 *
 * <p>Safe for any thread.
 */
public final class ScriptedDisk {

    /** What can go wrong. */
    public enum Fault {
        /** No room: known fate, rolled back. Strikes at writes. */
        FULL,
        /** Another connection holds the lock: known fate, rolled back. Strikes at the begin of a transaction and at writes. */
        BUSY,
        /** A write is refused for another reason: known fate, rolled back. Strikes at writes. */
        REFUSED,
        /** The sync fails: nobody knows whether the transaction is on the disk. Strikes at syncs. */
        SYNC_FAILS,
        /** The process dies. Strikes anywhere. */
        CRASH
    }

    /** Kinds of steps, by what can strike there. */
    enum Kind {
        READ,
        BEGIN,
        WRITE,
        SYNC
    }

    private byte[] file = new byte[0];
    private boolean shared;
    private int length;
    private int synced;

    private @Nullable Fault planned;
    private int stepsLeft;
    private @Nullable String struck;
    private boolean dead;
    private int process;
    private volatile Runnable meanwhile = () -> {};

    /** Plans one fault, in place of the one planned before: it strikes {@code afterSteps} steps from now, or as soon then as it can. */
    public synchronized void plan(Fault fault, int afterSteps) {
        planned = fault;
        stepsLeft = afterSteps;
    }

    /** Runs something in the middle of each commit: all is written, nothing is synced. */
    public void whileWaitingForSync(Runnable others) {
        meanwhile = others;
    }

    void waitForSync() {
        meanwhile.run();
    }

    /** Forgets the planned fault. */
    public synchronized void heal() {
        planned = null;
    }

    /** The fault that struck since the last call, with the step at which it did. */
    public synchronized Optional<String> takeStruck() {
        Optional<String> answer = Optional.ofNullable(struck);
        struck = null;
        return answer;
    }

    /** Whether the process that has this disk died. */
    public synchronized boolean dead() {
        return dead;
    }

    /** The process dies now, between two steps. */
    public synchronized void kill() {
        dead = true;
    }

    /**
     * Gives the disk to a new process.
     *
     * @param survivingPerMille how much of what was written and not synced is there: 0 for nothing, 1000 for all, between them a torn part
     */
    public synchronized void restart(int survivingPerMille) {
        length = synced + (int) ((long) (length - synced) * survivingPerMille / 1000);
        synced = length;
        dead = false;
        planned = null;
        process++;
    }

    /** A disk with the same synced content and no script, for looking at what a fresh process would find. */
    public synchronized ScriptedDisk copy() {
        ScriptedDisk copy = new ScriptedDisk();
        copy.file = file;
        copy.shared = true;
        copy.length = synced;
        copy.synced = synced;
        shared = true;
        return copy;
    }

    /** Bytes on the disk. */
    public synchronized int length() {
        return length;
    }

    /** Turns the bits of one byte: damage. */
    public synchronized void damage(int offset) {
        own(length);
        file[offset] ^= (byte) 0xFF;
    }

    synchronized int process() {
        return process;
    }

    synchronized byte[] content() {
        return Arrays.copyOf(file, length);
    }

    /** Cuts off a torn end that recovery found. */
    synchronized void truncate(int toLength) {
        length = toLength;
        synced = toLength;
    }

    /** One step of a process: dies, fails as planned, or returns. */
    synchronized void step(int who, Kind kind, String verb) throws IOException {
        if (dead || who != process) {
            throw new SimulatedCrash(verb + ", being dead already");
        }
        Fault fault = planned;
        if (fault == null || --stepsLeft > 0 || !canStrike(fault, kind)) {
            return;
        }
        planned = null;
        struck = fault + " at " + verb;
        IOException cause = new IOException("scripted");
        switch (fault) {
            case FULL -> throw refusal(new StoreFull("The scripted disk is full.", cause));
            case BUSY -> throw refusal(new StoreBusy("The scripted disk is busy.", cause));
            case REFUSED -> throw refusal(new StoreFailed("The scripted disk refused a write.", cause));
            case SYNC_FAILS -> throw cause;
            case CRASH -> {
                dead = true;
                throw new SimulatedCrash(verb);
            }
        }
    }

    private static HoldfastException refusal(HoldfastException error) {
        return error;
    }

    private static boolean canStrike(Fault fault, Kind kind) {
        return switch (fault) {
            case FULL, REFUSED -> kind == Kind.WRITE;
            case BUSY -> kind == Kind.WRITE || kind == Kind.BEGIN;
            case SYNC_FAILS -> kind == Kind.SYNC;
            case CRASH -> true;
        };
    }

    synchronized void write(byte[] bytes) {
        own(Math.addExact(length, bytes.length));
        System.arraycopy(bytes, 0, file, length, bytes.length);
        length += bytes.length;
    }

    synchronized void sync() {
        synced = length;
    }

    private void own(int capacity) {
        if (shared || capacity > file.length) {
            int room =
                    capacity <= file.length ? file.length : (int) Math.min(capacity * 3L / 2, Integer.MAX_VALUE - 16);
            file = Arrays.copyOf(file, room);
            shared = false;
        }
    }
}
