package dev.holdfast.models;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.session.CompactedHistory.Entry;
import dev.holdfast.session.SessionLimits;
import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnContext;
import dev.holdfast.uimessage.UiMessage;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An agent that folds the older part of a long conversation before it answers, with a summary by a model. Nothing is deleted: the summary is an
 * {@linkplain dev.holdfast.session.Overlays overlay} of the session, which all agents of this module read.
 *
 * <p>Folding goes on where it stopped: the next summary covers what the one before covered, and has that in it. Each is durable before the next is asked
 * for, so a crash costs at most one. A summary that cannot be had is told in the log, and the agent answers the conversation as it is.
 * Thread-safe if the agent and the summarizer are.
 */
public final class CompactingAgent implements Agent {

    private static final Logger LOG = LoggerFactory.getLogger(CompactingAgent.class);

    private final Agent agent;
    private final Summarizer summarizer;
    private final Compaction compaction;

    public CompactingAgent(Agent agent, Summarizer summarizer, Compaction compaction) {
        this.agent = agent;
        this.summarizer = summarizer;
        this.compaction = compaction;
    }

    @Override
    public Recovery recover(LostTurn turn) {
        return agent.recover(turn);
    }

    @Override
    public boolean isTransient(Exception failure) {
        return agent.isTransient(failure);
    }

    @Override
    public AgentResult run(TurnContext turn) throws Exception {
        boolean goOn = isFresh(turn);
        for (int round = 0; goOn && round < Compaction.MAX_ROUNDS; round++) {
            goOn = fold(turn);
        }
        return agent.run(turn);
    }

    /** Whether the agent has yet to read the conversation. What it goes on with after a crash or a wait, it has read. */
    private static boolean isFresh(TurnContext turn) {
        return turn.prefix().isEmpty() && turn.written().isEmpty();
    }

    /** Folds once; returns whether the conversation was too long and is shorter now. */
    private boolean fold(TurnContext turn) throws InterruptedException {
        List<Entry> entries = turn.conversation(ModelLimits.MAX_HISTORY_BYTES).entries();
        List<UiMessage> messages = entries.stream().map(Conversation::read).toList();
        List<CompactionPlan.Entry> costs = new ArrayList<>();
        for (int i = 0; i < messages.size(); i++) {
            UiMessage message = messages.get(i);
            boolean folded = entries.get(i) instanceof Entry.Folded;
            costs.add(new CompactionPlan.Entry(message.role(), folded, TokenEstimate.of(message)));
        }
        Optional<CompactionPlan.Range> range = CompactionPlan.of(costs, compaction);
        if (range.isEmpty()) {
            return false;
        }
        int from = range.get().from();
        int to = range.get().to();
        long tokens = costs.subList(from, to).stream()
                .mapToLong(CompactionPlan.Entry::tokens)
                .sum();
        try {
            String summary = summarizer.summarize(
                    turn, Transcript.of(messages.subList(from, to)), Compaction.summaryTokens(tokens));
            String kept = cut(summary.strip());
            if (kept.isEmpty() || TokenEstimate.of(kept) >= tokens) {
                LOG.warn(
                        "The summary of session {} is {}, so its conversation stays as it is",
                        turn.sessionId(),
                        kept.isEmpty() ? "empty" : "no shorter than what it stands for");
                return false;
            }
            var unused = turn.fold(entries.get(from).from(), entries.get(to - 1).to(), kept);
            LOG.info(
                    "Session {}: {} messages of about {} tokens are read as a summary of about {}",
                    turn.sessionId(),
                    to - from,
                    tokens,
                    TokenEstimate.of(kept));
            return true;
        } catch (InterruptedException | HoldfastException e) {
            throw e;
        } catch (Exception e) {
            if (turn.stopRequested()) {
                throw new InterruptedException("The turn was stopped while its conversation was summed up.");
            }
            LOG.warn("No summary of session {}, so its conversation stays as it is", turn.sessionId(), e);
            return false;
        }
    }

    /** The beginning of a summary that is too long, not cut inside a character. */
    private static String cut(String summary) {
        CharsetEncoder encoder = StandardCharsets.UTF_8.newEncoder();
        CharBuffer in = CharBuffer.wrap(summary);
        var unused = encoder.encode(in, ByteBuffer.allocate(SessionLimits.MAX_SUMMARY_BYTES), true);
        return summary.substring(0, in.position());
    }
}
