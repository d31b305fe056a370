package dev.holdfast.verification.rig;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Counts what is written: each verb that changes the store, and each commit, which is one sync of the disk. */
public final class VerbCount implements StoreTap.Observer {

    private static final Set<String> WRITES = Set.of(
            "append",
            "insertStream",
            "updateStream",
            "deleteStream",
            "insertBlock",
            "deleteBlocks",
            "releaseLog",
            "reserveKeys",
            "insertSession",
            "updateSession",
            "purgeSession",
            "deleteSession",
            "appendFeed",
            "trimFeed",
            "insertMessage",
            "updateMessage",
            "moveMessage",
            "deleteMessage",
            "clearMessages",
            "insertTurn",
            "updateTurn",
            "putProperty",
            "deleteProperty",
            "purgeProperties",
            "commit");

    private final Map<String, Integer> counts = new TreeMap<>(); // guarded by this

    @Override
    public synchronized void after(String verb, List<String> earlier) {
        if (WRITES.contains(verb)) {
            counts.merge(verb, 1, Integer::sum);
        }
    }

    /** What was counted since the last time. */
    public synchronized Map<String, Integer> take() {
        Map<String, Integer> taken = new TreeMap<>(counts);
        counts.clear();
        return taken;
    }
}
