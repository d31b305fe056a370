package dev.holdfast.server;

import dev.holdfast.models.AnthropicAgent;
import dev.holdfast.models.CompactingAgent;
import dev.holdfast.models.Compaction;
import dev.holdfast.models.DemoAgent;
import dev.holdfast.models.ModelSettings;
import dev.holdfast.models.OpenAiChatAgent;
import dev.holdfast.models.OpenAiResponsesAgent;
import dev.holdfast.models.Summarizer;
import dev.holdfast.server.ServerSettings.Model;
import dev.holdfast.turn.Agent;
import dev.holdfast.turn.RecoverySettings;
import dev.holdfast.turn.TurnSettings;
import dev.holdfast.uimessage.UiMessageAssembler;
import dev.holdfast.uimessage.UiToolAnswers;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Which agent answers: the configured model, or the demo. */
final class Agents {

    private static final Logger LOG = LoggerFactory.getLogger(Agents.class);

    /** The name of the agent that answers turns which name none. */
    static final String DEFAULT = "default";

    /** The name under which the demo can always be had. */
    static final String DEMO = "demo";

    private static final Duration DEMO_PACE = Duration.ofMillis(40);

    private Agents() {}

    static TurnSettings of(ServerSettings settings) {
        return of(settings, DEMO_PACE);
    }

    static TurnSettings of(ServerSettings settings, Duration demoPace) {
        Agent demo = new DemoAgent(demoPace);
        Agent answering = settings.model().map(Agents::model).orElse(demo);
        if (settings.model().isPresent()) {
            LOG.info("The model {} answers", settings.model().get());
        } else {
            LOG.warn("No model is configured: the demo answers every turn with a sample text. "
                    + "Give one with --model-url and --model-name.");
        }
        return TurnSettings.defaults()
                .withAssembler(new UiMessageAssembler())
                .withAnswers(new UiToolAnswers())
                .withRecovery(RecoverySettings.defaults().withStallTimeout(settings.stallTimeout()))
                .withAgent(DEFAULT, answering)
                .withAgent(DEMO, demo);
    }

    private static Agent model(Model model) {
        ModelSettings.Builder builder = ModelSettings.builder(model.url(), model.name());
        model.key().ifPresent(builder::apiKey);
        Agent agent = switch (model.api()) {
            case chat -> new OpenAiChatAgent(builder.build());
            case responses -> new OpenAiResponsesAgent(builder.build());
            case messages -> new AnthropicAgent(builder.build());
        };
        return model.compactAfter() == 0
                ? agent
                : new CompactingAgent(agent, Summarizer.by(agent), Compaction.after(model.compactAfter()));
    }
}
