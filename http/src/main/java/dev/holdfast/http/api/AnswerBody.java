package dev.holdfast.http.api;

import dev.holdfast.http.HttpProblem;
import dev.holdfast.http.Json;
import dev.holdfast.turn.ToolAnswer;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Reads the body that answers a tool call: its output, its error, or whether it may run. */
public final class AnswerBody {

    private AnswerBody() {}

    /**
     * @throws HttpProblem 400 if it is malformed
     */
    public static ToolAnswer read(ObjectNode body) {
        Fields.only(body, Set.of("toolCallId", "output", "error", "approved", "reason"));
        String call = Fields.text(body, "toolCallId")
                .orElseThrow(() -> HttpProblem.badRequest("An answer needs the \"toolCallId\" of the call."));
        JsonNode output = body.get("output"); // null is an output
        Optional<String> error = Fields.text(body, "error");
        Optional<JsonNode> approved = Fields.any(body, "approved");
        Optional<String> reason = Fields.text(body, "reason");
        long given = Stream.of(output != null, error.isPresent(), approved.isPresent())
                .filter(is -> is)
                .count();
        if (given != 1) {
            throw HttpProblem.badRequest("An answer has either an \"output\", an \"error\" or \"approved\".");
        }
        if (reason.isPresent() && approved.isEmpty()) {
            throw HttpProblem.badRequest("A \"reason\" belongs to \"approved\".");
        }
        if (output != null) {
            return new ToolAnswer.Output(call, Json.MAPPER.writeValueAsBytes(output));
        }
        if (error.isPresent()) {
            return new ToolAnswer.Failure(call, error.get());
        }
        JsonNode decision = approved.orElseThrow();
        if (!decision.isBoolean()) {
            throw HttpProblem.badRequest("\"approved\" must be true or false.");
        }
        return new ToolAnswer.Approval(call, decision.booleanValue(), reason.orElse(null));
    }
}
