package dev.holdfast.mcp.tasks;

import dev.holdfast.Holdfast;
import dev.holdfast.access.Authorizer;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.modern.server.McpFeature;
import io.modelcontextprotocol.modern.server.feature.McpChangePublisher;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/**
 * Durable tasks, the extension {@code io.modelcontextprotocol/tasks} (SEP-2663): calls of tools that outlive their request, their connection and
 * the process.
 *
 * <pre>{@code
 * DurableTasks tasks = DurableTasks.builder(holdfast)
 *         .tool("slow_compute", TaskPolicy.always(), AfterRestart.RERUN)
 *         .build();
 * McpServer server = McpServer.builder()
 *         .serverInfo(...)
 *         .feature(tasks.of(ToolsFeature.ofSync(repository)))
 *         .subscriptions(tasks.changes(feed))
 *         .build();
 * }</pre>
 *
 * <ul>
 *   <li>A handle is given away after the commit that makes its task durable. A task ends once, whatever races to end it, and its result can be read
 *       until its time to live is over, also after {@code kill -9}.
 *   <li>A tool that answers {@code input_required} as a task asks its client through {@code tasks/get}; partial answers are kept, across restarts,
 *       and the tool is called again with all of them and its {@code requestState}.
 *   <li>{@code tasks/cancel} is durable when it is acknowledged, and interrupts the tool's thread.
 *   <li>A task is seen by the principal that made it, and for everyone else it is not there.
 *   <li>What a tool tells of its progress as a task is an event of the task. {@code tasks/stream} (experimental, the draft SEP-2694) sends them as
 *       {@code notifications/tasks/event}, behind the number {@code after}, with numbers dense from 0. What the store refuses when it is told, as a full
 *       one does, is left out, and the tool goes on. Events that are not kept any more are answered with -32010 and {@code data.earliestSeq}.
 *   <li>Arguments, results, and questions with their answers may have {@value TaskSettings#MAX_EVENT_BYTES} bytes each as JSON.
 * </ul>
 *
 * <p>The tools run on virtual threads. What the tool feature refuses by itself, such as arguments or a missing capability, ends a task instead of
 * its call if the call is a task already. After its first call a tool finds in its transport context who made it, and nothing else that a
 * transport had left there.
 *
 * <p>Thread-safe. Close it before its {@link Holdfast}: what runs is interrupted, and taken up by the next start.
 */
public final class DurableTasks implements AutoCloseable {

    /** What applies to a tool. */
    record Rule(TaskPolicy policy, AfterRestart afterRestart) {}

    private final Holdfast holdfast;
    private final Map<String, Rule> rules;
    private final TaskSettings settings;
    private final Authorizer authorizer;
    private final McpJsonMapper mapper;
    private final TaskChangesHub changes = new TaskChangesHub();
    private final AtomicReference<@Nullable TaskEngine> engine = new AtomicReference<>();

    private DurableTasks(Builder builder) {
        this.holdfast = builder.holdfast;
        this.rules = Map.copyOf(builder.rules);
        this.settings = builder.settings;
        this.authorizer = builder.authorizer;
        this.mapper = builder.mapper != null ? builder.mapper : McpJsonDefaults.getMapper();
    }

    /**
     * @param holdfast where the tasks are kept, each in its principal's tenant
     */
    public static Builder builder(Holdfast holdfast) {
        return new Builder(holdfast);
    }

    /** Collects which tools become tasks. One thread at a time. */
    public static final class Builder {
        private final Holdfast holdfast;
        private final Map<String, Rule> rules = new HashMap<>();
        private TaskSettings settings = TaskSettings.defaults();
        private Authorizer authorizer = Authorizer.allowAll();
        private @Nullable McpJsonMapper mapper;

        private Builder(Holdfast holdfast) {
            this.holdfast = holdfast;
        }

        /** Calls of this tool become tasks by a policy. All other tools are left as they are. */
        public Builder tool(String name, TaskPolicy policy, AfterRestart afterRestart) {
            rules.put(name, new Rule(policy, afterRestart));
            return this;
        }

        public Builder settings(TaskSettings how) {
            this.settings = how;
            return this;
        }

        /** Is asked for the stream {@code mcp-task/ID} at each request for a task, beside the check that it is the caller's own. */
        public Builder authorizer(Authorizer port) {
            this.authorizer = port;
            return this;
        }

        /** The one that the server has; the SDK's default unless given. */
        public Builder jsonMapper(McpJsonMapper jsonMapper) {
            this.mapper = jsonMapper;
            return this;
        }

        public DurableTasks build() {
            return new DurableTasks(this);
        }
    }

    /**
     * The tools with their tasks, as a feature for a server. Takes up what a process before left: when this returns, each of its tasks waits for
     * input, runs again, or has failed. Where the store has no room or no time for that now, it is done as soon as it has.
     *
     * @param tools a feature that serves {@code tools/call}
     * @throws IllegalStateException if it was asked for before
     */
    public McpFeature of(McpFeature tools) {
        if (!tools.methods().contains(TaskWire.CALL)) {
            throw new IllegalArgumentException("Tasks are calls of tools, and %s serves none."
                    .formatted(tools.getClass().getName()));
        }
        TaskEngine made = new TaskEngine(holdfast, settings, authorizer, mapper, tools, rules);
        if (!engine.compareAndSet(null, made)) {
            throw new IllegalStateException("One DurableTasks is for one feature. Make another one.");
        }
        changes.set(made.changes());
        recover(made);
        return new TasksFeature(tools, new ToolCalls(made, tools, rules), new TaskMethods(made));
    }

    private void recover(TaskEngine made) {
        try {
            made.recover();
        } catch (RuntimeException e) { // what runs by now would run unseen
            made.close();
            engine.set(null);
            throw e;
        }
    }

    /** The changes of tasks together with an application's own, for {@code McpServer.builder().subscriptions(...)}. */
    public McpChangePublisher changes(McpChangePublisher application) {
        return () -> Flux.merge(application.changes(), changes.changes());
    }

    /** The changes of tasks, for an application without changes of its own. */
    public McpChangePublisher changes() {
        return changes::changes;
    }

    @Override
    public void close() {
        TaskEngine made = engine.get();
        if (made != null) {
            made.close();
        }
    }
}
