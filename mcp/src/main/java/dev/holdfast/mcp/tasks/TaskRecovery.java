package dev.holdfast.mcp.tasks;

import dev.holdfast.Holdfast;
import dev.holdfast.error.HoldfastException;
import dev.holdfast.session.Property;
import dev.holdfast.session.PropertyPage;
import dev.holdfast.session.SessionLimits;
import dev.holdfast.stream.StreamListener;
import dev.holdfast.stream.StreamListing;
import dev.holdfast.stream.StreamState;
import dev.holdfast.stream.StreamStatus;
import dev.holdfast.stream.Streams;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes up the tasks that a process before left undone, tenant by tenant, before the first request for one of them is answered. The tenants that
 * ever had a task are remembered as properties of the default one. Thread-safe.
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
    private final Set<String> tenants = ConcurrentHashMap.newKeySet();
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

    /** Held while a tenant is taken up. */
    private final ReentrantLock lock = new ReentrantLock();

    TaskRecovery(
            Holdfast holdfast,
            TaskSettings settings,
            Map<String, DurableTasks.Rule> rules,
            TaskRuns runs,
            Unfinished unfinished) {
        this.holdfast = holdfast;
        this.settings = settings;
        this.rules = rules;
        this.runs = runs;
        this.unfinished = unfinished;
    }

    /** The tenants that were taken up. */
    Set<String> tenants() {
        return tenants;
    }

    void all() {
        tenant(Holdfast.DEFAULT_TENANT);
        String after = "";
        do {
            PropertyPage page = holdfast.properties().list(TENANTS, after, SessionLimits.MAX_PAGE);
            for (Property known : page.properties()) {
                tenant(known.name().substring(TENANTS.length()));
            }
            after = page.next() == null ? "" : page.next();
        } while (!after.isEmpty());
    }

    /** Takes a tenant's tasks up, unless that was done. */
    void tenant(String tenant) {
        if (tenants.contains(tenant)) {
            return;
        }
        lock.lock();
        try {
            if (!tenants.contains(tenant)) {
                if (!tenant.equals(Holdfast.DEFAULT_TENANT)) {
                    remember(TENANTS + tenant);
                }
                Streams streams = holdfast.streams(tenant);
                listeners.add(streams.listen(this::gone));
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
                takeUp(streams, left.name());
                next = next.after(left.position());
            }
        } while (page.size() == PAGE);
    }

    private void takeUp(Streams streams, String stream) {
        TaskLog.Recovered recovered;
        try {
            recovered = TaskLog.recover(streams, stream, settings.maxEventBytes());
        } catch (HoldfastException.StreamNotFound | HoldfastException.StreamGone | HoldfastException.StreamClosed e) {
            LOG.debug("A task's time was over before it was taken up: {}", TaskSpec.withoutIds(e));
            return;
        } catch (RuntimeException e) { // one that cannot be read must not keep the server from starting
            LOG.error(
                    "Task #{} cannot be taken up; it stays as it is until its time is over",
                    TaskSpec.digest(TaskLog.idOf(stream)),
                    e);
            return;
        }
        LiveTask task = new LiveTask(recovered.log(), recovered.state(), runs);
        unfinished.takeAnyway(task.spec().owner());
        unfinished.add(task);
        if (recovered.state().status() == TaskState.Status.INPUT_REQUIRED) {
            return;
        }
        DurableTasks.Rule rule = rules.get(task.spec().tool());
        if (rule != null && rule.afterRestart() == AfterRestart.RERUN) {
            task.run();
        } else {
            task.failRestarted();
        }
    }

    @Override
    public void close() {
        listeners.forEach(Runnable::run);
    }
}
