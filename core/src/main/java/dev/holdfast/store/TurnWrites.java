package dev.holdfast.store;

/** Writing turns. */
public interface TurnWrites {

    void insertTurn(TurnRow row);

    void updateTurn(TurnRow row);
}
