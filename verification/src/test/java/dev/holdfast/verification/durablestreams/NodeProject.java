package dev.holdfast.verification.durablestreams;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The JavaScript of {@code verification/conformance} with its pinned packages, installed into the build folder once per lock file. Needs Node
 * and npm on the path; the packages come from the registry that npm is configured for.
 */
final class NodeProject {

    private static final Path SOURCES = Path.of("conformance");
    private static final Path FOLDER = Path.of("target", "conformance");
    private static final int INSTALL_MINUTES = 4;

    private final Path folder;

    private NodeProject(Path folder) {
        this.folder = folder;
    }

    /** Copies the sources and installs the packages, unless these very packages are there. */
    static synchronized NodeProject installed() throws IOException, InterruptedException {
        Files.createDirectories(FOLDER);
        try (Stream<Path> sources = Files.list(SOURCES)) {
            for (Path each : sources.toList()) {
                Files.copy(each, FOLDER.resolve(each.getFileName().toString()), StandardCopyOption.REPLACE_EXISTING);
            }
        }
        NodeProject project = new NodeProject(FOLDER.toAbsolutePath());
        String lock = Files.readString(FOLDER.resolve("package-lock.json"));
        Path stamp = FOLDER.resolve("node_modules").resolve(".holdfast-installed");
        if (!Files.exists(stamp) || !Files.readString(stamp).equals(lock)) {
            Path log = FOLDER.resolve("install.log");
            Process install = project.start(
                    log,
                    Map.of(),
                    List.of(program("npm"), "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"));
            expect(install, INSTALL_MINUTES, log);
            if (install.exitValue() != 0) {
                throw new AssertionError(
                        "npm could not install verification/conformance/package-lock.json:\n" + Files.readString(log));
            }
            Files.writeString(stamp, lock);
        }
        return project;
    }

    Path folder() {
        return folder;
    }

    /** Starts Node with a script or module of the project; its output goes to a file. */
    Process node(Path log, Map<String, String> environment, String... arguments) throws IOException {
        return start(log, environment, nodeWith(arguments));
    }

    /** Starts Node; its output is to be read by the caller. */
    Process talkingNode(String... arguments) throws IOException {
        return new ProcessBuilder(nodeWith(arguments))
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
    }

    private static List<String> nodeWith(String... arguments) {
        return Stream.concat(Stream.of(program("node")), Arrays.stream(arguments))
                .toList();
    }

    /** Waits until a process ended by itself, and ends it otherwise. */
    static void expect(Process process, int minutes, Path log) throws IOException, InterruptedException {
        if (!process.waitFor(minutes, TimeUnit.MINUTES)) {
            process.destroyForcibly().waitFor();
            throw new AssertionError("%s did not end within %d minutes:%n%s"
                    .formatted(process.info().command().orElse("Node"), minutes, Files.readString(log)));
        }
    }

    private Process start(Path log, Map<String, String> environment, List<String> command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        builder.environment().putAll(environment);
        return builder.start();
    }

    private static String program(String name) {
        for (String each : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1)) {
            Path candidate = Path.of(each, name);
            if (Files.isExecutable(candidate)) {
                return candidate.toString();
            }
        }
        throw new AssertionError(
                "There is no %s on the PATH. The conformance suite of the protocol needs Node.js 20 or newer with npm; install it (Debian: apt install nodejs npm) and run the tests again."
                        .formatted(name));
    }
}
