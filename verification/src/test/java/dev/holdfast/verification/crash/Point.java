package dev.holdfast.verification.crash;

import dev.holdfast.verification.rig.StoreTap;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * Where a child stops for ever, to be killed there.
 *
 * <p>All but those of recovery are just before or just after the commit of a transaction that contains a certain verb.
 */
enum Point {
    BEFORE_CREATE_COMMIT("insertStream", Side.BEFORE),
    AFTER_CREATE_COMMIT("insertStream", Side.AFTER),
    BEFORE_APPEND_COMMIT("append", Side.BEFORE),
    AFTER_APPEND_COMMIT("append", Side.AFTER),
    BEFORE_SEAL_COMMIT("insertBlock", Side.BEFORE),
    AFTER_SEAL_COMMIT("insertBlock", Side.AFTER),
    INSIDE_CUTOVER(null, Side.BEFORE),
    BEFORE_CUTOVER_COMMIT("unwrap", Side.BEFORE),
    AFTER_CUTOVER_COMMIT("unwrap", Side.AFTER),
    BEFORE_TRIM_COMMIT("releaseLog", Side.BEFORE),
    AFTER_TRIM_COMMIT("releaseLog", Side.AFTER),
    BEFORE_PURGE_COMMIT("deleteBlocks", Side.BEFORE),
    AFTER_PURGE_COMMIT("deleteBlocks", Side.AFTER),
    BEFORE_TURN_START_COMMIT("insertTurn", Side.BEFORE),
    AFTER_TURN_START_COMMIT("insertTurn", Side.AFTER),
    BEFORE_TURN_END_COMMIT("insertMessage", Side.BEFORE),
    AFTER_TURN_END_COMMIT("insertMessage", Side.AFTER),
    BEFORE_QUEUED_CUTOVER_COMMIT("moveMessage", Side.BEFORE),
    AFTER_QUEUED_CUTOVER_COMMIT("moveMessage", Side.AFTER),
    BEFORE_NEXT_TURN_COMMIT("insertStream", Side.BEFORE),
    AFTER_NEXT_TURN_COMMIT("insertStream", Side.AFTER),
    BEFORE_ANSWER_COMMIT("updateMessage", Side.BEFORE),
    AFTER_ANSWER_COMMIT("updateMessage", Side.AFTER),
    BEFORE_FORK_COMMIT("insertStream", Side.BEFORE),
    AFTER_FORK_COMMIT("insertStream", Side.AFTER),
    BEFORE_CASCADE_COMMIT("purgeProperties", Side.BEFORE),
    AFTER_CASCADE_COMMIT("purgeProperties", Side.AFTER),
    BEFORE_CASCADE_PURGE_COMMIT("deleteBlocks", Side.BEFORE),
    AFTER_CASCADE_PURGE_COMMIT("deleteBlocks", Side.AFTER),
    BEFORE_OVERLAY_COMMIT("putProperty", Side.BEFORE),
    AFTER_OVERLAY_COMMIT("putProperty", Side.AFTER),
    AFTER_KEPT_SETTLE_COMMIT("updateStream", Side.AFTER),
    AFTER_STORED_ELSEWHERE(null, Side.BEFORE),
    RECOVERING(null, Side.BEFORE),
    RECOVERED(null, Side.AFTER);

    private enum Side {
        BEFORE,
        AFTER
    }

    private final @Nullable String verb;
    private final Side side;

    Point(@Nullable String verb, Side side) {
        this.verb = verb;
        this.side = side;
    }

    /** Stops the thread that gets there once it is armed. */
    static final class Stop implements StoreTap.Observer {
        private final Point point;
        private final Report report;
        private volatile boolean armed;

        Stop(Point point, Report report) {
            this.point = point;
            this.report = report;
        }

        void arm() {
            armed = true;
        }

        /** Says so and stands still for ever. */
        void here() {
            if (armed) {
                report.line("AT", point);
                while (true) {
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        // only a kill ends this
                    }
                }
            }
        }

        private boolean isCommitOfInterest(String committing, List<String> earlier) {
            return committing.equals("commit") && point.verb != null && earlier.contains(point.verb);
        }

        @Override
        public void before(String verb, List<String> earlier) {
            if (point.side == Side.BEFORE && isCommitOfInterest(verb, earlier)) {
                here();
            }
        }

        @Override
        public void after(String verb, List<String> earlier) {
            if (point.side == Side.AFTER && isCommitOfInterest(verb, earlier)) {
                here();
            }
            if (point == RECOVERED && verb.equals("recover")) {
                here();
            }
        }

        @Override
        public void recovering(long position) {
            if (point == RECOVERING && position >= 5) {
                here();
            }
        }
    }
}
