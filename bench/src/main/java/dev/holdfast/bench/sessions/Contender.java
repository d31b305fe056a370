package dev.holdfast.bench.sessions;

import dev.holdfast.bench.command.JavaCommand;
import dev.holdfast.bench.http.server.ServerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A server that is watched. */
enum Contender {
    HOLDFAST("Holdfast, durable"),
    BARE("bare Jetty handler");

    private static final String MAIN = "dev.holdfast.bench.Main";

    private final String title;

    Contender(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }

    /** Starts it, with a live turn in each of its sessions. */
    ServerProcess start(Path folder, int sessions) throws IOException, InterruptedException {
        String count = Integer.toString(sessions);
        List<String> arguments = switch (this) {
            case HOLDFAST ->
                List.of(SessionServer.COMMAND, folder.resolve("holdfast").toString(), count);
            case BARE -> List.of(BareFanOut.COMMAND, count);
        };
        return ServerProcess.start(JavaCommand.server(MAIN, arguments));
    }
}
