package dev.holdfast.models;

import dev.langchain4j.agent.tool.ToolSpecification;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The tools of an agent, and how many steps a turn may take with them.
 *
 * <p>In each step the model answers once. The calls of its answer that the server can run are run at once, their results are emitted as soon as they
 * are there, and the model is asked again, all within one turn and stream. The turn waits where a call is the client's or needs an approval. Immutable.
 */
public final class Toolbox {

    /** No tools: every call that a model makes is the client's. */
    public static final Toolbox EMPTY = new Toolbox(Map.of(), ModelLimits.MAX_STEPS);

    private final Map<String, Tool> tools;
    private final int maxSteps;

    private Toolbox(Map<String, Tool> tools, int maxSteps) {
        this.tools = tools;
        this.maxSteps = maxSteps;
    }

    /** @throws IllegalArgumentException if two have the same name */
    public static Toolbox of(Tool... tools) {
        return of(List.of(tools));
    }

    /** @throws IllegalArgumentException if two have the same name */
    public static Toolbox of(Collection<Tool> tools) {
        Map<String, Tool> byName = new LinkedHashMap<>();
        for (Tool tool : tools) {
            if (byName.put(tool.name(), tool) != null) {
                throw new IllegalArgumentException(
                        "There are two tools named \"%s\". Give each a name of its own.".formatted(tool.name()));
            }
        }
        return new Toolbox(byName, ModelLimits.MAX_STEPS);
    }

    /**
     * The same tools with another limit of steps per turn. At the limit, calls are not run but end with an error, and the turn ends.
     *
     * @param steps from 1 to {@value ModelLimits#MAX_STEPS}
     */
    public Toolbox withMaxSteps(int steps) {
        if (steps < 1 || steps > ModelLimits.MAX_STEPS) {
            throw new IllegalArgumentException(
                    "A turn takes from 1 to %d steps; got %d.".formatted(ModelLimits.MAX_STEPS, steps));
        }
        return new Toolbox(tools, steps);
    }

    int maxSteps() {
        return maxSteps;
    }

    Optional<Tool> tool(String name) {
        return Optional.ofNullable(tools.get(name));
    }

    boolean isEmpty() {
        return tools.isEmpty();
    }

    /** Whether the server runs the tool of this name. */
    boolean runs(String name) {
        return tool(name).flatMap(Tool::executor).isPresent();
    }

    List<ToolSpecification> specifications() {
        return tools.values().stream().map(Tool::specification).toList();
    }
}
