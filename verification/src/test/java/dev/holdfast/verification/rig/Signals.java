package dev.holdfast.verification.rig;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/** Signals to other processes. */
public final class Signals {

    private Signals() {}

    /**
     * What to start a program with so that it can be interrupted: a shell's background job, such as a build, is started with SIGINT ignored,
     * what {@code nohup} starts with SIGHUP ignored, and so is everything that they start. Empty where {@code env} cannot undo that.
     */
    public static List<String> interruptible() {
        List<String> prefix = List.of("env", "--default-signal=INT,HUP");
        List<String> trial = new ArrayList<>(prefix);
        trial.add("true");
        try {
            return Wanted.runs(trial) ? prefix : List.of();
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    /** Sends one to all of these, in this order. Those that ended before are left out silently. */
    public static void send(String signal, long... processes) {
        List<String> command = new ArrayList<>(List.of("kill", "-" + signal));
        LongStream.of(processes).mapToObj(Long::toString).forEach(command::add);
        try {
            int unused = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError("no signal could be sent", e);
        }
    }

    /** Whether a process, with all threads where the system tells, is stopped. */
    static boolean isStopped(long process) throws IOException, InterruptedException {
        boolean tellsThreads = System.getProperty("os.name").startsWith("Linux");
        List<String> command = new ArrayList<>(List.of("ps", "-o", "stat=", "-p", Long.toString(process)));
        command.addAll(tellsThreads ? List.of("-L") : List.of());
        Process states = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        List<String> all = states.inputReader().lines().toList();
        int unused = states.waitFor();
        return !all.isEmpty() && all.stream().allMatch(state -> state.startsWith("T"));
    }
}
