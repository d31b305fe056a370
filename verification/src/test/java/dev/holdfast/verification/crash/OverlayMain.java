package dev.holdfast.verification.crash;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.models.CompactingAgent;
import dev.holdfast.models.Compaction;
import dev.holdfast.models.Summarizer;
import dev.holdfast.session.CompactedHistory.Entry;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.session.Session;
import dev.holdfast.store.StoreSettings;
import dev.holdfast.store.sqlite.SqliteStore;
import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnContext;
import dev.holdfast.turn.TurnRequest;
import dev.holdfast.turn.TurnSettings;
import dev.holdfast.uimessage.UiMessage;
import dev.holdfast.uimessage.UiMessageAssembler;
import dev.holdfast.uimessage.UiMessageContents;
import dev.holdfast.verification.rig.StoreTap;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** The child that is killed while a turn folds its conversation, which takes two summaries. The answer tells what the agent read. */
final class OverlayMain {

    static final String SESSION = "chat";
    static final String TURN = "turn";
    static final int MESSAGES = 12;

    /** What the agent reads in the end: the first message, the second summary, and the newest three. */
    static final String ANSWER = "0 [1-8] 9 10 11";

    private static final String AGENT = "agent";
    private static final Compaction COMPACTION = new Compaction(500, 1, 120);

    private OverlayMain() {}

    /** What an agent waits for before it reads anything. */
    interface Gate {
        void pass() throws InterruptedException;
    }

    static String summary(int number) {
        return "Summary " + number + " of many words.";
    }

    static String text(int message) {
        return message + " word".repeat(80);
    }

    private static AgentResult tellWhatIsRead(TurnContext turn) {
        List<String> read = new ArrayList<>();
        for (Entry entry : turn.conversation(Integer.MAX_VALUE).entries()) {
            read.add(entry instanceof Entry.Folded ? "[" + entry.from() + "-" + entry.to() + "]" : entry.from());
        }
        turn.emit("{\"type\":\"start\"}");
        turn.emit("{\"type\":\"text-start\",\"id\":\"t\"}");
        turn.emit("{\"type\":\"text-delta\",\"id\":\"t\",\"delta\":\"%s\"}".formatted(String.join(" ", read)));
        turn.emit("{\"type\":\"text-end\",\"id\":\"t\"}");
        return AgentResult.completed();
    }

    static HoldfastSettings settings(Gate gate, Summarizer summarizer) {
        Agent compacting = new CompactingAgent(OverlayMain::tellWhatIsRead, summarizer, COMPACTION);
        Agent gated = turn -> {
            gate.pass();
            return compacting.run(turn);
        };
        return HoldfastSettings.defaults()
                .withContents(new UiMessageContents())
                .withTurns(TurnSettings.defaults()
                        .withAssembler(new UiMessageAssembler())
                        .withAgent(AGENT, gated));
    }

    static TurnRequest request() {
        return TurnRequest.answer(TURN, AGENT, message(MESSAGES - 1));
    }

    private static MessageDraft message(int number) {
        UiMessage message = UiMessage.ofUser(Integer.toString(number), text(number));
        return MessageDraft.of(message.id(), "user", message.toBytes());
    }

    /** Arguments: the folder, the point to stop at, and at the how many-th overlay. */
    public static void main(String[] arguments) throws Exception {
        Report report = Report.onStandardOutput();
        Point.Stop stop = new Point.Stop(Point.valueOf(arguments[1]), report);
        int last = Integer.parseInt(arguments[2]);
        List<String> asked = new ArrayList<>();
        Summarizer summarizer = (turn, transcript, maxTokens) -> {
            asked.add(transcript);
            if (asked.size() == last) {
                stop.arm();
            }
            return summary(asked.size());
        };
        Holdfast holdfast = Holdfast.open(
                new StoreTap(SqliteStore.open(Path.of(arguments[0]), StoreSettings.defaults()), stop),
                settings(() -> {}, summarizer));
        Session session = holdfast.sessions().create(SESSION);
        for (int i = 0; i < MESSAGES - 1; i++) {
            session.append(message(i));
        }
        holdfast.turns().start(SESSION, request()).await();
        report.line("MISSED", arguments[1]);
        new CountDownLatch(1).await();
    }
}
