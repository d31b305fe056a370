package dev.holdfast.bench.http.profile;

import dev.holdfast.bench.http.server.ProcessView;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordingFile;

/**
 * A recording of a running JVM by its flight recorder. Where the JDK has samples of processor time (25 and newer, on Linux) they are taken,
 * which see system calls as well; elsewhere samples of running Java code.
 */
public final class Profile {

    private static final String NAME = "holdfast-bench";
    private static final String CPU_SAMPLE = "jdk.CPUTimeSample";
    private static final List<String> SAMPLES = List.of("jdk.ExecutionSample", "jdk.NativeMethodSample");
    private static final int TOP = 25;
    private static final double LEAST_PERCENT = 0.7;
    private static final int CPU_SAMPLES_SINCE = 25;

    private final ProcessView jvm;
    private final Path recording;
    private final Map<String, Long> threadsBefore;
    private final long start = System.nanoTime();

    private Profile(ProcessView jvm, Path recording) throws IOException {
        this.jvm = jvm;
        this.recording = recording;
        this.threadsBefore = jvm.cpuNanosByThread();
    }

    /** Starts to record. */
    public static Profile start(ProcessView jvm) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(List.of(
                "JFR.start",
                "name=" + NAME,
                "settings=profile",
                "jdk.SocketRead#enabled=false", // each would cost more than it tells
                "jdk.SocketWrite#enabled=false"));
        if (Runtime.version().feature() >= CPU_SAMPLES_SINCE) {
            words.add(CPU_SAMPLE + "#enabled=true");
            words.add(CPU_SAMPLE + "#throttle=1ms");
        }
        String unused = jvm.jcmd(words.toArray(String[]::new));
        return new Profile(jvm, Files.createTempFile("holdfast", ".jfr"));
    }

    /**
     * Stops, and writes where the time went: as text, and beside it as a flame graph with the ending {@code .svg}.
     *
     * @param load what the JVM was loaded with
     * @param requests how many it answered while it was recorded, less the ramp
     */
    public void finish(Path file, String load, long requests, PrintStream out)
            throws IOException, InterruptedException {
        double seconds = (System.nanoTime() - start) / 1e9;
        Map<String, Long> threads = jvm.cpuNanosByThread();
        threadsBefore.forEach((name, nanos) -> threads.merge(name, -nanos, Long::sum));
        String unused = jvm.jcmd("JFR.stop", "name=" + NAME, "filename=" + recording);
        CallTree tree = read(recording);
        Files.delete(recording);
        StringBuilder text = new StringBuilder();
        text.append(String.format(
                Locale.ROOT,
                "%s: %,d requests, %,d samples%n%nThreads, in percent of one processor%n",
                load,
                requests,
                tree.samples()));
        threads.entrySet().stream()
                .filter(each -> each.getValue() > 0)
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .limit(TOP)
                .forEach(each -> text.append(
                        String.format(Locale.ROOT, "%5.1f %% %s%n", each.getValue() / 1e7 / seconds, each.getKey())));
        text.append("\nFrames on top of the stack\n").append(tree.topFrames(TOP));
        text.append("\nHoldfast, with what it calls\n").append(tree.busiest(2 * TOP, List.of("d.h.")));
        text.append("\nThe whole tree\n").append(tree.tree(LEAST_PERCENT));
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.writeString(file, text);
        String graph = file.getFileName().toString().replaceFirst("\\.txt$", "") + ".svg";
        Files.writeString(file.resolveSibling(graph), FlameGraph.of(tree, load));
        out.printf("%nFrames on top of the stack while profiled%n%sWritten to %s%n", tree.topFrames(TOP), file);
    }

    private static CallTree read(Path recording) throws IOException {
        CallTree byCpu = new CallTree();
        CallTree others = new CallTree();
        try (RecordingFile events = new RecordingFile(recording)) {
            while (events.hasMoreEvents()) {
                RecordedEvent event = events.readEvent();
                String type = event.getEventType().getName();
                RecordedStackTrace stack = event.getStackTrace();
                if (stack != null && type.equals(CPU_SAMPLE)) {
                    byCpu.add(frames(stack));
                } else if (stack != null && SAMPLES.contains(type)) {
                    others.add(frames(stack));
                }
            }
        }
        return byCpu.samples() > 0 ? byCpu : others;
    }

    private static List<String> frames(RecordedStackTrace stack) {
        List<String> frames = new ArrayList<>();
        for (RecordedFrame frame : stack.getFrames()) {
            RecordedMethod method = frame.getMethod();
            frames.add(shortened(method.getType().getName()) + "." + method.getName());
        }
        Collections.reverse(frames);
        return frames;
    }

    /** {@code org.eclipse.jetty.server.Server} as {@code o.e.j.s.Server}. */
    private static String shortened(String type) {
        return type.replaceAll("\\$\\$Lambda.*", "").replaceAll("([a-z])[A-Za-z0-9_]*\\.", "$1.");
    }
}
