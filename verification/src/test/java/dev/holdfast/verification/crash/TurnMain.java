package dev.holdfast.verification.crash;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.store.StoreSettings;
import dev.holdfast.store.sqlite.SqliteStore;
import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.ToolAnswer;
import dev.holdfast.turn.ToolAnswers;
import dev.holdfast.turn.TurnContext;
import dev.holdfast.turn.TurnRequest;
import dev.holdfast.turn.TurnSettings;
import dev.holdfast.verification.rig.StoreTap;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** The child that is killed with turns in its queue, with an answer half given, or again and again within one turn. */
final class TurnMain {

    static final String SESSION = "chat";
    static final String AGENT = "agent";
    static final List<String> QUEUED = List.of("a", "b", "c");

    /** Words of the turn that is killed again and again: one for each life. */
    static final int WORDS = 10;

    static final ToolAnswer YES = new ToolAnswer.Approval("call", true, null);

    private TurnMain() {}

    /** How an agent is made to stand still where a child is to be killed. */
    interface Stage {
        void reached(String turn, int words) throws InterruptedException;
    }

    /** Emits one word more in each life of a turn {@code churn}; asks and goes on in a turn {@code asks}; answers any other. */
    static final class StagedAgent implements Agent {
        private final Stage stage;

        StagedAgent(Stage stage) {
            this.stage = stage;
        }

        @Override
        public AgentResult run(TurnContext turn) throws InterruptedException {
            switch (turn.turnId()) {
                case "churn" -> {
                    stage.reached("churn", turn.prefix().size());
                    for (int i = turn.prefix().size(); i < WORDS; i++) {
                        turn.emit("w" + i + " ");
                        stage.reached("churn", i + 1);
                    }
                }
                case "asks" -> {
                    if (turn.written().isEmpty()) {
                        turn.emit("May I? ");
                        return AgentResult.awaiting("approval");
                    }
                    turn.emit("Done.");
                }
                default -> {
                    turn.emit("answer of " + turn.turnId());
                    stage.reached(turn.turnId(), 1);
                }
            }
            return AgentResult.completed();
        }

        @Override
        public Recovery recover(LostTurn turn) {
            return turn.turnId().equals("churn") ? Recovery.CONTINUE : Recovery.RETRY;
        }
    }

    /** Answers are text behind the message. */
    private static final ToolAnswers APPENDED = (message, answer) -> {
        byte[] given = "[yes] ".getBytes(StandardCharsets.UTF_8);
        if (new String(message, StandardCharsets.UTF_8).contains("[yes]")) {
            return new ToolAnswers.Applied.Same();
        }
        byte[] both = Arrays.copyOf(message, message.length + given.length);
        System.arraycopy(given, 0, both, message.length, given.length);
        return new ToolAnswers.Applied.Changed(both, true);
    };

    static HoldfastSettings settings(Stage stage) {
        return HoldfastSettings.defaults()
                .withTurns(TurnSettings.defaults().withAnswers(APPENDED).withAgent(AGENT, new StagedAgent(stage)));
    }

    static TurnRequest ask(String turn) {
        return TurnRequest.answer(turn, AGENT, MessageDraft.of("ask-" + turn, "user", "question of " + turn));
    }

    /** Arguments: the folder, what to do, and for {@code queue} and {@code answer} the point to stop at. */
    public static void main(String[] arguments) throws Exception {
        Report report = Report.onStandardOutput();
        Path folder = Path.of(arguments[0]);
        Point.Stop stop = new Point.Stop(Point.valueOf(arguments[2]), report);
        CountDownLatch go = new CountDownLatch(1);
        Stage stage = (turn, words) -> {
            if (turn.equals("churn")) {
                report.line("WORDS", words);
                if (words > Integer.parseInt(arguments[3])) {
                    new CountDownLatch(1).await();
                }
            } else if (turn.equals("a")) {
                go.await();
            }
        };
        Holdfast holdfast =
                Holdfast.open(new StoreTap(SqliteStore.open(folder, StoreSettings.defaults()), stop), settings(stage));
        holdfast.sessions().create(SESSION);
        switch (arguments[1]) {
            case "queue" -> {
                for (String turn : QUEUED) {
                    holdfast.turns().start(SESSION, ask(turn));
                }
                report.line("QUEUED");
                stop.arm();
                go.countDown();
            }
            case "answer" -> {
                holdfast.turns().start(SESSION, ask("asks")).await();
                stop.arm();
                holdfast.turns().answer(SESSION, "asks", YES);
            }
            case "churn" -> holdfast.turns().start(SESSION, ask("churn"));
            default -> throw new IllegalArgumentException(arguments[1]);
        }
        new CountDownLatch(1).await();
    }
}
