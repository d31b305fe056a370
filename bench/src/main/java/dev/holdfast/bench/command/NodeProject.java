package dev.holdfast.bench.command;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/** JavaScript that lies beside a class, with the packages from npm that its lock file pins. Installed once into a folder that later runs find again. */
public final class NodeProject {

    private static final String LOCK = "package-lock.json";
    private static final String INSTALLED = "installed";

    private NodeProject() {}

    /** That it cannot be had here, and why. */
    public static final class Missing extends Exception {
        Missing(String sentence, @Nullable Throwable cause) {
            super(sentence, cause);
        }
    }

    /**
     * Finds it, or installs it.
     *
     * @param beside the class that its files lie beside
     * @param files their names, a lock file among them
     * @param parent where its folder is made
     * @param name of the folder
     * @param what is not measured without it, for the user
     * @return the folder
     * @throws Missing with a sentence for the user
     */
    public static Path install(Class<?> beside, List<String> files, Path parent, String name, String what)
            throws IOException, InterruptedException, Missing {
        CRC32 lock = new CRC32();
        lock.update(resource(beside, LOCK));
        Path folder = parent.resolve("holdfast-bench-%s-%08x".formatted(name, lock.getValue()));
        Files.createDirectories(folder);
        for (String file : files) {
            Files.write(folder.resolve(file), resource(beside, file));
        }
        run(folder, what, "Node.js", "node", "--version");
        if (!Files.exists(folder.resolve(INSTALLED))) {
            run(folder, what, "npm", "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline");
            Files.createFile(folder.resolve(INSTALLED));
        }
        return folder;
    }

    private static void run(Path folder, String what, String program, String... command)
            throws IOException, InterruptedException, Missing {
        Path log = folder.resolve("log");
        Process process;
        try {
            process = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
        } catch (IOException e) {
            throw new Missing(
                    "%s is not measured: there is no %s on the PATH. Install Node.js 20 or newer with npm (Debian: apt install nodejs npm)."
                            .formatted(what, program),
                    e);
        }
        if (process.waitFor() != 0) {
            throw new Missing(
                    "%s is not measured: \"%s\" failed in %s: %s"
                            .formatted(
                                    what,
                                    String.join(" ", command),
                                    folder,
                                    Files.readString(log).strip()),
                    null);
        }
    }

    private static byte[] resource(Class<?> beside, String name) throws IOException {
        try (InputStream in = beside.getResourceAsStream(name)) {
            if (in == null) {
                throw new IOException("the resource " + name + " is missing from the class path");
            }
            return in.readAllBytes();
        }
    }
}
