package dev.holdfast.server.demo;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Shows, in about fifteen seconds, what becomes of an answer when the server is killed in the middle of it. */
@Command(
        name = "demo",
        description = {
            "Kills a server with SIGKILL in the middle of a recorded answer, starts it again, and computes a verdict from the bytes seen.",
            "Needs no key and no network: a loopback provider replays real recorded answers. Exits with 1 if the verdict is wrong."
        },
        mixinStandardHelpOptions = true)
public final class DemoCommand implements Callable<Integer> {

    /** Slow enough to watch, fast enough for two acts in a quarter of a minute. */
    private static final String EVENTS_PER_SECOND = "130";

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Option(
            names = "--events-per-second",
            paramLabel = "N",
            defaultValue = EVENTS_PER_SECOND,
            description = "Pace of the provider (default: ${DEFAULT-VALUE}).")
    private int eventsPerSecond;

    @Option(names = "--keep", description = "Keep the folder with the stores and the servers' logs.")
    private boolean keep;

    @Override
    public Integer call() throws Exception {
        PrintWriter out = spec.commandLine().getOut();
        Path folder = Files.createTempDirectory("holdfast-demo-");
        LastWill will = LastWill.register();
        try (ChildProcess upstream = ChildProcess.upstream(folder, eventsPerSecond)) {
            List<Callable<Boolean>> acts = new ArrayList<>();
            for (Act act : acts(out, folder, upstream.url())) {
                acts.add(act::play);
            }
            return perform(out, acts);
        } finally {
            will.withdraw();
            if (keep) {
                out.println("Kept: " + folder);
            } else {
                delete(folder);
            }
        }
    }

    /** Plays acts, all of them, and returns the exit code: 0 if each verdict is as promised. */
    static int perform(PrintWriter out, List<Callable<Boolean>> acts) throws Exception {
        boolean right = true;
        for (Callable<Boolean> act : acts) {
            right &= act.call();
        }
        out.println(right ? "Both verdicts are as promised." : "A VERDICT IS WRONG.");
        out.flush();
        return right ? 0 : 1;
    }

    private static List<Act> acts(PrintWriter out, Path folder, String upstream) {
        return List.of(
                new Act(
                        "1. The provider keeps its run: the server attaches to it again, the client goes on at its cursor",
                        Script.RESUMES,
                        out,
                        folder.resolve("resumes"),
                        upstream),
                new Act(
                        "2. The provider cannot resume: the answer is asked for again, and the client is told so",
                        Script.RESTARTS,
                        out,
                        folder.resolve("restarts"),
                        upstream));
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> paths = Files.walk(folder)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }
}
