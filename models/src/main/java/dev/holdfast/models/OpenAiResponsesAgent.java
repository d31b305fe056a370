package dev.holdfast.models;

import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnContext;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Answers with a model behind OpenAI's responses, each time in a run that the provider keeps: it goes on while nobody reads it, and can be read again from
 * any event. A turn that lost its process attaches to that run and continues at the event after the last durable one, so no chunk is lost, repeated
 * or paid for twice. Calls of tools that the server does not run are given out: the turn then waits for their results.
 *
 * <p>The run's id is durable before the first of its events is used, and each event's number is durable together with the event's chunks. Where the
 * provider does not know the run any more, the turn is asked anew ({@code RETRY}). Thread-safe.
 *
 * @see <a href="https://platform.openai.com/docs/guides/background">Background runs, and how to read them again</a>
 */
public final class OpenAiResponsesAgent implements Agent {

    private final ModelSettings settings;
    private final Toolbox tools;
    private final Upstream upstream;

    public OpenAiResponsesAgent(ModelSettings settings) {
        this(settings, Toolbox.EMPTY);
    }

    private OpenAiResponsesAgent(ModelSettings settings, Toolbox tools) {
        this.settings = settings;
        this.tools = tools;
        this.upstream = Upstream.withBearerToken(settings);
    }

    /** The same agent with tools that the model may call. */
    public OpenAiResponsesAgent withTools(Toolbox toolbox) {
        return new OpenAiResponsesAgent(settings, toolbox);
    }

    @Override
    public Recovery recover(LostTurn turn) {
        Optional<KeptRun> run = turn.recall(KeptRun.NAME).map(KeptRun::read);
        if (run.isEmpty() || ToolLoop.recover(turn) == Recovery.CONTINUE) {
            return ToolLoop.recover(turn);
        }
        try {
            return upstream.status("/responses/" + run.get().id()) == 404 ? Recovery.RETRY : Recovery.CONTINUE;
        } catch (ProviderException.Unreachable e) {
            return Recovery.CONTINUE;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Recovery.CONTINUE;
        }
    }

    @Override
    public boolean isTransient(Exception failure) {
        return ProviderException.isTransient(failure);
    }

    /** @throws ProviderException if the provider did not deliver the whole answer */
    @Override
    public AgentResult run(TurnContext turn) throws InterruptedException {
        return new ToolLoop(turn, tools, settings.declaredTools())
                .run(step -> new ResponsesRun(settings, upstream, step).follow());
    }

    /**
     * The provider's run that a stream follows, as it is kept with the stream.
     *
     * @param answers how many answers came before it in the stream
     * @param base the position of the stream before its first event
     * @param id its id at the provider
     */
    record KeptRun(int answers, long base, String id) {

        static final String NAME = "openai.response";

        static KeptRun read(byte[] kept) {
            String[] fields = new String(kept, StandardCharsets.UTF_8).split(" ", 3);
            return new KeptRun(Integer.parseInt(fields[0]), Long.parseLong(fields[1]), fields[2]);
        }

        byte[] toBytes() {
            return (answers + " " + base + " " + id).getBytes(StandardCharsets.UTF_8);
        }
    }
}
