package dev.holdfast.server.demo;

import java.io.PrintWriter;

/** The lines of a verdict, each with what was found and whether it is as promised. */
final class Verdict {

    private final PrintWriter out;
    private boolean right = true;

    Verdict(PrintWriter out) {
        this.out = out;
        out.println();
    }

    void line(String what, Object found, boolean asPromised) {
        right &= asPromised;
        out.println("  %-28s %-18s %s".formatted(what, found, asPromised ? "ok" : "WRONG"));
        out.flush();
    }

    boolean right() {
        return right;
    }
}
