package dev.holdfast.testkit.sim;

import dev.holdfast.turn.ToolAnswer;
import dev.holdfast.turn.ToolAnswers;
import java.nio.charset.StandardCharsets;

/**
 * The tool calls of the simulation's turns. A message that waits has the calls {@code c0} and {@code c1}, and what is answered stands in its
 * text behind the place where it began to wait.
 */
final class ToolCalls {

    private static final String WAITS = "/AWAITING";

    private ToolCalls() {}

    /** The port of the runtime. */
    static ToolAnswers.Applied apply(byte[] message, ToolAnswer answer) {
        byte[] output = answer instanceof ToolAnswer.Output given ? given.output() : new byte[0];
        return apply(SessionSimulation.text(message), answer.toolCallId(), SessionSimulation.text(output));
    }

    static ToolAnswers.Applied apply(String message, String call, String output) {
        int waits = message.lastIndexOf(WAITS);
        if (waits < 0 || !(call.equals("c0") || call.equals("c1"))) {
            return new ToolAnswers.Applied.Unknown();
        }
        String since = message.substring(waits);
        if (since.contains(mark(call))) {
            return since.contains(given(call, output))
                    ? new ToolAnswers.Applied.Same()
                    : new ToolAnswers.Applied.Contradicts("was answered differently before");
        }
        String with = message + given(call, output);
        boolean settled = since.contains(mark("c0")) || since.contains(mark("c1"));
        return new ToolAnswers.Applied.Changed(with.getBytes(StandardCharsets.UTF_8), settled);
    }

    private static String mark(String call) {
        return "!" + call + "=";
    }

    /** How an answer stands in a message. */
    static String given(String call, String output) {
        return mark(call) + output + ";";
    }
}
