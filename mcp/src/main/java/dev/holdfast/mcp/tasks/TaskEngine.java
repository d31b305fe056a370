package dev.holdfast.mcp.tasks;

import dev.holdfast.Holdfast;
import dev.holdfast.access.Action;
import dev.holdfast.access.Authorizer;
import dev.holdfast.access.Principal;
import dev.holdfast.access.Resource;
import dev.holdfast.cluster.NodeMark;
import dev.holdfast.error.HoldfastException;
import dev.holdfast.mcp.events.Runners;
import dev.holdfast.stream.StreamStatus;
import dev.holdfast.stream.Streams;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.modern.McpException;
import io.modelcontextprotocol.modern.server.McpFeature;
import io.modelcontextprotocol.modern.server.McpRequestContext;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The tasks of all tenants: makes them, finds them for whoever may see them, and takes up what a process before left. A task that is not done is in
 * memory; one that is done is read from its stream. Thread-safe.
 */
final class TaskEngine implements AutoCloseable {

    private static final int ID_BYTES = 20;

    private final Holdfast holdfast;
    private final TaskSettings settings;
    private final Authorizer authorizer;
    private final TaskView view;
    private final Unfinished unfinished;
    private final TaskRuns runs;
    private final TaskChanges changes;
    private final TaskRecovery recovery;
    private final Runners runners;
    private final OtherNodes nodes;
    private volatile boolean closing;

    TaskEngine(
            Holdfast holdfast,
            TaskSettings settings,
            Authorizer authorizer,
            McpJsonMapper mapper,
            McpFeature tools,
            Map<String, DurableTasks.Rule> rules) {
        this.holdfast = holdfast;
        this.settings = settings;
        this.authorizer = authorizer;
        this.view = new TaskView(settings.pollInterval());
        this.unfinished = new Unfinished(settings);
        this.runners = new Runners(holdfast);
        this.nodes = new OtherNodes(holdfast.peers());
        this.changes = new TaskChanges(view, this::standing, this::followed);
        this.runs = new TaskRuns(tools, mapper, settings, unfinished, nodes, changes::changed, this::ended);
        this.recovery = new TaskRecovery(holdfast, settings, rules, runs, unfinished, runners, nodes);
    }

    private void ended(LiveTask task) {
        unfinished.remove(task);
        if (task.state().status().isFinal()) {
            changes.changed(task);
        }
    }

    TaskRuns runs() {
        return runs;
    }

    TaskChanges changes() {
        return changes;
    }

    TaskView view() {
        return view;
    }

    OtherNodes nodes() {
        return nodes;
    }

    /** Takes up the tasks of all tenants that ever had one. */
    void recover() {
        recovery.all();
    }

    Streams streams(Principal principal) {
        recovery.tenant(principal.tenant());
        return holdfast.streams(principal.tenant());
    }

    /**
     * Makes a task of a call. It is durable when this returns; its tool does not run by that.
     *
     * @throws McpException if there are too many, or the call is too large
     */
    LiveTask create(McpRequestContext ctx, Map<String, @Nullable Object> params) {
        if (closing) {
            throw TaskErrors.closing();
        }
        Principal owner = TaskWire.principal(ctx);
        String id = newId();
        if (!mayDo(owner, Action.WRITE, id)) {
            throw TaskErrors.notAllowed();
        }
        Streams streams = streams(owner);
        long now = runs.now();
        Duration life = settings.timeToLive();
        TaskSpec spec = new TaskSpec(
                id,
                String.valueOf(params.get("name")),
                ctx.requestId(),
                params,
                owner,
                now,
                life == null ? null : life.toMillis());
        TaskState state = TaskState.working(now);
        byte[] known = TaskLog.firstBase(spec, state);
        unfinished.take(owner, known.length);
        boolean made = false;
        try {
            TaskLog log = TaskLog.create(streams, spec, state, known, settings.maxEventBytes());
            LiveTask task = new LiveTask(log, state, runs, known.length);
            unfinished.add(task);
            made = true;
            return task;
        } finally {
            if (!made) {
                unfinished.giveBack(owner, known.length);
            }
        }
    }

