package dev.holdfast.bench.http.server;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The protocol's reference server from npm, in the version that the lock file beside this class pins. Installed once into a folder that later
 * runs find again.
 */
public final class NodeReference {

    private static final List<String> FILES = List.of("package.json", "package-lock.json", "server.mjs");
    private static final String INSTALLED = "installed";

    private final Path folder;

    private NodeReference(Path folder) {
        this.folder = folder;
    }

    /** That the server cannot be had here, and why. */
    public static final class Missing extends Exception {
        Missing(String sentence, @Nullable Throwable cause) {
            super(sentence, cause);
        }
    }

    /**
     * Finds it, or installs it.
     *
     * @param parent where its folder is made
     * @throws Missing with a sentence for the user
     */
    public static NodeReference install(Path parent) throws IOException, InterruptedException, Missing {
        CRC32 lock = new CRC32();
        lock.update(resource("package-lock.json"));
        Path folder = parent.resolve("holdfast-bench-reference-%08x".formatted(lock.getValue()));
        NodeReference reference = new NodeReference(folder);
        Files.createDirectories(folder);
        for (String file : FILES) {
            Files.write(folder.resolve(file), resource(file));
        }
        run(folder, "Node.js", "node", "--version");
        if (!Files.exists(folder.resolve(INSTALLED))) {
            run(folder, "npm", "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline");
            Files.createFile(folder.resolve(INSTALLED));
        }
        return reference;
    }

    private static void run(Path folder, String what, String... command)
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
                    "The reference server is not measured: there is no %s on the PATH. Install Node.js 20 or newer with npm (Debian: apt install nodejs npm)."
                            .formatted(what),
                    e);
        }
        if (process.waitFor() != 0) {
            throw new Missing(
                    "The reference server is not measured: \"%s\" failed in %s: %s"
                            .formatted(
                                    String.join(" ", command),
                                    folder,
                                    Files.readString(log).strip()),
                    null);
        }
    }

    private static byte[] resource(String name) throws IOException {
        try (InputStream in = NodeReference.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IOException("the resource " + name + " is missing from the class path");
            }
            return in.readAllBytes();
        }
    }

    /**
     * Starts it.
     *
     * @param data the folder of its file mode, or null for its memory mode
     */
    public ServerProcess start(@Nullable Path data) throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of("node", folder.resolve("server.mjs").toString()));
        if (data != null) {
            command.add(Files.createDirectories(data).toString());
        }
        return ServerProcess.start(command);
    }
}
