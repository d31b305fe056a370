package dev.holdfast.verification.rig;

import dev.holdfast.bench.command.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The JavaScript of a folder with its pinned packages, installed into the build folder once per lock file and test JVM. Needs Node and npm on the path; the
 * packages come from the registry that npm is configured for.
 */
public final class NodeProject {

    private static final int INSTALL_MINUTES = 10;

    private final Path folder;

    private NodeProject(Path folder) {
        this.folder = folder;
    }

    /** Which of the JVMs that run tests at the same time this is: each has copies of its own. */
    private static final String FORK = System.getProperty("holdfast.fork", "fork-1");

    /** Folders of a project that its tools make, and that are never copied. */
    private static final Set<String> MADE = Set.of("node_modules", "dist");

    /** What projects import from beside them. */
    private static final Path SHARED = Path.of("shared");

    /** Copies the sources of a folder of {@code verification}, and those that it shares with others, and installs the packages, unless these very packages are there. */
    public static NodeProject installed(String name) throws IOException, InterruptedException {
        return installed(name, Path.of(name));
    }

    /**
     * The same for a folder elsewhere. What was copied before and is not there any more goes.
     *
     * @param name of the copy
     */
    public static synchronized NodeProject installed(String name, Path source)
            throws IOException, InterruptedException {
        Path target = Path.of("target", FORK, name);
        Files.createDirectories(target);
        removeFolders(target);
        copy(source, target);
        copy(SHARED, target.resolveSibling(SHARED));
        NodeProject project = new NodeProject(target.toAbsolutePath());
        String lock = Files.readString(target.resolve("package-lock.json"));
        Path stamp = target.resolve("node_modules").resolve(".holdfast-installed");
        if (!Files.exists(stamp) || !Files.readString(stamp).equals(lock)) {
            Path log = target.resolve("install.log");
            boolean installed = project.installs(log);
            if (!installed) {
                installed = project.installs(log); // a registry may fail once
            }
            if (!installed) {
                throw new AssertionError("npm could not install %s:%n%s"
                        .formatted(source.resolve("package-lock.json"), Files.readString(log)));
            }
            Files.writeString(stamp, lock);
        }
        return project;
    }

    /** A folder as it is, whose packages the build of its module has installed. What runs leave goes into its build folder. */
    public static NodeProject at(Path folder) {
        if (!Files.isDirectory(folder.resolve("node_modules"))) {
            throw new AssertionError(
                    "%s has no packages; remove its folder \"target\" and build it again.".formatted(folder));
        }
        return new NodeProject(folder.toAbsolutePath().normalize());
    }

    /** Files at the top stay: among them are those that runs leave. */
    private static void removeFolders(Path target) throws IOException {
        try (Stream<Path> copied = Files.walk(target)) {
            for (Path each : copied.filter(Files::isRegularFile).toList()) {
                Path name = target.relativize(each);
                if (name.getNameCount() > 1 && !isMade(name)) {
                    Files.delete(each);
                }
            }
        }
    }

    private static void copy(Path source, Path target) throws IOException {
        try (Stream<Path> sources = Files.walk(source)) {
            for (Path each : sources.filter(path -> !isMade(source.relativize(path)))
                    .filter(Files::isRegularFile)
                    .toList()) {
                Path copy = target.resolve(source.relativize(each).toString());
                Files.createDirectories(copy.getParent());
                Files.copy(each, copy, StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    private static boolean isMade(Path path) {
        return MADE.contains(path.getName(0).toString());
    }

    private boolean installs(Path log) throws IOException, InterruptedException {
        Process install = start(
                log,
                Map.of(),
                List.of(program("npm"), "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"));
        expect(install, INSTALL_MINUTES, log);
        return install.exitValue() == 0;
    }

    public Path folder() {
        return folder;
    }

    /** Starts Node with a script or module of the project; its output goes to a file. */
    public Process node(Path log, Map<String, String> environment, String... arguments) throws IOException {
        return start(log, environment, nodeWith(arguments));
    }

    /** Starts Node; its output is to be read by the caller. */
    public Process talkingNode(String... arguments) throws IOException {
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
    public static void expect(Process process, int minutes, Path log) throws IOException, InterruptedException {
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
        return Programs.onPath(name)
                .map(Path::toString)
                .orElseThrow(() -> new AssertionError(
                        "There is no %s on the PATH. The published clients need Node.js 20 or newer with npm; install it (Debian: apt install nodejs npm) and run the tests again."
                                .formatted(name)));
    }
}
