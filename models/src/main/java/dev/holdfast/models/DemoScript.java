package dev.holdfast.models;

import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnContext;
import dev.holdfast.uimessage.ToolTraits;
import dev.holdfast.uimessage.UiChunk;
import dev.holdfast.uimessage.UiMessage;
import dev.holdfast.uimessage.UiPart;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * What the demo answers: a sample, unless the user's message has one of its key words. The same turn always has the same script, whatever process
 * reads it.
 *
 * @param chunks the answer
 * @param end how it ends; null for a failure
 */
record DemoScript(List<UiChunk> chunks, @Nullable AgentResult end) {

    /** What the failure says that ends a turn whose user asked for one. */
    static final String FAILURE = "Demo: it failed because you asked for a failure.";

    private static final Pattern WORDS = Pattern.compile("\\S+\\s*|\\s+");
    private static final String CALL = "call-1";
    private static final String TOOL = "send_postcard";
    private static final int LONG_PARAGRAPHS = 60;
    private static final int HISTORY_BYTES = 64 << 10;

    /** The script of a turn, also of one that goes on after it waited. */
    static DemoScript of(TurnContext turn) {
        List<UiChunk> chunks = new ArrayList<>();
        ObjectNode metadata = ModelJson.object();
        metadata.put("model", "demo sample");
        chunks.add(new UiChunk.Start(turn.messageId(), metadata, Map.of()));
        chunks.add(new UiChunk.StartStep());
        Optional<UiMessage> written = turn.written().map(Conversation::read);
        AgentResult end = written.isPresent()
                ? afterApproval(written.get(), chunks)
                : answer(question(turn).toLowerCase(Locale.ROOT), chunks);
        chunks.add(new UiChunk.FinishStep());
        if (end != null) {
            chunks.add(new UiChunk.Finish(end instanceof AgentResult.Awaiting ? "tool-calls" : "stop"));
        }
        return new DemoScript(List.copyOf(chunks), end);
    }

    private static String question(TurnContext turn) {
        var history = turn.history(HISTORY_BYTES);
        return history.isEmpty() ? "" : Conversation.read(history.getLast()).text();
    }

    private static @Nullable AgentResult answer(String question, List<UiChunk> chunks) {
        if (has(question, "approve")) {
            text(
                    chunks,
                    "**Demo.** This tool does nothing, but it asks first. Approve or deny it, here or on another device.");
            ObjectNode input = ModelJson.object();
            input.put("to", "Greta");
            input.put("text", "Nothing gets lost.");
            chunks.add(new UiChunk.ToolInputAvailable(CALL, TOOL, input, ToolTraits.NONE));
            chunks.add(new UiChunk.ToolApprovalRequest("approval-" + CALL, CALL));
            return AgentResult.awaiting("approval");
        }
        if (has(question, "fail")) {
            text(chunks, "**Demo.** This answer breaks off in the middle of a");
            return null;
        }
        if (has(question, "markdown")) {
            reasoning(chunks, "The demo thinks in a sample, too: a table, a list, some code.");
            text(chunks, resource("demo-markdown.md"));
        } else if (has(question, "tool")) {
            tool(chunks);
        } else if (has(question, "long")) {
            text(chunks, longText());
        } else {
            text(chunks, resource("demo-sample.md"));
        }
        return AgentResult.completed();
    }

    private static boolean has(String question, String word) {
        return Pattern.compile("\\b" + word + "\\b").matcher(question).find();
    }

    private static AgentResult afterApproval(UiMessage written, List<UiChunk> chunks) {
        boolean approved = written.parts().stream()
                .filter(part -> part instanceof UiPart.Tool)
                .map(part -> ((UiPart.Tool) part).value("approval"))
                .flatMap(Optional::stream)
                .anyMatch(approval -> approval.path("approved").asBoolean(false));
        if (approved) {
            ObjectNode output = ModelJson.object();
            output.put("sent", false);
            output.put("why", "this is a demo");
            chunks.add(new UiChunk.ToolOutputAvailable(CALL, output, ToolTraits.NONE));
            text(chunks, "**Demo.** You approved it, so the tool ran and did nothing.");
        } else {
            chunks.add(new UiChunk.ToolOutputDenied(CALL));
            text(chunks, "**Demo.** You denied it, so the tool did not run.");
        }
        return AgentResult.completed();
    }

    private static void tool(List<UiChunk> chunks) {
        ObjectNode input = ModelJson.object();
        input.put("place", "Graz");
        ObjectNode output = ModelJson.object();
        output.put("sky", "clear");
        output.put("made_up", true);
        chunks.add(new UiChunk.ToolInputStart(CALL, "look_at_sky", ToolTraits.NONE));
        WORDS.matcher(input.toString())
                .results()
                .forEach(piece -> chunks.add(new UiChunk.ToolInputDelta(CALL, piece.group())));
        chunks.add(new UiChunk.ToolInputAvailable(CALL, "look_at_sky", input, ToolTraits.NONE));
        chunks.add(new UiChunk.ToolOutputAvailable(CALL, output, ToolTraits.NONE));
        chunks.add(new UiChunk.FinishStep());
        chunks.add(new UiChunk.StartStep());
        text(chunks, "**Demo.** The tool says that the sky over Graz is clear; it made that up.");
    }

    private static void text(List<UiChunk> chunks, String text) {
        String id = "sample";
        chunks.add(new UiChunk.TextStart(id));
        words(text).forEach(word -> chunks.add(new UiChunk.TextDelta(id, word)));
        chunks.add(new UiChunk.TextEnd(id));
    }

    private static void reasoning(List<UiChunk> chunks, String text) {
        String id = "thought";
        chunks.add(new UiChunk.ReasoningStart(id));
        words(text).forEach(word -> chunks.add(new UiChunk.ReasoningDelta(id, word)));
        chunks.add(new UiChunk.ReasoningEnd(id));
    }

    private static List<String> words(String text) {
        return WORDS.matcher(text).results().map(word -> word.group()).toList();
    }

    private static String longText() {
        StringBuilder text =
                new StringBuilder("**Demo.** A long answer, to cut, stop, reload and watch from two devices.\n\n");
        IntStream.rangeClosed(1, LONG_PARAGRAPHS)
                .forEach(number -> text.append(
                        "Line %d of %d. Whatever happens to the connection, the next line follows this one.\n\n"
                                .formatted(number, LONG_PARAGRAPHS)));
        return text.append("That was all of it.").toString();
    }

    private static String resource(String name) {
        try (InputStream in = Objects.requireNonNull(DemoScript.class.getResourceAsStream(name))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
