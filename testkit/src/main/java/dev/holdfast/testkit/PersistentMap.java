package dev.holdfast.testkit;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An immutable sorted map whose changed versions share what did not change: a treap, copied along the path. A version is a snapshot for
 * free, a rollback is a forgotten reference. Priorities come from the keys' hashes, so the same content has the same shape.
 */
final class PersistentMap<K extends Comparable<K>, V> {

    private record Node<K, V>(
            K key,
            V value,
            int priority,
            @Nullable Node<K, V> left,
            @Nullable Node<K, V> right) {
        Node<K, V> withLeft(@Nullable Node<K, V> other) {
            return new Node<>(key, value, priority, other, right);
        }

        Node<K, V> withRight(@Nullable Node<K, V> other) {
            return new Node<>(key, value, priority, left, other);
        }
    }

    private record Split<K, V>(
            @Nullable Node<K, V> below, @Nullable Node<K, V> above) {}

    private final @Nullable Node<K, V> root;

    private PersistentMap(@Nullable Node<K, V> root) {
        this.root = root;
    }

    static <K extends Comparable<K>, V> PersistentMap<K, V> empty() {
        return new PersistentMap<>(null);
    }

    Optional<V> get(K key) {
        Node<K, V> node = root;
        while (node != null) {
            int order = key.compareTo(node.key());
            if (order == 0) {
                return Optional.of(node.value());
            }
            node = order < 0 ? node.left() : node.right();
        }
        return Optional.empty();
    }

    PersistentMap<K, V> put(K key, V value) {
        Split<K, V> split = split(root, key);
        int hash = key.hashCode() * 0x9E3779B9;
        Node<K, V> node = new Node<>(key, value, hash ^ (hash >>> 16), null, null);
        return new PersistentMap<>(merge(merge(split.below(), node), split.above()));
    }

    PersistentMap<K, V> remove(K key) {
        Split<K, V> split = split(root, key);
        return new PersistentMap<>(merge(split.below(), split.above()));
    }

    /** The values whose keys are {@code from} or greater, in order. */
    Iterable<V> ascending(K from) {
        return () -> new Walk<>(root, from, true);
    }

    /** The values whose keys are {@code from} or less, greatest first. */
    Iterable<V> descending(K from) {
        return () -> new Walk<>(root, from, false);
    }

    /** All but the key, below and above it. */
    private static <K extends Comparable<K>, V> Split<K, V> split(@Nullable Node<K, V> node, K key) {
        if (node == null) {
            return new Split<>(null, null);
        }
        int order = key.compareTo(node.key());
        if (order == 0) {
            return new Split<>(node.left(), node.right());
        }
        if (order < 0) {
            Split<K, V> rest = split(node.left(), key);
            return new Split<>(rest.below(), node.withLeft(rest.above()));
        }
        Split<K, V> rest = split(node.right(), key);
        return new Split<>(node.withRight(rest.below()), rest.above());
    }

    private static <K, V> @Nullable Node<K, V> merge(@Nullable Node<K, V> below, @Nullable Node<K, V> above) {
        if (below == null) {
            return above;
        }
        if (above == null) {
            return below;
        }
        return below.priority() >= above.priority()
                ? below.withRight(merge(below.right(), above))
                : above.withLeft(merge(below, above.left()));
    }

    private static final class Walk<K extends Comparable<K>, V> implements Iterator<V> {
        private final ArrayDeque<Node<K, V>> path = new ArrayDeque<>();
        private final boolean upwards;

        Walk(@Nullable Node<K, V> root, K from, boolean upwards) {
            this.upwards = upwards;
            Node<K, V> node = root;
            while (node != null) {
                int order = from.compareTo(node.key());
                boolean wanted = upwards ? order <= 0 : order >= 0;
                if (wanted) {
                    path.push(node);
                }
                node = wanted == upwards ? node.left() : node.right();
            }
        }

        @Override
        public boolean hasNext() {
            return !path.isEmpty();
        }

        @Override
        public V next() {
            if (path.isEmpty()) {
                throw new NoSuchElementException();
            }
            Node<K, V> node = path.pop();
            Node<K, V> following = upwards ? node.right() : node.left();
            while (following != null) {
                path.push(following);
                following = upwards ? following.left() : following.right();
            }
            return node.value();
        }
    }
}
