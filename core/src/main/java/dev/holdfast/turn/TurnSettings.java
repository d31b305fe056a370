package dev.holdfast.turn;

import dev.holdfast.stream.CommitCallback;
import java.io.ByteArrayOutputStream;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How turns run.
 *
 * @param agents the agents by name; a turn whose agent is missing after a restart ends as interrupted
 * @param assembler makes messages of chunks
 * @param answers writes answers to tool calls into messages, or null if turns take none
 * @param limits named limits
 * @param recovery how turns are taken up again
 * @param commit the application's own writes in the transaction that ends a turn, for turns that name none; or null
 */
public record TurnSettings(
        Map<String, Agent> agents,
        MessageAssembler assembler,
        @Nullable ToolAnswers answers,
        TurnLimits limits,
        RecoverySettings recovery,
        @Nullable CommitCallback commit) {

    public TurnSettings {
        agents = Map.copyOf(agents);
    }

    /** No agents; a message is its chunks, one after the other. */
    public static TurnSettings defaults() {
        return new TurnSettings(
                Map.of(), TurnSettings::concatenate, null, TurnLimits.defaults(), RecoverySettings.defaults(), null);
    }

    public TurnSettings withAgent(String name, Agent agent) {
        Map<String, Agent> more = new TreeMap<>(agents);
        more.put(name, agent);
        return new TurnSettings(more, assembler, answers, limits, recovery, commit);
    }

    public TurnSettings withAssembler(MessageAssembler maker) {
        return new TurnSettings(agents, maker, answers, limits, recovery, commit);
    }

    public TurnSettings withAnswers(ToolAnswers port) {
        return new TurnSettings(agents, assembler, port, limits, recovery, commit);
    }

    public TurnSettings withLimits(TurnLimits named) {
        return new TurnSettings(agents, assembler, answers, named, recovery, commit);
    }

    public TurnSettings withRecovery(RecoverySettings settings) {
        return new TurnSettings(agents, assembler, answers, limits, settings, commit);
    }

    public TurnSettings withCommit(CommitCallback callback) {
        return new TurnSettings(agents, assembler, answers, limits, recovery, callback);
    }

    private static Optional<byte[]> concatenate(MessageAssembler.Assembly assembly) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        byte[] before = assembly.before();
        if (before != null) {
            out.writeBytes(before);
        }
        assembly.chunks().forEach(out::writeBytes);
        return out.size() == 0 ? Optional.empty() : Optional.of(out.toByteArray());
    }
}
