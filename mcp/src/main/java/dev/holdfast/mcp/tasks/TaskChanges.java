package dev.holdfast.mcp.tasks;

import io.modelcontextprotocol.modern.McpSchema.SubscriptionFilter;
import io.modelcontextprotocol.modern.server.feature.ServerChange;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;

/**
 * Tells subscriptions of tasks that changed: {@code notifications/tasks}. A subscription begins with the tasks as they stand, so that nothing is
 * missed between a look and the subscription; each notification shows the task as it stands when it is sent. Thread-safe.
 */
final class TaskChanges {

    private final List<FluxSink<ServerChange>> subscriptions = new CopyOnWriteArrayList<>();
    private final TaskView view;
    private final Function<String, @Nullable Map<String, @Nullable Object>> look;
    private final BiFunction<String, Runnable, @Nullable AutoCloseable> follow;

    /**
     * @param look finds a task as it stands, by its id
     * @param follow tells of the changes of a task that another node runs, until it is closed; null if none does
     */
    TaskChanges(
            TaskView view,
            Function<String, @Nullable Map<String, @Nullable Object>> look,
            BiFunction<String, Runnable, @Nullable AutoCloseable> follow) {
        this.view = view;
        this.look = look;
        this.follow = follow;
    }

    Flux<ServerChange> changes() {
        return Flux.create(subscription -> {
            Disposable.Composite followed = Disposables.composite();
            subscriptions.add(subscription);
            subscription.onDispose(() -> {
                subscriptions.remove(subscription);
                followed.dispose();
            });
            subscription.next(new Beginning(subscription, followed));
        });
    }

    void changed(LiveTask task) {
        if (!subscriptions.isEmpty()) {
            Changed change = new Changed(task);
            subscriptions.forEach(subscription -> subscription.next(change));
        }
    }

    /** A task that changed. */
    private final class Changed implements ServerChange {
        private final LiveTask task;

        private Changed(LiveTask task) {
            this.task = task;
        }

        @Override
        public String method() {
            return TaskWire.CHANGED;
        }

        @Override
        public Object params() {
            return view.detailed(task.spec(), task.state());
        }

        @Override
        public boolean isHonouredBy(SubscriptionFilter honoured) {
            return ids(honoured).contains(task.spec().id());
        }
    }

    /** The first of a subscription: nothing by itself, but it learns what was agreed on, and sends for it. */
    private final class Beginning implements ServerChange {
        private final FluxSink<ServerChange> subscription;
        private final Disposable.Composite followed;

        private Beginning(FluxSink<ServerChange> subscription, Disposable.Composite followed) {
            this.subscription = subscription;
            this.followed = followed;
        }

        @Override
        public String method() {
            return TaskWire.CHANGED;
        }

        @Override
        public boolean isHonouredBy(SubscriptionFilter honoured) {
            for (Object id : ids(honoured)) {
                String task = String.valueOf(id);
                Runnable stands = () -> subscription.next(new Standing(task));
                AutoCloseable elsewhere = follow.apply(task, stands);
                if (elsewhere == null) {
                    stands.run();
                } else { // which begins with how it stands
                    boolean unused = followed.add(() -> end(elsewhere));
                }
            }
            return false;
        }
    }

    private static void end(AutoCloseable followed) {
        try {
            followed.close();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** A task as it stands. */
    private final class Standing implements ServerChange {
        private final String id;
        private @Nullable Map<String, @Nullable Object> found;

        private Standing(String id) {
            this.id = id;
        }

        @Override
        public String method() {
            return TaskWire.CHANGED;
        }

        @Override
        public Object params() {
            return found == null ? Map.of() : found;
        }

        @Override
        public boolean isHonouredBy(SubscriptionFilter honoured) {
            found = look.apply(id);
            return found != null;
        }
    }

    static List<?> ids(SubscriptionFilter filter) {
        return filter.get(TaskWire.TASK_IDS) instanceof List<?> ids ? ids : List.of();
    }
}
