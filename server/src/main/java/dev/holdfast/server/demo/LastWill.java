package dev.holdfast.server.demo;

/** Between {@link #register} and {@link #withdraw}, the processes that this one started end with it, also if it is asked to end. */
final class LastWill {

    private final Thread will = new Thread(LastWill::carryOut, "demo-last-will");

    private LastWill() {}

    static LastWill register() {
        LastWill made = new LastWill();
        Runtime.getRuntime().addShutdownHook(made.will);
        return made;
    }

    private static void carryOut() {
        ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
    }

    void withdraw() {
        try {
            boolean unused = Runtime.getRuntime().removeShutdownHook(will);
        } catch (IllegalStateException e) {
            // This process is ending: the will is being carried out.
        }
    }
}
