package dev.holdfast.verification.crash;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** What a child tells its parent, a line at a time, each in the pipe before the method returns. Safe for any thread. */
final class Report {

    private final PrintStream out;

    private Report(PrintStream out) {
        this.out = out;
    }

    /** Takes the standard output for itself; what else is printed, such as the log, goes to the standard error. */
    static Report onStandardOutput() {
        PrintStream out = System.out;
        System.setOut(System.err);
        return new Report(out);
    }

    synchronized void line(Object... words) {
        StringBuilder line = new StringBuilder();
        for (Object word : words) {
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        byte[] bytes = line.append('\n').toString().getBytes(StandardCharsets.UTF_8);
        out.write(bytes, 0, bytes.length);
        out.flush();
    }
}
