package dev.holdfast.client;

import dev.holdfast.client.message.Problem;

/** Why something that was asked of a client did not come about. Its message is one sentence for people. */
public abstract sealed class ClientException extends RuntimeException {

    private ClientException(String message) {
        super(message);
    }

    /** The server refused it; the same again would be refused again. */
    public static final class Refused extends ClientException {
        private final Problem problem;

        Refused(Problem problem) {
            super(problem.detail());
            this.problem = problem;
        }

        /** What the server said. */
        public Problem problem() {
            return problem;
        }
    }

    /** There was no answer, so it may have been done or not. */
    public static final class Unanswered extends ClientException {
        Unanswered(String why) {
            super(why);
        }
    }

    /** As much waits already as may wait. */
    public static final class Full extends ClientException {
        Full(String message) {
            super(message);
        }
    }

    /** The connection has ended and does not come back unless {@link SessionClient#connect} is called. */
    public static final class Ended extends ClientException {
        Ended(String why) {
            super(why);
        }
    }

    /** The client was closed. */
    public static final class Closed extends ClientException {
        Closed() {
            super("The client is closed.");
        }
    }
}
