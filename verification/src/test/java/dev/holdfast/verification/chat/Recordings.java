package dev.holdfast.verification.chat;

import dev.holdfast.http.Answers;
import dev.holdfast.http.Call;
import dev.holdfast.http.Headers;
import dev.holdfast.http.Router;
import dev.holdfast.models.AnthropicAgent;
import dev.holdfast.models.ModelSettings;
import dev.holdfast.models.OpenAiChatAgent;
import dev.holdfast.models.OpenAiResponsesAgent;
import dev.holdfast.models.Tool;
import dev.holdfast.models.ToolOutput;
import dev.holdfast.models.Toolbox;
import dev.holdfast.models.loopback.LoopbackUpstream;
import dev.holdfast.models.loopback.Pace;
import dev.holdfast.models.loopback.Recording;
import dev.holdfast.turn.Agent;
import dev.holdfast.turn.TurnSettings;
import dev.langchain4j.agent.tool.ToolSpecification;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * An agent for each recorded stream of a provider, under the recording's name; and for each major one more, {@code NAME-MAJOR}, whose provider says only
 * as much as the test lets it.
 */
final class Recordings implements Prop {

    private static final int MAX_EVENTS = 10_000;

    /** What the one tool of the server says that a recording calls. */
    private static final String ROLLED = "6";

    private final LoopbackUpstream freely = LoopbackUpstream.start(Pace.unlimited());
    private final Map<String, LoopbackUpstream> gated = new LinkedHashMap<>();

    Recordings() {
        for (String name : Recording.NAMES) {
            for (int major = 5; major <= 7; major++) {
                gated.put(name + "-" + major, LoopbackUpstream.start(Pace.gated()));
            }
        }
    }

    @Override
    public TurnSettings turns(TurnSettings settings) {
        TurnSettings all = settings;
        for (String name : Recording.NAMES) {
            all = all.withAgent(name, agent(name, freely));
            for (int major = 5; major <= 7; major++) {
                String slow = name + "-" + major;
                all = all.withAgent(slow, agent(name, upstream(slow)));
            }
        }
        return all;
    }

    private LoopbackUpstream upstream(String name) {
        LoopbackUpstream upstream = gated.get(name);
        if (upstream == null) {
            throw new IllegalArgumentException("There is no provider for " + name);
        }
        return upstream;
    }

    private static Agent agent(String recording, LoopbackUpstream upstream) {
        ModelSettings settings =
                ModelSettings.builder(upstream.baseUrl(), recording).build();
        Tool rollDie = Tool.of(ToolSpecification.builder().name("rollDie").build(), call -> ToolOutput.text(ROLLED));
        if (recording.startsWith("anthropic")) {
            return new AnthropicAgent(settings).withTools(Toolbox.of(rollDie));
        }
        return recording.contains("responses") ? new OpenAiResponsesAgent(settings) : new OpenAiChatAgent(settings);
    }

    @Override
    public void addTo(Router.Builder routes) {
        routes.add("GET", "/test/recordings/{name}", Recordings::events);
        routes.add("POST", "/test/recordings/{agent}/release", call -> {
            upstream(call.path("agent")).release(call.query().number("events", 0, 1, MAX_EVENTS));
            Answers.empty(call.exchange(), 204, new Headers());
        });
    }

    private static void events(Call call) throws IOException {
        String events = String.join(
                "\n", Recording.named(call.path("name")).orElseThrow().events());
        call.exchange()
                .answer(
                        200,
                        new Headers().set("Content-Type", "application/x-ndjson"),
                        events.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void close() {
        freely.close();
        gated.values().forEach(LoopbackUpstream::close);
    }
}
