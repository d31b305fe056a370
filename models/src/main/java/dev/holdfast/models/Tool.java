package dev.holdfast.models;

import dev.langchain4j.agent.tool.ToolSpecification;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A function that a model may call: either one that the server runs within the turn, or one that the client runs while the turn waits for its
 * result. Immutable, and as thread-safe as its executor.
 */
public final class Tool {

    /** How long a tool may run unless {@link #withTimeout} says otherwise. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(1);

    /** Runs one call. It is interrupted when the turn is stopped or its time is over, and then must return soon. */
    @FunctionalInterface
    public interface Executor {

        /**
         * @throws Exception if the tool failed: the model is told the message, and so are the readers of the turn
         */
        ToolOutput run(ToolCall call) throws Exception;
    }

    /** As {@link Executor}, for a tool that shows what it has so far. */
    @FunctionalInterface
    public interface GrowingExecutor {

        /**
         * @param soFar takes preliminary outputs, from the call's own thread; each replaces the one before it. They are shown to readers and never
         *     told to the model. Where they come faster than they can be written, the newest one counts
         * @throws Exception as {@link Executor#run}
         */
        ToolOutput run(ToolCall call, Consumer<ToolOutput.Value> soFar) throws Exception;
    }

    private final ToolSpecification specification;
    private final @Nullable GrowingExecutor executor;
    private final Duration timeout;
    private final Predicate<ToolCall> needsApproval;
    private final boolean repeatable;

    private Tool(
            ToolSpecification specification,
            @Nullable GrowingExecutor executor,
            Duration timeout,
            Predicate<ToolCall> needsApproval,
            boolean repeatable) {
        this.specification = specification;
        this.executor = executor;
        this.timeout = timeout;
        this.needsApproval = needsApproval;
        this.repeatable = repeatable;
    }

    /** A tool that the server runs. Several calls of one answer run at once, each on a virtual thread. */
    public static Tool of(ToolSpecification specification, Executor executor) {
        return growing(specification, (call, soFar) -> executor.run(call));
    }

    /** As {@link #of}, for a tool that shows what it has so far. */
    public static Tool growing(ToolSpecification specification, GrowingExecutor executor) {
        return new Tool(specification, executor, DEFAULT_TIMEOUT, call -> false, false);
    }

    /** A tool that the client runs: the turn waits for its result. */
    public static Tool ofClient(ToolSpecification specification) {
        return new Tool(specification, null, DEFAULT_TIMEOUT, call -> false, false);
    }

    /**
     * The same tool with another time a call may take. A call whose time is over is interrupted and ends with an error; the turn goes on.
     *
     * @param limit more than zero
     */
    public Tool withTimeout(Duration limit) {
        if (!limit.isPositive()) {
            throw new IllegalArgumentException("A tool needs a timeout of more than zero; got " + limit + ".");
        }
        return new Tool(specification, executor, limit, needsApproval, repeatable);
    }

    /**
     * The same tool, which runs only after a person has allowed the call, where this holds. The turn then waits with an approval request, for as
     * long as it takes and over restarts. The predicate may be asked again for the same call.
     */
    public Tool needingApproval(Predicate<ToolCall> condition) {
        return new Tool(specification, executor, timeout, condition, repeatable);
    }

    /** The same tool, which runs only after a person has allowed the call. */
    public Tool needingApproval() {
        return needingApproval(call -> true);
    }

    /**
     * The same tool, whose calls may be repeated with the same {@link ToolCall#idempotencyKey}. A call that a crash interrupted is then run
     * again; one of any other tool ends with an error that says so, since nobody knows how far it came.
     */
    public Tool repeatable() {
        return new Tool(specification, executor, timeout, needsApproval, true);
    }

    public String name() {
        return specification.name();
    }

    public ToolSpecification specification() {
        return specification;
    }

    Optional<GrowingExecutor> executor() {
        return Optional.ofNullable(executor);
    }

    Duration timeout() {
        return timeout;
    }

    boolean needsApproval(ToolCall call) {
        return needsApproval.test(call);
    }

    boolean isRepeatable() {
        return repeatable;
    }

    @Override
    public String toString() {
        return "Tool[" + name() + "]";
    }
}
