package dev.holdfast.models;

import dev.holdfast.error.HoldfastException.StreamClosed;
import dev.holdfast.session.Message;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.turn.NestedTurn;
import dev.holdfast.turn.TurnRequest;
import dev.holdfast.turn.TurnState;
import dev.holdfast.turn.TurnStatus;
import dev.holdfast.uimessage.InvalidUiJson;
import dev.holdfast.uimessage.MessageInProgress;
import dev.holdfast.uimessage.UiChunk;
import dev.holdfast.uimessage.UiMessage;
import dev.langchain4j.agent.tool.ToolSpecification;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Another agent as a tool. A call runs that agent in a nested turn, in a session of its own whose one message is the prompt, and has the text of its
 * answer as its output; what there is of it so far is shown as preliminary outputs.
 *
 * <p>The nested turn survives crashes as every turn does: the outer one finds it again by the call's idempotency key, so it is never begun twice,
 * and these tools are {@link Tool#repeatable}. What it emits counts as progress of the outer turn; a stop of that one stops it, and so does the end
 * of the call's time, or of the outer turn while it waits for the call. Its stream is kept until the outer turn ends, its session until the application deletes it: {@link #sessionOf} names it.
 */
public final class AgentTool {

    /** How long a nested agent may run, unless {@link Tool#withTimeout} says otherwise. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofHours(1);

    private static final String TURN = "answer";
    private static final String PROMPT = "prompt";
    private static final int SESSION_DIGITS = 32;

    private final String agent;
    private final Function<ToolCall, String> prompt;

    private AgentTool(String agent, Function<ToolCall, String> prompt) {
        this.agent = agent;
        this.prompt = prompt;
    }

    /**
     * A tool that runs an agent.
     *
     * @param agent the name under which it is registered
     * @param prompt what it is asked, from the call's input; the same for the same input
     */
    public static Tool of(ToolSpecification specification, String agent, Function<ToolCall, String> prompt) {
        return Tool.growing(specification, new AgentTool(agent, prompt)::run)
                .withTimeout(DEFAULT_TIMEOUT)
                .repeatable();
    }

    /** The id of the session in which a call's agent runs, in the tenant of the outer turn. */
    public static String sessionOf(ToolCall call) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            byte[] key = digest.digest(call.idempotencyKey().getBytes(StandardCharsets.UTF_8));
            return "nested-" + HexFormat.of().formatHex(key).substring(0, SESSION_DIGITS);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("This Java has no SHA-256, which every Java must have", e);
        }
    }

    private ToolOutput run(ToolCall call, Consumer<ToolOutput.Value> soFar) throws InterruptedException {
        byte[] asked = UiMessage.ofUser(PROMPT, prompt.apply(call)).toBytes();
        TurnRequest request = TurnRequest.answer(TURN, agent, MessageDraft.of(PROMPT, "user", asked));
        NestedTurn nested = call.turn().nest(sessionOf(call), request);
        try {
            TurnStatus end = nested.follow(new Growing(nested.status().messageId(), soFar));
            return output(end, nested);
        } catch (InterruptedException | StreamClosed e) { // closed: the outer turn ended before the interrupt was seen
            if (call.isTimedOut()) {
                var unused = nested.stop("The time of the call is over.");
            } else if (!call.turn().stopRequested()) { // a stop reaches the nested turn by itself, and a drain is none
                var unused = nested.stop("The turn that asked for it has ended without it.");
            }
            throw e;
        }
    }

    private static ToolOutput output(TurnStatus end, NestedTurn nested) {
        String text = nested.message().map(AgentTool::text).orElse("");
        if (end.state() == TurnState.COMPLETED) {
            return ToolOutput.text(text);
        }
        String why = end.state() == TurnState.AWAITING
                ? "The agent waits for a person, which it cannot do within another turn."
                : "The agent did not finish (%s): %s".formatted(end.state(), end.error());
        return ToolOutput.failure(text.isEmpty() ? why : why + " It had said: " + text);
    }

    private static String text(Message message) {
        try {
            return UiMessage.parse(message.content()).text();
        } catch (InvalidUiJson e) {
            return message.text(); // written by another assembler than that of the AI SDK
        }
    }

    /**
     * Shows the text so far whenever it has grown by a quarter, so that all preliminary outputs together are a small multiple of the last one,
     * however long it is.
     */
    private static final class Growing implements NestedTurn.Follower {
        private static final double FACTOR = 1.25;

        private final String messageId;
        private final Consumer<ToolOutput.Value> soFar;
        private MessageInProgress message;
        private long chars;
        private long shownAt;

        Growing(String messageId, Consumer<ToolOutput.Value> soFar) {
            this.messageId = messageId;
            this.soFar = soFar;
            this.message = new MessageInProgress(messageId, null);
        }

        @Override
        public void begins() {
            message = new MessageInProgress(messageId, null);
            chars = 0;
            shownAt = 0;
        }

        @Override
        public void says(List<byte[]> chunks) {
            for (byte[] chunk : chunks) {
                take(chunk);
            }
            if (chars > 0 && chars >= shownAt * FACTOR) {
                shownAt = chars;
                soFar.accept(new ToolOutput.Value(
                        ModelJson.textNode(message.snapshot().text())));
            }
        }

        private void take(byte[] chunk) {
            try {
                UiChunk parsed = UiChunk.parse(chunk);
                message.accept(parsed);
                if (parsed instanceof UiChunk.TextDelta delta) {
                    chars += delta.delta().length();
                }
            } catch (InvalidUiJson e) {
                // The agent speaks another language than that of the AI SDK; its answer is in its message.
            }
        }
    }
}
