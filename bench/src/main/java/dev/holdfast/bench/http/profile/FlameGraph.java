package dev.holdfast.bench.http.profile;

import dev.holdfast.bench.http.profile.CallTree.Node;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A call tree drawn as SVG: callers below, callees on top of them, as wide as their part of the samples. A browser shows the full name of a
 * frame, its percentage and its samples when the pointer rests on it.
 */
final class FlameGraph {

    private static final int WIDTH = 1200;
    private static final int ROW = 17;
    private static final int HEAD = 3 * ROW;
    private static final double LEAST_PIXELS = 1.5;
    private static final double PIXELS_PER_CHARACTER = 6.6;

    /** Colours by what a frame's name begins with; the first that fits. */
    private static final Map<String, String> COLOURS = colours();

    private static final String OTHER = "#c9c3b8";

    private final CallTree tree;
    private final int height;
    private final StringBuilder svg = new StringBuilder();

    private FlameGraph(CallTree tree) {
        this.tree = tree;
        this.height = HEAD + ROW * (depth(tree.root()) + 1);
    }

    static String of(CallTree tree, String title) {
        return new FlameGraph(tree).draw(title);
    }

    private static Map<String, String> colours() {
        Map<String, String> colours = new LinkedHashMap<>();
        colours.put("d.h.", "#4f9d69"); // Holdfast
        colours.put("o.e.j.", "#e0a458"); // Jetty
        colours.put("o.s.", "#7a9cc6"); // sqlite-jdbc
        return colours;
    }

    private static double pixels(Node node, CallTree tree) {
        return (double) WIDTH * node.samples() / Math.max(1, tree.samples());
    }

    private List<Node> drawn(Node node) {
        return node.callees().stream()
                .filter(callee -> pixels(callee, tree) >= LEAST_PIXELS)
                .sorted(Comparator.comparing(Node::frame))
                .toList();
    }

    private int depth(Node node) {
        return drawn(node).stream().mapToInt(callee -> 1 + depth(callee)).max().orElse(0);
    }

    private String draw(String title) {
        svg.append("""
                <svg xmlns="http://www.w3.org/2000/svg" width="%1$d" height="%2$d" viewBox="0 0 %1$d %2$d" \
                font-family="monospace" font-size="11">
                <rect width="100%%" height="100%%" fill="#ffffff"/>
                <text x="6" y="14" font-size="13">%3$s</text>
                <text x="6" y="32">green: Holdfast; orange: Jetty; blue: SQLite and its driver; grey: the JDK. \
                Point at a frame for its name and share.</text>
                """.formatted(WIDTH, height, escaped(title)));
        draw(tree.root(), 0, 0);
        return svg.append("</svg>\n").toString();
    }

    private void draw(Node node, double x, int level) {
        double width = pixels(node, tree);
        int y = height - ROW * (level + 1);
        svg.append(String.format(
                Locale.ROOT,
                "<g><title>%s, %.1f %%, %d samples</title><rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>",
                escaped(node.frame()),
                100.0 * node.samples() / Math.max(1, tree.samples()),
                node.samples(),
                x,
                y,
                Math.max(1, width - 0.5),
                ROW - 1,
                colour(node.frame())));
        int room = (int) ((width - 6) / PIXELS_PER_CHARACTER);
        if (room >= 3) {
            svg.append(String.format(
                    Locale.ROOT,
                    "<text x=\"%.1f\" y=\"%d\">%s</text>",
                    x + 3,
                    y + 12,
                    escaped(cut(node.frame(), room))));
        }
        svg.append("</g>\n");
        double at = x;
        for (Node callee : drawn(node)) {
            draw(callee, at, level + 1);
            at += pixels(callee, tree);
        }
    }

    private static String colour(String frame) {
        return COLOURS.entrySet().stream()
                .filter(each -> frame.startsWith(each.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(OTHER);
    }

    private static String cut(String text, int room) {
        return text.length() <= room ? text : text.substring(0, room - 1) + "…";
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
