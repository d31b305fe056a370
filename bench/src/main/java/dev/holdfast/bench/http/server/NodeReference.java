package dev.holdfast.bench.http.server;

import dev.holdfast.bench.command.NodeProject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The protocol's reference server from npm, in the version that the lock file beside this class pins. */
public final class NodeReference {

    private static final List<String> FILES = List.of("package.json", "package-lock.json", "server.mjs");

    private final Path folder;

    private NodeReference(Path folder) {
        this.folder = folder;
    }

    /**
     * Finds it, or installs it.
     *
     * @param parent where its folder is made
     * @throws NodeProject.Missing with a sentence for the user
     */
    public static NodeReference install(Path parent) throws IOException, InterruptedException, NodeProject.Missing {
        return new NodeReference(
                NodeProject.install(NodeReference.class, FILES, parent, "reference", "The reference server"));
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
