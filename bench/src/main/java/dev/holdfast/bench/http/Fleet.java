package dev.holdfast.bench.http;

import dev.holdfast.bench.command.JavaCommand;
import dev.holdfast.bench.command.Scratch;
import dev.holdfast.bench.http.server.BareServer;
import dev.holdfast.bench.http.server.NodeReference;
import dev.holdfast.bench.http.server.ServerProcess;
import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The servers of one cell, each in a process of its own with a fresh store. All live as long as the cell; who is not loaded is idle. */
final class Fleet implements AutoCloseable {

    private final Scratch scratch;
    private final Map<Contender, ServerProcess> servers = new EnumMap<>(Contender.class);

    private Fleet(Scratch scratch) {
        this.scratch = scratch;
    }

    /**
     * Starts them.
     *
     * @param reference the reference server, or null if it cannot be had; it is left out then
     * @param contentBytes what the bare handler answers a GET with
     */
    static Fleet start(Options options, Set<Contender> wanted, @Nullable NodeReference reference, int contentBytes)
            throws IOException, InterruptedException {
        Fleet fleet = new Fleet(Scratch.in(options.run().folder()));
        try {
            for (Contender contender : wanted) {
                if (options.against().contains(contender)) {
                    fleet.start(contender, reference, contentBytes);
                }
            }
            return fleet;
        } catch (IOException | InterruptedException | RuntimeException e) {
            fleet.close();
            throw e;
        }
    }

    private void start(Contender contender, @Nullable NodeReference reference, int contentBytes)
            throws IOException, InterruptedException {
        switch (contender) {
            case HOLDFAST ->
                servers.put(
                        contender,
                        ServerProcess.start(JavaCommand.server(
                                "dev.holdfast.server.Main",
                                List.of(
                                        "serve",
                                        "--port",
                                        "0",
                                        "--data",
                                        scratch.path().resolve("holdfast").toString(),
                                        "--stream-rotate-after",
                                        "0",
                                        "--log-level",
                                        "WARN"))));
            case BARE ->
                servers.put(
                        contender,
                        ServerProcess.start(JavaCommand.server(
                                "dev.holdfast.bench.Main",
                                List.of(BareServer.COMMAND, Integer.toString(contentBytes)))));
            case NODE_FILE -> {
                if (reference != null) {
                    servers.put(contender, reference.start(scratch.path().resolve("reference")));
                }
            }
            case NODE_MEMORY -> {
                if (reference != null) {
                    servers.put(contender, reference.start(null));
                }
            }
        }
    }

    /** Those that run. */
    Map<Contender, ServerProcess> servers() {
        return servers;
    }

    @Override
    public void close() throws IOException {
        servers.values().forEach(ServerProcess::close);
        scratch.close();
    }
}
