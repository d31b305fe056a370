package dev.holdfast.models;

import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnContext;
import dev.holdfast.uimessage.UiChunk;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import tools.jackson.databind.node.ObjectNode;

/**
 * Streams a sample text, so that everything around a model can be tried without one: no key, no network. The text says that it is a sample, and does
 * not answer the question. The same turn always gets the same chunks, so one that lost its process continues at the next chunk. Thread-safe.
 */
public final class DemoAgent implements Agent {

    private static final String TEXT_ID = "sample";
    private static final Pattern WORDS = Pattern.compile("\\S+\\s*|\\s+");

    private final Duration pace;
    private final List<UiChunk> answer;

    /** @param pace time between two chunks; zero for as fast as they can be stored */
    public DemoAgent(Duration pace) {
        this.pace = pace;
        this.answer = answer(sample());
    }

    @Override
    public Recovery recover(LostTurn turn) {
        return Recovery.CONTINUE;
    }

    @Override
    public AgentResult run(TurnContext turn) throws InterruptedException {
        List<UiChunk> chunks = new ArrayList<>();
        ObjectNode metadata = ModelJson.object();
        metadata.put("model", "demo sample");
        chunks.add(new UiChunk.Start(turn.messageId(), metadata, Map.of()));
        chunks.addAll(answer);
        for (UiChunk chunk : chunks.subList(Math.min(turn.prefix().size(), chunks.size()), chunks.size())) {
            if (turn.stopRequested()) {
                throw Upstream.stopped();
            }
            turn.emit(chunk.toBytes());
            if (!pace.isZero()) {
                Thread.sleep(pace);
            }
        }
        return AgentResult.completed();
    }

    private static List<UiChunk> answer(String text) {
        List<UiChunk> chunks = new ArrayList<>();
        chunks.add(new UiChunk.StartStep());
        chunks.add(new UiChunk.TextStart(TEXT_ID));
        WORDS.matcher(text).results().forEach(word -> chunks.add(new UiChunk.TextDelta(TEXT_ID, word.group())));
        chunks.add(new UiChunk.TextEnd(TEXT_ID));
        chunks.add(new UiChunk.FinishStep());
        chunks.add(new UiChunk.Finish("stop"));
        return List.copyOf(chunks);
    }

    private static String sample() {
        try (InputStream in = Objects.requireNonNull(DemoAgent.class.getResourceAsStream("demo-sample.md"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
