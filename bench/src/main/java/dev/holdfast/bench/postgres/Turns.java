package dev.holdfast.bench.postgres;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnRequest;
import dev.holdfast.turn.TurnSettings;
import dev.holdfast.turn.TurnState;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Turns and streams of one shape: so many chunks, each durable before the next, and an end long before anything is folded. */
final class Turns {

    static final int CHUNKS = 20;
    static final int MIN_CHUNK_BYTES = 150;
    static final int MAX_CHUNK_BYTES = 200;
    static final int QUESTION_BYTES = 200;

    private static final long SEED = 20;
    private static final String AGENT = "answering";

    /** The same for every turn: sizes spread evenly between the two. */
    private static final List<byte[]> ANSWER = answer();

    private Turns() {}

    private static List<byte[]> answer() {
        Random random = new Random(SEED);
        List<byte[]> chunks = new ArrayList<>();
        for (int i = 0; i < CHUNKS; i++) {
            chunks.add(Crowd.random(random.nextInt(MIN_CHUNK_BYTES, MAX_CHUNK_BYTES + 1), i));
        }
        return List.copyOf(chunks);
    }

    static List<byte[]> chunks() {
        return ANSWER;
    }

    /** Bytes of all chunks of a turn. */
    static int answerBytes() {
        return ANSWER.stream().mapToInt(chunk -> chunk.length).sum();
    }

    static HoldfastSettings settings() {
        Agent agent = turn -> {
            for (byte[] chunk : ANSWER) {
                turn.emit(chunk);
            }
            return AgentResult.completed();
        };
        return HoldfastSettings.defaults().withTurns(TurnSettings.defaults().withAgent(AGENT, agent));
    }

    static void createSessions(Holdfast holdfast, String prefix, int count) {
        for (int i = 0; i < count; i++) {
            var unused = holdfast.sessions().create(prefix + i);
        }
    }

    /** One turn from the question to its end. */
    static void run(Holdfast holdfast, String session, String id) throws InterruptedException {
        MessageDraft question =
                MessageDraft.of("question-" + id, "user", Crowd.random(QUESTION_BYTES, session.hashCode()));
        TurnState end = holdfast.turns()
                .start(session, TurnRequest.answer(id, AGENT, question))
                .await()
                .state();
        if (end != TurnState.COMPLETED) {
            throw new IllegalStateException("a turn ended as " + end);
        }
    }
}