    private String newId() {
        ByteBuffer random = ByteBuffer.allocate(24);
        while (random.hasRemaining()) {
            random.putLong(settings.time().randomLong());
        }
        byte[] id = new byte[ID_BYTES];
        random.rewind().get(id);
        return NodeMark.mark(
                holdfast.peers().self(), Base64.getUrlEncoder().withoutPadding().encodeToString(id));
    }

    /**
     * A task that was found.
     *
     * @param live if it is not done, and runs on this node
     * @param runner the node that it runs on or ran on; 0 for a process that is alone
     */
    record Found(TaskSpec spec, TaskState state, @Nullable LiveTask live, long runner) {}

    /**
     * The task of this id, for one who may do this with it.
     *
     * @throws McpException the same for whatever is wrong: nobody learns of the tasks of others
     */
    Found find(Principal principal, Action action, String id) {
        if (closing) {
            throw TaskErrors.closing();
        }
        return lookUp(principal, action, id).orElseThrow(TaskErrors::unknownTask);
    }

    /** As {@link #find}, without an error. */
    Optional<Found> lookUp(Principal principal, Action action, String id) {
        if (!TaskWire.isId(id)) {
            return Optional.empty();
        }
        if (!mayDo(principal, action, id)) {
            return Optional.empty();
        }
        return look(streams(principal), id).filter(found -> found.spec().owner().equals(principal));
    }

    private boolean mayDo(Principal principal, Action action, String id) {
        try {
            authorizer.authorize(principal, action, new Resource.OneStream(TaskLog.streamOf(id)));
            return true;
        } catch (HoldfastException.NotAuthorized e) {
            return false;
        }
    }

    private Optional<Found> look(Streams streams, String id) {
        String name = TaskLog.streamOf(id);
        LiveTask live = unfinished.find(id); // before its stream: one that ends in between is found there
        try {
            Optional<StreamStatus> status = streams.status(name);
            if (status.isEmpty()) {
                return Optional.empty();
            }
            if (live != null) {
                return Optional.of(new Found(
                        live.spec(), live.state(), live, holdfast.peers().self()));
            }
            TaskRecords.Known known = TaskRecords.read(
                    id,
                    (from, bytes) -> streams.read(name, from, bytes),
                    status.get().tail(),
                    status.get().settled(),
                    OptionalLong.empty());
            long runner = known.state().status().isFinal() ? 0 : runners.of(id, status.get());
            return Optional.of(new Found(known.spec(), known.state(), null, runner));
        } catch (HoldfastException.StreamNotFound | HoldfastException.StreamGone e) {
            return Optional.empty();
        }
    }

    /** A task for a subscription that was agreed on. */
    private @Nullable Map<String, @Nullable Object> standing(String id) {
        for (String tenant : recovery.tenants()) {
            Optional<Found> found = look(holdfast.streams(tenant), id);
            if (found.isPresent()) {
                return detailed(found.get());
            }
        }
        return null;
    }

    /** How a task stands, as the node says that it runs on. */
    Map<String, @Nullable Object> detailed(Found found) {
        if (isElsewhere(found)) {
            OtherNodes.Asked asked = new OtherNodes.Asked(
                    TaskWire.GET, found.spec().owner(), found.spec().id(), Map.of());
            Optional<Map<String, @Nullable Object>> said = nodes.ask(found.runner(), asked);
            if (said.isPresent()) {
                return said.get();
            }
        }
        return view.detailed(found.spec(), found.state());
    }

    /** Whether a task runs, on another node. */
    boolean isElsewhere(Found found) {
        return found.live() == null && !found.state().status().isFinal() && nodes.isElsewhere(found.runner());
    }

    /** Tells of each change of a task that another node runs; null if none does. */
    private @Nullable AutoCloseable followed(String id, Runnable told) {
        if (!holdfast.peers().isCluster() || unfinished.find(id) != null) {
            return null;
        }
        for (String tenant : recovery.tenants()) {
            Streams streams = holdfast.streams(tenant);
            if (look(streams, id)
                    .filter(found -> !found.state().status().isFinal())
                    .isPresent()) {
                return Followed.of(streams, id, told);
            }
        }
        return null;
    }

    /** Gives up what runs; a later start takes it up. */
    @Override
    public void close() {
        closing = true;
        nodes.close();
        recovery.close();
        unfinished.all().forEach(LiveTask::abandon);
    }
}
