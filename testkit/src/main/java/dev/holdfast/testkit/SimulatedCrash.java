package dev.holdfast.testkit;

/**
 * The process of a simulation died. Thrown by every verb of a store whose disk is {@linkplain ScriptedDisk#dead() dead}, so that whoever
 * catches it cannot do any more either. An error and not an exception: nothing but a broken invariant handles it.
 */
public final class SimulatedCrash extends Error {

    private static final long serialVersionUID = 1L;

    SimulatedCrash(String step) {
        super("the simulated process died at " + step, null, false, false);
    }
}
