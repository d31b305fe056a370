package dev.holdfast.session;

import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.LimitExceeded;
import dev.holdfast.error.HoldfastException.MessageNotFound;
import dev.holdfast.error.HoldfastException.SessionNotFound;
import dev.holdfast.store.MessageRow;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.StoreReads;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The overlays of a session: summaries that a model reads in the place of older parts of the conversation, so that it stays within what the model can
 * take in. Nothing is deleted, and whoever reads {@linkplain Session#history() the history} sees every message. {@link Session#compacted} applies them.
 *
 * <p>An overlay counts on the paths that hold both of its ends, so one of a branch hides nothing on another. Of two that overlap the newer one counts
 * alone: to fold more, fold what the older one folds as well. When an end is deleted the overlay counts no more. A message that is changed
 * after it was folded is still read as its summary.
 *
 * <p>The feed tells of each with {@code PROPERTY_CHANGED}. Thread-safe. What a method wrote is durable when it returns. Methods wait for the disk;
 * call them from virtual threads or threads that may block.
 */
public final class Overlays {

    private final Session session;

    Overlays(Session session) {
        this.session = session;
    }

    /** All of them, the newest first; at most {@value SessionLimits#MAX_OVERLAYS}. */
    public List<Overlay> list() {
        return session.read(OverlayTable::newestFirst);
    }

    /**
     * Folds the messages from one to another. Where the session has as many overlays as it may have, its oldest one goes.
     *
     * @param from id of the first one
     * @param to id of the last one: the same, or a descendant
     * @throws MessageNotFound if one of them is not there
     * @throws InvalidArgument if {@code to} does not hang below {@code from}, or the summary is blank
     * @throws LimitExceeded if the summary has more than {@value SessionLimits#MAX_SUMMARY_BYTES} bytes
     * @throws SessionNotFound if the session was deleted
     */
    public Overlay put(String from, String to, String summary) {
        Overlay.checkSummary(summary);
        var unused = session.read((reads, row) -> checkPath(reads, row, from, to));
        return session.execute(
                new SessionCalls.PutOverlay(session.row(), from, to, summary),
                summary.getBytes(StandardCharsets.UTF_8).length,
                (engine, scope, row) -> {
                    Session.require(scope.reads(), row, from);
                    Session.require(scope.reads(), row, to);
                    return OverlayTable.put(scope, engine.properties(), row, from, to, summary);
                });
    }

    /**
     * Takes an overlay away: the model reads the messages again.
     *
     * @return false if there was none
     */
    public boolean delete(String id) {
        return session.execute(
                new SessionCalls.DeleteOverlay(session.row(), id),
                0,
                (engine, scope, row) -> OverlayTable.delete(scope, engine.properties(), row, id));
    }

    private static MessageRow checkPath(StoreReads reads, SessionRow session, String from, String to) {
        MessageRow first = Session.require(reads, session, from);
        MessageRow last = Session.require(reads, session, to);
        MessagePath.Walk walk = MessagePath.Walk.far(reads, session, last.seq());
        MessageRow row = walk.next();
        while (row != null && row.seq() > first.seq()) {
            row = walk.next();
        }
        if (row == null || row.seq() != first.seq()) {
            throw new InvalidArgument(
                    "Message \"%s\" does not hang below \"%s\", so they are no part of one conversation."
                            .formatted(to, from));
        }
        return row;
    }
}
