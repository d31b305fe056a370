package dev.holdfast.mcp.tasks;

import dev.holdfast.Holdfast;
import dev.holdfast.error.HoldfastException;
import dev.holdfast.mcp.Pause;
import dev.holdfast.mcp.events.Departures;
import dev.holdfast.mcp.events.Runners;
import dev.holdfast.session.Property;
import dev.holdfast.session.PropertyPage;
import dev.holdfast.session.SessionLimits;
import dev.holdfast.stream.StreamListener;
import dev.holdfast.stream.StreamListing;
import dev.holdfast.stream.StreamState;
import dev.holdfast.stream.StreamStatus;
import dev.holdfast.stream.Streams;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes up the tasks that a process before left undone, tenant by tenant, before the first request for one of them is answered. The tenants that
 * ever had a task are remembered as properties of the default one.
 *
 * <p>What the store refuses for now is tried again with growing pauses, task by task; what was taken up is not taken up twice. Until then such a
 * task stands as it was left.
 *
 * <p>Thread-safe.
 */
final class TaskRecovery implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(TaskRecovery.class);
    private static final String TENANTS = "mcp-task/tenant/";
    private static final int PAGE = 100;

    private final Holdfast holdfast;
    private final TaskSettings settings;
    private final Map<String, DurableTasks.Rule> rules;
    private final TaskRuns runs;
    private final Unfinished unfinished;
    private final Runners runners;
    private final OtherNodes nodes;
    private final Set<String> tenants = ConcurrentHashMap.newKeySet();
    /** Held while tasks are taken up. */
    private final ReentrantLock lock = new ReentrantLock();

    /** By tenant; guarded by the lock. */
    private final Map<String, Runnable> listeners = new HashMap<>();

    private volatile boolean closed;

    TaskRecovery(
            Holdfast holdfast,
            TaskSettings settings,
            Map<String, DurableTasks.Rule> rules,
            TaskRuns runs,
            Unfinished unfinished,
            Runners runners,
            OtherNodes nodes) {
        this.holdfast = holdfast;
        this.settings = settings;
        this.rules = rules;
        this.runs = runs;
        this.unfinished = unfinished;
        this.runners = runners;
        this.nodes = nodes;
    }

    /** The tenants that were taken up. */
    Set<String> tenants() {
        return tenants;
    }

    void all() {
        Departures departures = new Departures(nodes.peers());
        nodes.endsWith(nodes.peers()
                .onChange(
                        () -> { // first listen, then look
                            if (departures.any()) {
                                nodesGone();
                            }
                        }));
        takeUpAll();
    }

    /** Other nodes are gone, whose tasks are for others to take up. */
    private void nodesGone() {
        tenants.forEach(tenant -> persistently(() -> takeUpAgain(tenant), Pause.FIRST));
        takeUpAll(); // and of tenants of which those nodes alone knew
    }

    private void takeUpAgain(String tenant) {
        if (!closed) {
            takeUp(holdfast.streams(tenant));
        }
    }

    private void takeUpAll() {
        persistently(() -> tenant(Holdfast.DEFAULT_TENANT), Pause.FIRST);
        persistently(this::remembered, Pause.FIRST);
    }

    private void remembered() {
        String after = "";
        do {
            PropertyPage page = holdfast.properties().list(TENANTS, after, SessionLimits.MAX_PAGE);
            for (Property known : page.properties()) {
                String tenant = known.name().substring(TENANTS.length());
                persistently(() -> tenant(tenant), Pause.FIRST);
            }
            after = page.next() == null ? "" : page.next();
        } while (!after.isEmpty());
    }

    /** Does something, and does it again later for as long as the store has no room or no time. */
    private void persistently(Runnable step, Pause pause) {
        try {
            step.run();
        } catch (HoldfastException e) {
            if (!isPassing(e)) {
                throw e;
            }
            LOG.warn("Tasks that a process before left are taken up later: {}", TaskSpec.withoutIds(e));
            pause.then(() -> {
                try {
                    persistently(step, pause.longer());
                } catch (RuntimeException again) {
                    LOG.error("Tasks that a process before left are not taken up: {}", TaskSpec.withoutIds(again));
                }
            });
        }
    }

    private boolean isPassing(HoldfastException e) {
        return e instanceof HoldfastException.StoreFull
                || e instanceof HoldfastException.StoreBusy
                || runs.isHandedOver(e);
    }

    /** Takes a tenant's tasks up, unless that was done. */
    void tenant(String tenant) {
        if (tenants.contains(tenant)) {
            return;
        }
        lock.lock();
        try {
            if (!tenants.contains(tenant) && !closed) {
                if (!tenant.equals(Holdfast.DEFAULT_TENANT)) {
                    remember(TENANTS + tenant);
                }
                Streams streams = holdfast.streams(tenant);
                listeners.computeIfAbsent(tenant, unheard -> streams.listen(this::gone));
                takeUp(streams);
                tenants.add(tenant);
            }
        } finally {
            lock.unlock();
        }
    }

    private void remember(String name) {
        if (holdfast.properties().get(name).isEmpty()) {
            holdfast.properties().put(name, new byte[0]);
        }
    }

    /** The time of a task is over: its tool need not go on. On the committer's thread. */
    private void gone(StreamListener.Change change) {
        if (change.kind() == StreamListener.Kind.GONE && change.name().startsWith(TaskLog.PREFIX)) {
            LiveTask task = unfinished.find(TaskLog.idOf(change.name()));
            if (task != null) {
                task.abandon();
            }
        }
    }

    private void takeUp(Streams streams) {
        StreamListing next = StreamListing.all()
                .in(Set.of(StreamState.LIVE))
                .tagged(TaskLog.TAG)
                .limit(PAGE);
        List<StreamStatus> page;
        do {
            page = streams.list(next);
            for (StreamStatus left : page) {
                takeUp(streams, left);
                next = next.after(left.position());
            }
        } while (page.size() == PAGE);
    }

    private void takeUp(Streams streams, StreamStatus left) {
        persistently(() -> takeUpOnce(streams, left), Pause.FIRST);
    }

    private void takeUpOnce(Streams streams, StreamStatus left) {
        lock.lock();
        try {
            String id = TaskLog.idOf(left.name());
            if (!closed && unfinished.find(id) == null && runners.take(id, left)) {
                recover(streams, left.name()).ifPresent(this::goOn);
            }
        } finally {
            lock.unlock();
        }
    }

    private Optional<LiveTask> recover(Streams streams, String stream) {
        try {
            TaskLog.Recovered recovered = TaskLog.recover(streams, stream, settings.maxEventBytes());
            return Optional.of(new LiveTask(recovered.log(), recovered.state(), runs, recovered.bytes()));
        } catch (HoldfastException.StreamNotFound | HoldfastException.StreamGone | HoldfastException.StreamClosed e) {
            LOG.debug("A task's time was over before it was taken up: {}", TaskSpec.withoutIds(e));
            return Optional.empty();
        } catch (RuntimeException e) { // one that cannot be read must not keep the server from starting
            if (e instanceof HoldfastException refused && isPassing(refused)) {
                throw e;
            }
            LOG.error(
                    "Task #{} cannot be taken up; it stays as it is until its time is over: {}",
                    TaskSpec.digest(TaskLog.idOf(stream)),
                    TaskSpec.withoutIds(e));
            return Optional.empty();
        }
    }

    private void goOn(LiveTask task) {
        unfinished.takeAnyway(task.spec().owner(), task.bytes());
        unfinished.add(task);
        if (task.state().status() == TaskState.Status.INPUT_REQUIRED) {
            return;
        }
        DurableTasks.Rule rule = rules.get(task.spec().tool());
        if (rule != null && rule.afterRestart() == AfterRestart.RERUN) {
            task.run();
        } else {
            task.failRestarted();
        }
    }

    /** When this returns nothing more is taken up. */
    @Override
    public void close() {
        closed = true;
        lock.lock();
        try {
            listeners.values().forEach(Runnable::run);
            listeners.clear();
        } finally {
            lock.unlock();
        }
    }
}
