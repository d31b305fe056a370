package dev.holdfast.store;

import java.util.List;
import java.util.Optional;

/** Reading turns. */
public interface TurnReads {

    Optional<TurnRow> turn(long sessionKey, String id);

    /** The session's turns without an outcome, oldest first. */
    List<TurnRow> liveTurns(long sessionKey);

    /** All turns without an outcome, oldest first, after the given position (start with {@code 0, ""}). */
    List<TurnRow> liveTurns(long afterSessionKey, String afterId, int limit);

    /** The session's turns, newest first by {@code (createdAt, id)}. */
    List<TurnRow> turns(long sessionKey, long beforeCreatedAt, String beforeId, int limit);
}
