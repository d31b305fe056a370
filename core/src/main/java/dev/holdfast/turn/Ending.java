package dev.holdfast.turn;

/** How one run of an agent ended, before it is decided what becomes of the turn. */
sealed interface Ending {

    /** How the message is to be closed. */
    MessageAssembler.End end();

    /** Why, for clients; or empty. */
    String reason();

    record Completed() implements Ending {
        @Override
        public MessageAssembler.End end() {
            return MessageAssembler.End.COMPLETED;
        }

        @Override
        public String reason() {
            return "";
        }
    }

    record Awaiting(String reason) implements Ending {
        @Override
        public MessageAssembler.End end() {
            return MessageAssembler.End.AWAITING;
        }
    }

    record Stopped(String reason) implements Ending {
        @Override
        public MessageAssembler.End end() {
            return MessageAssembler.End.STOPPED;
        }
    }

    record Failed(String reason) implements Ending {
        @Override
        public MessageAssembler.End end() {
            return MessageAssembler.End.FAILED;
        }
    }

    record Interrupted(String reason) implements Ending {
        @Override
        public MessageAssembler.End end() {
            return MessageAssembler.End.INTERRUPTED;
        }
    }
}
