package dev.holdfast.verification.crash;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** What the world knows of one store: everything that its children ever acknowledged, or that their readers saw. */
final class Ledger {

    /** Streams that were opened. */
    final Set<String> opened = new TreeSet<>();

    /** The position up to which each stream was acknowledged or seen. */
    final Map<String, Long> known = new HashMap<>();

    /** Streams whose end was acknowledged or seen. */
    final Set<String> ended = new TreeSet<>();

    /** Turns that were accepted, as {@code session:turn}. */
    final Set<String> asked = new TreeSet<>();

    /** Turns whose end was told. */
    final Set<String> answered = new TreeSet<>();

    /** Complaints of the children. */
    final List<String> bad = new ArrayList<>();

    private int acknowledgements;

    int acknowledgements() {
        return acknowledgements;
    }

    void take(String line) {
        String[] words = line.split(" ", -1);
        switch (words[0]) {
            case "OPEN" -> opened.add(words[1]);
            case "ACK", "SAW" -> {
                known.merge(words[1], Long.parseLong(words[2]), Math::max);
                acknowledgements++;
            }
            case "CUT" -> {
                known.merge(words[1], Long.parseLong(words[2]), Math::max);
                ended.add(words[1]);
                acknowledgements++;
            }
            case "ASKED" -> asked.add(words[1] + ":" + words[2]);
            case "ENDED" -> {
                answered.add(words[1] + ":" + words[2]);
                if (!words[3].equals("COMPLETED")) {
                    bad.add(line);
                }
                acknowledgements++;
            }
            case "STARTING", "OPENED", "RECOVERING", "RECOVERED", "READY" -> {}
            default -> bad.add(line);
        }
    }

    long knownOf(String name) {
        return known.getOrDefault(name, 0L);
    }
}
