package dev.holdfast.verification.rig;

import dev.holdfast.models.loopback.LoopbackRequest;
import dev.holdfast.models.loopback.Recording;
import java.util.List;
import java.util.Optional;

/** Answers of a model that tests write themselves. */
public final class Script {

    private Script() {}

    /** Events as JSON with single quotes; backticks are quotes within a text. */
    public static Recording of(String... events) {
        return Recording.of(List.of(events).stream()
                .map(event -> event.replace('\'', '"').replace("`", "\\\""))
                .toList());
    }

    /** Chat completions of a model that asks for the weather in Paris ({@code c1}) and in Rome ({@code c2}), and then says {@code It is so.} */
    public static Optional<Recording> weather(LoopbackRequest request) {
        return Optional.of(
                hasResults(request)
                        ? last()
                        : of(
                                "{'model':'m','choices':[{'index':0,'delta':{'tool_calls':[{'index':0,'id':'c1','function':{'name':'weather','arguments':'{`city`:`Paris`}'}}]}}]}",
                                "{'choices':[{'index':0,'delta':{'tool_calls':[{'index':1,'id':'c2','function':{'name':'weather','arguments':'{`city`:`Rome`}'}}]}}]}",
                                "{'choices':[{'index':0,'delta':{},'finish_reason':'tool_calls'}]}"));
    }

    /** Whether the request brings results of tools. */
    public static boolean hasResults(LoopbackRequest request) {
        return request.body().contains("\"role\":\"tool\"");
    }

    /** What the model says in the end. */
    public static Recording last() {
        return of(
                "{'model':'m','choices':[{'index':0,'delta':{'content':'It is so.'}}]}",
                "{'choices':[{'index':0,'delta':{},'finish_reason':'stop'}]}");
    }
}
