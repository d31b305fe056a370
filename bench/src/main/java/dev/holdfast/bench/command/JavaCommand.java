package dev.holdfast.bench.command;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Command lines for another JVM of the same JDK with the same class path. */
public final class JavaCommand {

    /** Options for the JVMs of servers that are measured, as the launcher takes them. */
    private static final String JVM_OPTIONS = "HOLDFAST_JAVA_OPTS";

    private JavaCommand() {}

    /** A server that is measured: with the options that the launcher would give it. */
    public static List<String> server(String mainClass, List<String> arguments) {
        List<String> options = new ArrayList<>(List.of("-XX:+ExitOnOutOfMemoryError"));
        String more = System.getenv(JVM_OPTIONS);
        if (more != null && !more.isBlank()) {
            options.addAll(Arrays.asList(more.strip().split("\\s+")));
        }
        return of(options, mainClass, arguments);
    }

    public static List<String> of(List<String> jvmOptions, String mainClass, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(tool("java").toString());
        command.add("--enable-native-access=ALL-UNNAMED");
        command.addAll(jvmOptions);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), mainClass));
        command.addAll(arguments);
        return command;
    }

    /** A program of this JDK. */
    public static Path tool(String name) {
        return Path.of(System.getProperty("java.home"), "bin", name);
    }
}
