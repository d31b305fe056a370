package dev.holdfast.bench.mcp;

import dev.holdfast.bench.command.JavaCommand;
import dev.holdfast.bench.http.server.ServerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A server that is called. */
enum Contender {
    HOLDFAST("Holdfast, durable"),
    STOCK("the SDK's servlets");

    private static final String MAIN = "dev.holdfast.bench.Main";

    private final String title;

    Contender(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }

    ServerProcess start(Path folder) throws IOException, InterruptedException {
        List<String> arguments = switch (this) {
            case HOLDFAST ->
                List.of(HoldfastMcpServer.COMMAND, folder.resolve("holdfast").toString());
            case STOCK -> List.of(StockMcpServer.COMMAND);
        };
        return ServerProcess.start(JavaCommand.server(MAIN, arguments));
    }
}
