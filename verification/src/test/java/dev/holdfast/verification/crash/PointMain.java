package dev.holdfast.verification.crash;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.store.StoreSettings;
import dev.holdfast.store.sqlite.SqliteStore;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamLimits;
import dev.holdfast.stream.StreamOptions;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnContext;
import dev.holdfast.turn.TurnRequest;
import dev.holdfast.turn.TurnSettings;
import dev.holdfast.verification.rig.AppTable;
import dev.holdfast.verification.rig.Reading;
import dev.holdfast.verification.rig.StoreTap;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The child that is killed at a named point. Appends ten chunks first; every acknowledgement is a line. */
final class PointMain {

    static final int BEFORE = 10;
    static final int BIG_BYTES = 100 << 10;
    /** A file that stands for another database. */
    static final String ELSEWHERE = "elsewhere";

    static final String TAG = "answers";
    static final String SESSION = "chat";
    static final String TURN = "turn";
    static final String ANSWER = "answer";
    static final String ANSWER_TEXT = "w0 w1 w2 w3 w4 ";

    /** Small, so that sealing and trimming come soon. */
    static final StreamLimits LIMITS = StreamLimits.defaults().withMaxJournalBytes(1 << 20);

    /** Emits five words, from where an earlier attempt stopped. */
    static final Agent WORDS = new Agent() {
        @Override
        public AgentResult run(TurnContext turn) {
            for (int i = turn.prefix().size(); i < 5; i++) {
                turn.emit("w" + i + " ");
            }
            return AgentResult.completed();
        }

        @Override
        public Recovery recover(LostTurn turn) {
            return Recovery.CONTINUE;
        }
    };

    private PointMain() {}

    static HoldfastSettings settings() {
        return HoldfastSettings.defaults()
                .withStreams(LIMITS)
                .withTurns(TurnSettings.defaults().withAgent("words", WORDS));
    }

    public static void main(String[] arguments) throws Exception {
        Report report = Report.onStandardOutput();
        Path folder = Path.of(arguments[0]);
        Point point = Point.valueOf(arguments[1]);
        Point.Stop stop = new Point.Stop(point, report);
        if (point == Point.RECOVERING || point == Point.RECOVERED) {
            stop.arm();
        }
        Holdfast holdfast =
                Holdfast.open(new StoreTap(SqliteStore.open(folder, StoreSettings.defaults()), stop), settings());
        StreamWriter writer = holdfast.streams().open("s", StreamOptions.DEFAULTS.withTag(TAG));
        for (int i = 0; i < BEFORE; i++) {
            writer.append("chunk " + i);
            report.line("ACK", i);
        }
        holdfast.sessions().create(SESSION);
        holdfast.streams().open("blocks").append(new byte[2 * StreamLimits.MAX_BLOCK_BYTES]);
        awaitSealed(holdfast, "blocks");
        stop.arm();
        act(point, holdfast, writer, stop, report, folder.resolve(ELSEWHERE));
        report.line("MISSED", point);
    }

    /** The upkeep comes with one of the next batches; each look is one. */
    private static void awaitSealed(Holdfast holdfast, String name) {
        StreamWriter writer = holdfast.streams().open(name);
        for (int i = 0; i < 3; i++) {
            writer.checkpoint("none");
        }
    }

    private static void act(
            Point point, Holdfast holdfast, StreamWriter writer, Point.Stop stop, Report report, Path elsewhere)
            throws InterruptedException, IOException {
        switch (point) {
            case BEFORE_CREATE_COMMIT, AFTER_CREATE_COMMIT -> holdfast.streams().open("created");
            case BEFORE_APPEND_COMMIT, AFTER_APPEND_COMMIT -> writer.append("chunk " + BEFORE);
            case BEFORE_SEAL_COMMIT, AFTER_SEAL_COMMIT, BEFORE_TRIM_COMMIT, AFTER_TRIM_COMMIT -> {
                for (int i = BEFORE; i < 200; i++) {
                    writer.append(Reading.payload("s", i, BIG_BYTES));
                    report.line("ACK", i);
                }
            }
            case INSIDE_CUTOVER, BEFORE_CUTOVER_COMMIT, AFTER_CUTOVER_COMMIT ->
                writer.settle(Settlement.completed().discard().commit(handle -> {
                    AppTable.write(handle, "s", BEFORE);
                    if (point == Point.INSIDE_CUTOVER) {
                        stop.here();
                    }
                }));
            case AFTER_KEPT_SETTLE_COMMIT, AFTER_STORED_ELSEWHERE -> {
                writer.settle(Settlement.completed());
                Files.writeString(elsewhere, String.valueOf(BEFORE));
                stop.here();
            }
            case BEFORE_PURGE_COMMIT, AFTER_PURGE_COMMIT -> {
                holdfast.streams().delete("blocks");
                report.line("DELETED");
                awaitSealed(holdfast, "s");
            }
            case BEFORE_TURN_START_COMMIT, AFTER_TURN_START_COMMIT, BEFORE_TURN_END_COMMIT, AFTER_TURN_END_COMMIT ->
                holdfast.turns().start(SESSION, request(point)).await();
            case BEFORE_QUEUED_CUTOVER_COMMIT,
                    AFTER_QUEUED_CUTOVER_COMMIT,
                    BEFORE_NEXT_TURN_COMMIT,
                    AFTER_NEXT_TURN_COMMIT,
                    BEFORE_ANSWER_COMMIT,
                    AFTER_ANSWER_COMMIT -> throw new IllegalStateException("that is for TurnMain");
            case BEFORE_OVERLAY_COMMIT, AFTER_OVERLAY_COMMIT ->
                throw new IllegalStateException("that is for OverlayMain");
            case BEFORE_FORK_COMMIT,
                    AFTER_FORK_COMMIT,
                    BEFORE_CASCADE_COMMIT,
                    AFTER_CASCADE_COMMIT,
                    BEFORE_CASCADE_PURGE_COMMIT,
                    AFTER_CASCADE_PURGE_COMMIT -> throw new IllegalStateException("that is for ForkMain");
            case RECOVERING, RECOVERED -> throw new IllegalStateException("recovery did not stop");
        }
    }

    /** At the start of a turn it brings its user's message; at its end there must be none but the answer. */
    private static TurnRequest request(Point point) {
        return request(point == Point.BEFORE_TURN_START_COMMIT || point == Point.AFTER_TURN_START_COMMIT);
    }

    static TurnRequest request(boolean withQuestion) {
        TurnRequest request = withQuestion
                ? TurnRequest.answer(TURN, "words", MessageDraft.of("question", "user", "?"))
                : TurnRequest.of(TURN, "words");
        return request.writing(ANSWER);
    }
}
