package dev.holdfast.stream;

import dev.holdfast.error.HoldfastException.StreamGone;
import java.util.Optional;

/** Attaches readers at cursors, and says how the cursors stand (EXPLICIT-CURSOR). */
final class Attaching {

    private Attaching() {}

    static Attach attach(StreamEngine engine, String tenant, String name, Cursor cursor) {
        Optional<StreamLog> found;
        try {
            found = engine.attach(tenant, name);
        } catch (StreamGone e) {
            return new Attach.Gone();
        }
        if (found.isEmpty()) {
            return new Attach.Gone();
        }
        StreamLog log = found.get();
        View view = log.view();
        if (log.incarnation() != cursor.incarnation()) {
            return new Attach.Restarted(new StreamReader(engine, log, view.row().firstSeq()));
        }
        Attach answer = null;
        if (cursor.seq() < view.row().firstSeq()) {
            answer = new Attach.TooOld(new Cursor(log.incarnation(), view.row().firstSeq()));
        } else if (cursor.seq() > view.tail()) {
            answer = new Attach.Ahead(new Cursor(log.incarnation(), view.tail()));
        }
        if (answer != null) {
            engine.leave(log);
            return answer;
        }
        return new Attach.Ok(new StreamReader(engine, log, cursor.seq()));
    }
}
