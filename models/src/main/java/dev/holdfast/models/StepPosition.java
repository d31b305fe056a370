package dev.holdfast.models;

import dev.holdfast.turn.TurnContext;

/**
 * How far a turn's stream has come, as the position that is durable with its chunks.
 *
 * @param answers answers of the model that are complete in this stream
 * @param events events of the answer after those whose chunks are durable; counted only where a provider's run can be read again
 */
record StepPosition(int answers, long events) {

    private static final int EVENT_BITS = 40;
    private static final long EVENT_MASK = (1L << EVENT_BITS) - 1;

    static StepPosition of(TurnContext turn) {
        long encoded = turn.position().orElse(0);
        return new StepPosition((int) (encoded >> EVENT_BITS), encoded & EVENT_MASK);
    }

    long encoded() {
        return ((long) answers << EVENT_BITS) | events;
    }
}
