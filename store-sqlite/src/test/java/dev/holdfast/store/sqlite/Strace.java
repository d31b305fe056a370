package dev.holdfast.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Watches and disturbs the system calls of another process. */
final class Strace {

    /** Set where its tests must not be skipped. */
    private static final String REQUIRED = "HOLDFAST_STRACE_REQUIRED";

    /** What changes a file, or makes a change last. */
    static final String CHANGES = "write,pwrite64,fsync,fdatasync,ftruncate,unlink,unlinkat,rename";

    private static final Pattern LINE =
            Pattern.compile("(\\d+) +(?:<\\.\\.\\. (\\w+) resumed>(.*)|(\\w+)\\((.*))", Pattern.DOTALL);
    private static final String UNFINISHED = "<unfinished ...>";

    private Strace() {}

    /** Skips the test where there is no strace, except where it is required. */
    static void assume() {
        boolean here = Forked.has("strace", "-o", "/dev/null", "true");
        if (System.getenv(REQUIRED) != null) {
            assertThat(here)
                    .as("strace can be run here, as " + REQUIRED + " demands")
                    .isTrue();
        }
        assumeTrue(here, "strace can be run here");
    }

    /** A prefix that writes these calls to a file; descriptors with their paths. */
    static List<String> record(String calls, Path report) {
        return List.of("strace", "-f", "-y", "-e", "trace=" + calls, "-o", report.toString());
    }

    /** A prefix that kills the process as a thread of it begins its {@code n}th change of a store's files. */
    static List<String> killAtChange(int n, Path store, Path report) {
        List<String> prefix = new ArrayList<>(List.of("strace", "-f", "-o", report.toString()));
        for (String file : List.of("holdfast.db", "holdfast.db-wal", "holdfast.db-shm", "")) {
            prefix.addAll(List.of("-P", store.resolve(file).toString()));
        }
        prefix.addAll(List.of("-e", "trace=" + CHANGES, "-e", "inject=" + CHANGES + ":signal=KILL:when=" + n));
        return prefix;
    }

    /**
     * The begin of a call, its end, or both, if nothing happened in between.
     *
     * @param begins whether it begins here
     * @param over whether it returns here
     */
    record Call(String name, String arguments, boolean begins, boolean over) {
        boolean isSyncOf(String file) {
            return (name.equals("fsync") || name.equals("fdatasync")) && arguments.contains(file + ">");
        }
    }

    /** What happened, in order. */
    static List<Call> read(Path report) throws IOException {
        List<Call> calls = new ArrayList<>();
        Map<String, String> unfinished = new HashMap<>();
        for (String line : Files.readAllLines(report)) {
            Matcher matcher = LINE.matcher(line);
            if (!matcher.matches()) {
                continue; // a thread ended, or a signal came
            }
            String thread = matcher.group(1);
            if (matcher.group(2) != null) {
                String begun = unfinished.getOrDefault(thread, "");
                calls.add(new Call(matcher.group(2), begun + matcher.group(3), false, true));
            } else {
                String arguments = matcher.group(5);
                boolean over = !arguments.endsWith(UNFINISHED);
                if (!over) {
                    unfinished.put(thread, arguments);
                }
                calls.add(new Call(matcher.group(4), arguments, true, over));
            }
        }
        return calls;
    }
}
