package dev.holdfast.bench.command;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What every benchmark is told of a run.
 *
 * @param quick a short run, for a first look
 * @param strict whether a missed bar makes the exit code 1
 * @param folder where stores are made and deleted again, and what is needed is installed; its disk is the one that is measured
 * @param out the JSON's file, or null for none
 */
public record Run(
        boolean quick,
        boolean strict,
        Path folder,
        @Nullable Path out) {

    /** A run as it is before its options are taken; whether it is quick is known at once, since that decides what the others are without them. */
    public static Run of(List<String> arguments) {
        return new Run(arguments.contains("--quick"), false, Path.of(System.getProperty("java.io.tmpdir")), null);
    }

    /**
     * With the option that was taken last.
     *
     * @throws IllegalArgumentException with a message for the user, if it is none of these
     */
    public Run with(Arguments arguments) {
        return switch (arguments.option()) {
            case "--quick" -> this;
            case "--strict" -> new Run(quick, true, folder, out);
            case "--folder" -> new Run(quick, strict, Path.of(arguments.value()), out);
            case "--out" -> new Run(quick, strict, folder, Path.of(arguments.value()));
            default -> throw arguments.unknown();
        };
    }
}
