package dev.holdfast.cluster;

import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Ids that say on which node the thing lives that they name: the node's number in hexadecimal and a dot come before the rest. */
public final class NodeMark {

    private static final int MAX_DIGITS = 15;
    private static final Pattern MARKED =
            Pattern.compile("([0-9a-f]{1,%d})\\.(.+)".formatted(MAX_DIGITS), Pattern.DOTALL);

    private NodeMark() {}

    /** The id of something on a node; not marked where the node is 0, which stands for a process that is alone. */
    public static String mark(long node, String rest) {
        return node == 0 ? rest : Long.toHexString(node) + "." + rest;
    }

    /** The node that an id names, or 0 if it names none. What comes from outside may name any. */
    public static long nodeOf(String id) {
        Matcher marked = MARKED.matcher(id);
        return marked.matches() ? HexFormat.fromHexDigitsToLong(marked.group(1)) : 0;
    }

    /** The id without its mark. */
    public static String restOf(String id) {
        Matcher marked = MARKED.matcher(id);
        return marked.matches() ? marked.group(2) : id;
    }
}
