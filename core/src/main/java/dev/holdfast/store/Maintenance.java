package dev.holdfast.store;

import java.util.ArrayList;
import java.util.List;

/** Work that the engine owes to itself: sealing, trimming, bounded deletion. Asked by the committer's thread before each batch. */
public interface Maintenance {

    /**
     * Commands to run now, with the next batch or, if no caller waits, in a batch of their own. An empty list means that nothing is due;
     * the committer then sleeps until a caller comes (IDLE-IS-SILENT). A failed command must not be offered again at once.
     *
     * @param idle whether no caller waits
     */
    List<Command<?>> due(boolean idle);

    /** Nothing is ever due. */
    Maintenance NONE = idle -> List.of();

    /** The work of all parts together. A part that fails holds up itself alone. */
    static Maintenance all(Maintenance... parts) {
        List<Maintenance> each = List.of(parts);
        return idle -> {
            List<Command<?>> due = new ArrayList<>();
            for (Maintenance part : each) {
                due.addAll(part.due(idle));
            }
            return due;
        };
    }
}
