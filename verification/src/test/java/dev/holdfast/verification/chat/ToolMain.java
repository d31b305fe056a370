package dev.holdfast.verification.chat;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.access.Authorizer;
import dev.holdfast.http.FrontDoor;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.Router;
import dev.holdfast.http.Trust;
import dev.holdfast.http.chat.ChatRoutes;
import dev.holdfast.http.chat.ChatSettings;
import dev.holdfast.http.jetty.JettyServer;
import dev.holdfast.http.sse.SseSettings;
import dev.holdfast.models.ModelSettings;
import dev.holdfast.models.OpenAiChatAgent;
import dev.holdfast.models.Tool;
import dev.holdfast.models.ToolCall;
import dev.holdfast.models.ToolOutput;
import dev.holdfast.models.Toolbox;
import dev.holdfast.turn.TurnSettings;
import dev.holdfast.uimessage.UiMessageAssembler;
import dev.langchain4j.agent.tool.ToolSpecification;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A chat server whose model calls a tool of the server, which knows the weather of Paris and thinks for ever about that of Rome. */
final class ToolMain {

    private static final String AGENT = "agent";

    private ToolMain() {}

    /** Arguments: the folder of the store, the model's URL, and a file that gets the key of each call that runs. */
    public static void main(String[] arguments) throws Exception {
        Path ran = Path.of(arguments[2]);
        Tool weather = Tool.of(ToolSpecification.builder().name("weather").build(), call -> weather(call, ran));
        TurnSettings turns = TurnSettings.defaults()
                .withAssembler(new UiMessageAssembler())
                .withAgent(
                        AGENT,
                        new OpenAiChatAgent(ModelSettings.builder(URI.create(arguments[1]), "m")
                                        .build())
                                .withTools(Toolbox.of(weather)));
        Holdfast holdfast =
                Holdfast.open(Path.of(arguments[0]), HoldfastSettings.defaults().withTurns(turns));
        HttpLimits limits = HttpLimits.defaults();
        Router.Builder routes = Router.builder();
        new ChatRoutes(holdfast, Authorizer.allowAll(), SseSettings.defaults(), limits, ChatSettings.of(AGENT))
                .addTo(routes);
        FrontDoor door = new FrontDoor(routes.build(), Trust.loopback(Holdfast.DEFAULT_TENANT), limits);
        JettyServer server = new JettyServer("127.0.0.1", 0, limits, door);
        server.start();
        System.out.println("http://127.0.0.1:" + server.port());
        new CountDownLatch(1).await();
    }

    private static ToolOutput weather(ToolCall call, Path ran) throws IOException, InterruptedException {
        Files.write(ran, List.of(call.idempotencyKey()), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        String city = call.input().get("city").stringValue();
        if (city.equals("Rome")) {
            new CountDownLatch(1).await();
        }
        return ToolOutput.text("warm in " + city);
    }
}
