package dev.holdfast.bench.http.profile;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Samples of stacks, put together. One thread. */
final class CallTree {

    private final Node root = new Node("all");
    private final Map<String, Long> self = new HashMap<>();
    private final Map<String, Long> total = new HashMap<>();

    /** A frame below certain callers. */
    static final class Node {
        private final String frame;
        private final Map<String, Node> callees = new HashMap<>();
        private long samples;

        Node(String frame) {
            this.frame = frame;
        }

        String frame() {
            return frame;
        }

        long samples() {
            return samples;
        }

        Collection<Node> callees() {
            return callees.values();
        }
    }

    /** What called everything. */
    Node root() {
        return root;
    }

    /**
     * Adds a sample.
     *
     * @param stack from the outermost frame to the innermost
     */
    void add(List<String> stack) {
        Node node = root;
        node.samples++;
        Set<String> seen = new HashSet<>();
        for (String frame : stack) {
            node = node.callees.computeIfAbsent(frame, Node::new);
            node.samples++;
            if (seen.add(frame)) {
                total.merge(frame, 1L, Long::sum);
            }
        }
        self.merge(stack.isEmpty() ? root.frame : stack.getLast(), 1L, Long::sum);
    }

    long samples() {
        return root.samples;
    }

    /** The frames on top of the stack most often. */
    String topFrames(int count) {
        return list(self, count);
    }

    /** The frames most often anywhere on the stack, of those whose name begins with one of these. */
    String busiest(int count, List<String> prefixes) {
        Map<String, Long> some = new HashMap<>(total);
        some.keySet().removeIf(frame -> prefixes.stream().noneMatch(frame::startsWith));
        return list(some, count);
    }

    private String list(Map<String, Long> frames, int count) {
        StringBuilder text = new StringBuilder();
        frames.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .limit(count)
                .forEach(each -> text.append(line(each.getValue(), 0, each.getKey())));
        return text.toString();
    }

    /**
     * The tree, a callee below its caller; chains of one callee are one line.
     *
     * @param leastPercent what is smaller is left out
     */
    String tree(double leastPercent) {
        StringBuilder text = new StringBuilder();
        print(root, 0, leastPercent / 100 * root.samples, text);
        return text.toString();
    }

    private void print(Node from, int depth, double least, StringBuilder text) {
        Node node = from;
        List<Node> callees = large(node, least);
        while (callees.size() == 1 && callees.getFirst().samples > 0.98 * node.samples) {
            node = callees.getFirst();
            callees = large(node, least);
        }
        text.append(line(node.samples, depth, node.frame));
        callees.forEach(callee -> print(callee, depth + 1, least, text));
    }

    private static List<Node> large(Node node, double least) {
        List<Node> callees = new ArrayList<>(node.callees.values());
        callees.removeIf(callee -> callee.samples < least);
        callees.sort(Comparator.comparingLong((Node callee) -> callee.samples).reversed());
        return callees;
    }

    private String line(long samples, int depth, String frame) {
        return String.format(
                Locale.ROOT, "%5.1f %% %s%s%n", 100.0 * samples / Math.max(1, root.samples), "  ".repeat(depth), frame);
    }
}
