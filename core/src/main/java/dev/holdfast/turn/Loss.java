package dev.holdfast.turn;

/**
 * Why an attempt is over although its turn is not.
 *
 * @param reason in words
 */
record Loss(Incident.Cause cause, String reason) {

    static Loss ofProcess() {
        return new Loss(Incident.Cause.PROCESS_LOST, "The process that ran it was lost");
    }

    /** How the turn ends if it is not taken up again. */
    Ending ending(String why) {
        if (cause == Incident.Cause.PROCESS_LOST) {
            return new Ending.Interrupted(why.isEmpty() ? reason : why);
        }
        return new Ending.Failed(why.isEmpty() ? reason : reason + " (" + why + ")");
    }
}
