package dev.holdfast.models;

/** A model behind a wire: asked once per step. Owned by the turn's thread. */
@FunctionalInterface
interface AnswerReader {

    /**
     * Asks the model and gives each batch of its chunks to the step; returns when the answer is whole.
     *
     * @throws ProviderException if the provider did not deliver the whole answer; what came before was given to the step
     * @throws InterruptedException if the turn was stopped
     */
    void read(StepWriter step) throws InterruptedException;
}
