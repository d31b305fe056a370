package dev.holdfast.mcp.tasks;

import dev.holdfast.access.Principal;
import io.modelcontextprotocol.modern.McpException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The tasks that are not done, by id, and how many there may be with how many bytes in memory (BOUNDED). Thread-safe. */
final class Unfinished {

    private final TaskSettings settings;
    private final Map<String, LiveTask> tasks = new ConcurrentHashMap<>();
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock; a place is taken before its task is made.
    private final Map<Principal, Share> shares = new HashMap<>();
    private Share all = Share.NOTHING;

    private record Share(int tasks, long bytes) {
        private static final Share NOTHING = new Share(0, 0);

        private Share plus(int moreTasks, long moreBytes) {
            return new Share(tasks + moreTasks, bytes + moreBytes);
        }
    }

    Unfinished(TaskSettings settings) {
        this.settings = settings;
    }

    /**
     * Takes a place for a task that is about to be made; {@link #remove} or {@link #giveBack} ends it.
     *
     * @param bytes what it holds
     * @throws McpException if there is none
     */
    void take(Principal owner, long bytes) {
        lock.lock();
        try {
            if (all.tasks() >= settings.maxUnfinished()) {
                throw TaskErrors.tooMany("maxUnfinished", settings.maxUnfinished());
            }
            if (share(owner).tasks() >= settings.maxUnfinishedPerPrincipal()) {
                throw TaskErrors.tooMany("maxUnfinishedPerPrincipal", settings.maxUnfinishedPerPrincipal());
            }
            requireRoom(owner, bytes);
            change(owner, 1, bytes);
        } finally {
            lock.unlock();
        }
    }

    /**
     * A task is about to hold more, or holds less now.
     *
     * @throws McpException if there is no room for more
     */
    void resize(Principal owner, long more) {
        lock.lock();
        try {
            if (more > 0) {
                requireRoom(owner, more);
            }
            change(owner, 0, more);
        } finally {
            lock.unlock();
        }
    }

    private void requireRoom(Principal owner, long bytes) {
        if (all.bytes() + bytes > settings.maxUnfinishedBytes()) {
            throw TaskErrors.tooManyBytes(bytes, "maxUnfinishedBytes", settings.maxUnfinishedBytes());
        }
        if (share(owner).bytes() + bytes > settings.maxUnfinishedBytesPerPrincipal()) {
            throw TaskErrors.tooManyBytes(
                    bytes, "maxUnfinishedBytesPerPrincipal", settings.maxUnfinishedBytesPerPrincipal());
        }
    }

    private Share share(Principal owner) {
        return shares.getOrDefault(owner, Share.NOTHING);
    }

    /** As {@link #take}, for a task that had a place before. */
    void takeAnyway(Principal owner, long bytes) {
        change(owner, 1, bytes);
    }

    void giveBack(Principal owner, long bytes) {
        change(owner, -1, -bytes);
    }

    private void change(Principal owner, int tasks, long bytes) {
        lock.lock();
        try {
            all = all.plus(tasks, bytes);
            Share left = share(owner).plus(tasks, bytes);
            if (left.tasks() == 0) {
                shares.remove(owner);
            } else {
                shares.put(owner, left);
            }
        } finally {
            lock.unlock();
        }
    }

    void add(LiveTask task) {
        tasks.put(task.spec().id(), task);
    }

    void remove(LiveTask task) {
        if (tasks.remove(task.spec().id(), task)) {
            giveBack(task.spec().owner(), task.bytes());
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
