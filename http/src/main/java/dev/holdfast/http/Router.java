package dev.holdfast.http;

import dev.holdfast.access.Principal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds the route of a request by method and path. Each wire's package adds its own routes; a template's segments are literal or a
 * placeholder in braces, and a literal wins over a placeholder. Immutable once built.
 */
public final class Router {

    private record Entry(String method, List<String> template, Kind kind, Route route) {}

    private enum Kind {
        PLAIN,
        /** Nobody needs a key for it. */
        OPEN,
        /** It may become a WebSocket. */
        UPGRADING
    }

    private final List<Entry> entries;
    private final List<Mount> mounts;

    private Router(List<Entry> entries, List<Mount> mounts) {
        this.entries = entries;
        this.mounts = mounts;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Collects routes. */
    public static final class Builder {
        private final List<Entry> entries = new ArrayList<>();
        private final List<Mount> mounts = new ArrayList<>();

        /**
         * @param template such as {@code /api/v1/sessions/{session}}
         */
        public Builder add(String method, String template, Route route) {
            return add(method, template, Kind.PLAIN, route);
        }

        /** A route that nobody needs a key for, because it tells and changes nothing of anyone. */
        public Builder addOpen(String method, String template, Route route) {
            return add(method, template, Kind.OPEN, route);
        }

        /** A route whose requests may become WebSockets ({@link Exchange#upgrade}). */
        public Builder addUpgrading(String method, String template, Route route) {
            return add(method, template, Kind.UPGRADING, route);
        }

        private Builder add(String method, String template, Kind kind, Route route) {
            List<String> segments = template.equals("/")
                    ? List.of()
                    : List.of(template.substring(1).split("/"));
            entries.add(new Entry(method, segments, kind, route));
            return this;
        }

        /** A wire that has a tree of paths to itself; it wins over routes. */
        public Builder mount(Mount mount) {
            mounts.add(mount);
            return this;
        }

        public Router build() {
            return new Router(List.copyOf(entries), List.copyOf(mounts));
        }
    }

    /** The wire that has the path to itself, or null. */
    @Nullable
    Mount mountOf(String rawPath) {
        for (int i = 0; i < mounts.size(); i++) {
            if (mounts.get(i).holds(rawPath)) {
                return mounts.get(i);
            }
        }
        return null;
    }

    /** Finds out who asks. */
    @FunctionalInterface
    public interface Identify {
        Principal of(RequestHead head);
    }

    /**
     * @param identify asked only where a route needs to know
     * @param anybody who asks where no key is needed
     * @throws HttpProblem 400 if path or query are malformed, 404 if nothing is there, 405 if the method is not allowed there
     */
    public void route(Exchange exchange, Identify identify, Principal anybody)
            throws IOException, InterruptedException {
        RequestHead head = exchange.head();
        List<String> path = PathSegments.of(head.rawPath());
        Entry best = best(head.method(), path);
        if (best == null) {
            throw nothing(head.method(), path);
        }
        Principal principal = best.kind() == Kind.OPEN ? anybody : identify.of(head);
        best.route().answer(new Call(exchange, placeholders(best, path), Query.of(head.rawQuery()), principal));
    }

    /** Whether the request's route may make a WebSocket of it. */
    boolean mayUpgrade(RequestHead head) {
        try {
            Mount mount = mountOf(head.rawPath());
            if (mount != null) {
                return mount.mayUpgrade(head.rawPath());
            }
            Entry found = best(head.method(), PathSegments.of(head.rawPath()));
            return found != null && found.kind() == Kind.UPGRADING;
        } catch (HttpProblem e) {
            return false; // which is its answer when it is routed
        }
    }

    private @Nullable Entry best(String method, List<String> path) {
        Entry best = null;
        for (Entry entry : entries) {
            if (entry.method().equals(method)
                    && matches(entry.template(), path)
                    && (best == null || literals(entry) > literals(best))) {
                best = entry;
            }
        }
        return best;
    }

    private HttpProblem nothing(String method, List<String> path) {
        TreeSet<String> allowed = new TreeSet<>();
        for (Entry entry : entries) {
            if (matches(entry.template(), path)) {
                allowed.add(entry.method());
            }
        }
        return allowed.isEmpty()
                ? HttpProblem.noSuchRoute("/" + String.join("/", path))
                : HttpProblem.methodNotAllowed(method, String.join(", ", allowed));
    }

    private static boolean matches(List<String> template, List<String> path) {
        if (template.size() != path.size()) {
            return false;
        }
        for (int i = 0; i < path.size(); i++) {
            if (placeholder(template.get(i)) == null && !template.get(i).equals(path.get(i))) {
                return false;
            }
        }
        return true;
    }

    private static long literals(Entry entry) {
        return entry.template().stream().filter(s -> placeholder(s) == null).count();
    }

    private static Map<String, String> placeholders(Entry entry, List<String> path) {
        Map<String, String> values = new LinkedHashMap<>();
        for (int i = 0; i < path.size(); i++) {
            String name = placeholder(entry.template().get(i));
            if (name != null) {
                values.put(name, path.get(i));
            }
        }
        return values;
    }

    private static @Nullable String placeholder(String segment) {
        return segment.startsWith("{") ? segment.substring(1, segment.length() - 1) : null;
    }
}
