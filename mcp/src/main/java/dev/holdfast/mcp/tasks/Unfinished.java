package dev.holdfast.mcp.tasks;

import dev.holdfast.access.Principal;
import io.modelcontextprotocol.modern.McpException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The tasks that are not done, by id, and how many there may be (BOUNDED). Thread-safe. */
final class Unfinished {

    private final TaskSettings settings;
    private final Map<String, LiveTask> tasks = new ConcurrentHashMap<>();
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock; a place is taken before its task is made.
    private final Map<Principal, Integer> places = new HashMap<>();
    private int taken;

    Unfinished(TaskSettings settings) {
        this.settings = settings;
    }

    /**
     * Takes a place for a task that is about to be made; {@link #remove} or {@link #giveBack} ends it.
     *
     * @throws McpException if there is none
     */
    void take(Principal owner) {
        lock.lock();
        try {
            if (taken >= settings.maxUnfinished()) {
                throw TaskErrors.tooMany("maxUnfinished", settings.maxUnfinished());
            }
            if (places.getOrDefault(owner, 0) >= settings.maxUnfinishedPerPrincipal()) {
                throw TaskErrors.tooMany("maxUnfinishedPerPrincipal", settings.maxUnfinishedPerPrincipal());
            }
            takeAnyway(owner);
        } finally {
            lock.unlock();
        }
    }

    /** As {@link #take}, for a task that had a place before. */
    void takeAnyway(Principal owner) {
        lock.lock();
        try {
            taken++;
            places.merge(owner, 1, Integer::sum);
        } finally {
            lock.unlock();
        }
    }

    void giveBack(Principal owner) {
        lock.lock();
        try {
            taken--;
            places.computeIfPresent(owner, (who, count) -> count > 1 ? count - 1 : null);
        } finally {
            lock.unlock();
        }
    }

    void add(LiveTask task) {
        tasks.put(task.spec().id(), task);
    }

    void remove(LiveTask task) {
        if (tasks.remove(task.spec().id(), task)) {
            giveBack(task.spec().owner());
        }
    }

    @Nullable
    LiveTask find(String id) {
        return tasks.get(id);
    }

    Collection<LiveTask> all() {
        return tasks.values();
    }
}
