package dev.holdfast.turn;

/**
 * The answer to a stop, decided by one conditional write against the turn's end (ONE-OUTCOME).
 *
 * @param accepted true if the stop was committed first: the turn ends as {@code STOPPED} whatever happens, also after a crash
 * @param state the turn's state at that moment; an outcome if the stop came too late
 */
public record StopResult(boolean accepted, TurnState state) {}
