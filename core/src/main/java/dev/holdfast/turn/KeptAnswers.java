package dev.holdfast.turn;

import dev.holdfast.error.HoldfastException.AnswerConflict;
import dev.holdfast.error.HoldfastException.LimitExceeded;
import dev.holdfast.session.PropertyWrite;
import dev.holdfast.store.Command;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.PropertyRow;
import dev.holdfast.store.StoreReads;
import dev.holdfast.store.TurnRow;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Answers that came while the turn still streamed, as they do when a client runs its tool as soon as it sees the call. Each is a property of
 * the session, which expires by itself if the turn never waits for it.
 */
final class KeptAnswers {

    private KeptAnswers() {}

    /** An answer and the name of the property that keeps it. */
    record Kept(String property, ToolAnswer answer) {}

    static String owner(long sessionKey) {
        return new PropertyRow.Owner.Session(sessionKey).encoded();
    }

    private static String prefix(TurnRow turn) {
        return TurnRows.PROPERTIES + "answer/" + TurnRows.hash(turn.id()) + "/";
    }

    static List<Kept> of(StoreReads reads, TurnRow turn, long now) {
        return reads.properties(owner(turn.sessionKey()), prefix(turn), "", TurnLimits.MAX_KEPT_ANSWERS).stream()
                .filter(row -> row.expiresAt() > now)
                .map(row -> new Kept(row.name(), decode(row.value())))
                .toList();
    }

    /** Takes back an answer that belongs to no call. */
    static Command<Boolean> forget(TurnRow turn, String property) {
        return new Command<>() {
            @Override
            protected Boolean decide(CommitScope scope) {
                scope.writes().deleteProperty(owner(turn.sessionKey()), property);
                return true;
            }
        };
    }

    /** Keeps an answer, unless the turn does not stream any more. Tells what was done; empty if the turn must be looked at again. */
    static final class Keep extends Command<Optional<AnswerResult.Effect>> {
        private final TurnRuntime runtime;
        private final TurnRow turn;
        private final ToolAnswer answer;

        Keep(TurnRuntime runtime, TurnRow turn, ToolAnswer answer) {
            this.runtime = runtime;
            this.turn = turn;
            this.answer = answer;
        }

        @Override
        protected Optional<AnswerResult.Effect> decide(CommitScope scope) {
            Optional<TurnRow> now = scope.reads().turn(turn.sessionKey(), turn.id());
            if (now.isEmpty() || now.get().state() != TurnRow.State.STREAMING) {
                return Optional.empty();
            }
            String name = prefix(turn) + TurnRows.hash(answer.toolCallId());
            byte[] value = encode(answer);
            Optional<PropertyRow> before =
                    scope.reads().property(owner(turn.sessionKey()), name).filter(row -> row.expiresAt() > scope.now());
            if (before.isPresent()) {
                if (!Arrays.equals(before.get().value(), value)) {
                    throw new AnswerConflict(answer.toolCallId(), "was answered differently before");
                }
                return Optional.of(AnswerResult.Effect.REPEATED);
            }
            int most = TurnLimits.MAX_KEPT_ANSWERS;
            if (of(scope.reads(), turn, scope.now()).size() >= most) {
                throw new LimitExceeded(
                        "MAX_KEPT_ANSWERS (of a turn)", most, most + 1L, "answer once the turn waits for it");
            }
            runtime.sessions()
                    .properties()
                    .put(
                            scope,
                            new PropertyRow.Owner.Session(turn.sessionKey()),
                            PropertyWrite.of(name, value).expiresAfter(TurnLimits.KEPT_ANSWER_LIFE));
            return Optional.of(AnswerResult.Effect.KEPT);
        }
    }

    static byte[] encode(ToolAnswer answer) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            switch (answer) {
                case ToolAnswer.Output output -> {
                    out.writeByte(1);
                    out.writeUTF(output.toolCallId());
                    out.write(output.output());
                }
                case ToolAnswer.Failure failure -> {
                    out.writeByte(2);
                    out.writeUTF(failure.toolCallId());
                    out.writeUTF(failure.error());
                }
                case ToolAnswer.Approval approval -> {
                    out.writeByte(3);
                    out.writeUTF(approval.toolCallId());
                    out.writeBoolean(approval.approved());
                    out.writeBoolean(approval.reason() != null);
                    out.writeUTF(approval.reason() == null ? "" : approval.reason());
                }
            }
        } catch (IOException e) { // a text beyond what writeUTF takes
            throw new LimitExceeded("MAX_PROPERTY_BYTES", 1 << 16, (1 << 16) + 1L, "answer once the turn waits for it");
        }
        return bytes.toByteArray();
    }

    static ToolAnswer decode(byte[] value) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(value))) {
            int kind = in.readByte();
            String call = in.readUTF();
            return switch (kind) {
                case 1 -> new ToolAnswer.Output(call, in.readAllBytes());
                case 2 -> new ToolAnswer.Failure(call, in.readUTF());
                case 3 -> {
                    boolean approved = in.readBoolean();
                    boolean reasoned = in.readBoolean();
                    String reason = in.readUTF();
                    yield new ToolAnswer.Approval(call, approved, reasoned ? reason : null);
                }
                default -> throw new IllegalStateException("no kind of answer has code " + kind);
            };
        } catch (IOException e) {
            throw new UncheckedIOException("a kept answer is cut off", e);
        }
    }
}
