package dev.holdfast.verification.turn;

import static dev.holdfast.verification.turn.TurnFixture.AGENT;
import static dev.holdfast.verification.turn.TurnFixture.SESSION;
import static dev.holdfast.verification.turn.TurnFixture.ask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.session.SessionLimits;
import dev.holdfast.stream.ReadBatch;
import dev.holdfast.stream.StreamLimits;
import dev.holdfast.turn.Agent;
import dev.holdfast.turn.TurnSettings;
import dev.holdfast.turn.TurnState;
import dev.holdfast.turn.TurnStatus;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** More than a message or a chunk may have, in turns that are recovered: nothing that was shown is lost, and nothing is cut silently. */
class OversizeTest {

    private static final int MAX_MESSAGE_BYTES = 64;
    private static final int MAX_CHUNK_BYTES = 1024;
    private static final List<String> PARTS = List.of("a".repeat(40), "b".repeat(40));
    private static final String SAID = String.join("", PARTS);

    @TempDir
    Path folder;

    private Holdfast open(Agent agent, SessionLimits sessions) {
        Holdfast holdfast = Holdfast.open(
                folder,
                HoldfastSettings.defaults()
                        .withSessions(sessions)
                        .withStreams(StreamLimits.defaults().withMaxChunkBytes(MAX_CHUNK_BYTES))
                        .withTurns(TurnSettings.defaults().withAgent(AGENT, agent)));
        holdfast.sessions().create(SESSION);
        return holdfast;
    }

    private static String stream(Holdfast holdfast, TurnStatus turn) {
        ReadBatch batch = holdfast.streams().read(Objects.requireNonNull(turn.streamName()), 0, 1 << 20);
        return batch.chunks().stream()
                .map(chunk -> new String(chunk.toByteArray(), StandardCharsets.UTF_8))
                .collect(Collectors.joining());
    }

    /** The process is lost when all has been said; whoever takes the turn up makes a message that is too large. */
    @ParameterizedTest
    @EnumSource(
            value = Agent.Recovery.class,
            names = {"CONTINUE", "INTERRUPT"})
    void a_recovered_message_above_its_limit_is_an_error_that_says_so_and_its_chunks_stay_S48(Agent.Recovery recovery)
            throws Exception {
        SessionLimits limits = SessionLimits.defaults().withMaxMessageBytes(MAX_MESSAGE_BYTES);
        Scripted agent = new Scripted(recovery, (run, turn) -> {
            if (run == 1) {
                PARTS.forEach(turn::emit);
                Scripted.hang();
            }
        });
        try (Holdfast holdfast = open(agent, limits)) {
            TurnStatus begun = holdfast.turns().start(SESSION, ask("t")).status();
            Await.until(() -> stream(holdfast, begun), SAID::equals);
        }
        try (Holdfast holdfast = open(agent, limits)) {
            TurnStatus end = Await.until(
                    () -> holdfast.turns().status(SESSION, "t").orElseThrow(),
                    turn -> turn.state().isOutcome());
            assertThat(end.state()).isEqualTo(TurnState.FAILED);
            assertThat(end.error()).contains("MAX_MESSAGE_BYTES");
            assertThat(holdfast.sessions().get(SESSION).message(end.messageId()))
                    .isEmpty();
            assertThat(stream(holdfast, end)).isEqualTo(SAID);
        }
        try (Holdfast holdfast = open(agent, SessionLimits.defaults())) {
            TurnStatus end = holdfast.turns().status(SESSION, "t").orElseThrow();
            assertThat(stream(holdfast, end)).isEqualTo(SAID);
        }
    }

    @Test
    void a_chunk_above_its_limit_fails_the_recovered_turn_and_what_came_before_it_is_its_message_S48()
            throws Exception {
        Scripted agent = new Scripted(Agent.Recovery.CONTINUE, (run, turn) -> {
            turn.emit("part " + run + " ");
            if (run == 1) {
                Scripted.hang();
            }
            turn.emit("x".repeat(MAX_CHUNK_BYTES + 1));
        });
        try (Holdfast holdfast = open(agent, SessionLimits.defaults())) {
            TurnStatus begun = holdfast.turns().start(SESSION, ask("t")).status();
            Await.until(() -> stream(holdfast, begun), "part 1 "::equals);
        }
        try (Holdfast holdfast = open(agent, SessionLimits.defaults())) {
            TurnStatus end = Await.until(
                    () -> holdfast.turns().status(SESSION, "t").orElseThrow(),
                    turn -> turn.state().isOutcome());
            assertThat(end.state()).isEqualTo(TurnState.FAILED);
            assertThat(end.error()).contains(Integer.toString(MAX_CHUNK_BYTES));
            assertThat(TurnFixture.textOf(holdfast, end.messageId())).isEqualTo("part 1 part 2 ");
        }
    }
}
