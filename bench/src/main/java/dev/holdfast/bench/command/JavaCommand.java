package dev.holdfast.bench.command;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Command lines for another JVM of the same JDK with the same class path. */
public final class JavaCommand {

    private JavaCommand() {}

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
