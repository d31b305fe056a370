package dev.holdfast.bench.chat;

import dev.holdfast.Holdfast;
import dev.holdfast.access.Authorizer;
import dev.holdfast.bench.command.JavaCommand;
import dev.holdfast.bench.http.server.ServerProcess;
import dev.holdfast.http.FrontDoor;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.Router;
import dev.holdfast.http.Trust;
import dev.holdfast.http.chat.ChatRoutes;
import dev.holdfast.http.chat.ChatSettings;
import dev.holdfast.http.jetty.JettyServer;
import dev.holdfast.http.sse.SseSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The chat wire on a store of its own, with the benchmark's agents: a process of this class path. */
public final class ChatServer {

    /** The name under which {@code Main} reaches it; not for people. */
    public static final String COMMAND = "chat-server";

    private ChatServer() {}

    static ServerProcess start(Path store) throws IOException, InterruptedException {
        return ServerProcess.start(JavaCommand.server("dev.holdfast.bench.Main", List.of(COMMAND, store.toString())));
    }

    /** Serves until the process is killed. */
    public static void run(Path store) throws IOException, InterruptedException {
        Holdfast holdfast = Holdfast.open(store, Agents.settings(since -> {}));
        HttpLimits limits = HttpLimits.defaults();
        Router.Builder routes = Router.builder();
        new ChatRoutes(
                        holdfast,
                        Authorizer.allowAll(),
                        SseSettings.defaults(),
                        limits,
                        ChatSettings.of(Agents.MEASURED))
                .addTo(routes);
        FrontDoor door = new FrontDoor(routes.build(), Trust.loopback(Holdfast.DEFAULT_TENANT), limits);
        JettyServer server = new JettyServer("127.0.0.1", 0, limits, door);
        server.start();
        System.out.println("Chat server listening on http://127.0.0.1:" + server.port());
        System.out.flush();
        Thread.currentThread().join();
    }
}
