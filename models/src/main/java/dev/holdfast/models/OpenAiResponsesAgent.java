package dev.holdfast.models;

import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnContext;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Answers with a model behind OpenAI's responses, in a run that the provider keeps: it goes on while nobody reads it, and can be read again from
 * any event. A turn that lost its process attaches to that run and continues at the event after the last durable one, so no chunk is lost, repeated
 * or paid for twice.
 *
 * <p>The run's id is durable before the first of its events is used, and each event's number is durable together with the event's chunks. Where the
 * provider does not know the run any more, the turn is asked anew ({@code RETRY}). Thread-safe.
 *
 * @see <a href="https://platform.openai.com/docs/guides/background">Background runs, and how to read them again</a>
 */
public final class OpenAiResponsesAgent implements Agent {

    /** The property that holds the id of the provider's run. */
    static final String RUN = "openai.response";

    private final OpenAiSettings settings;
    private final Upstream upstream;

    public OpenAiResponsesAgent(OpenAiSettings settings) {
        this.settings = settings;
        this.upstream = new Upstream(settings);
    }

    @Override
    public Recovery recover(LostTurn turn) {
        Optional<String> run = turn.recall(RUN).map(OpenAiResponsesAgent::text);
        if (run.isEmpty()) {
            return Recovery.RETRY;
        }
        try {
            return upstream.status("/responses/" + run.get()) == 404 ? Recovery.RETRY : Recovery.CONTINUE;
        } catch (ProviderException.Unreachable e) {
            return Recovery.CONTINUE;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Recovery.CONTINUE;
        }
    }

    /** @throws ProviderException if the provider did not deliver the whole answer */
    @Override
    public AgentResult run(TurnContext turn) throws InterruptedException {
        return new ResponsesRun(settings, upstream, turn).follow();
    }

    private static String text(byte[] utf8) {
        return new String(utf8, StandardCharsets.UTF_8);
    }
}
