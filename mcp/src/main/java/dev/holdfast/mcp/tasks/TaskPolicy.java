package dev.holdfast.mcp.tasks;

import java.time.Duration;

/**
 * When a call of a tool becomes a task. Only for clients that declare the extension in the request; for all others the tool is called as
 * ever, or refused with -32021 if a task is {@linkplain #required() required}. Immutable.
 */
public final class TaskPolicy {

    /** The key in a call's {@code _meta} by which a client asks for a task; any value but false and null. */
    public static final String REQUEST_META = "dev.holdfast/task";

    enum Kind {
        ALWAYS,
        ON_REQUEST,
        AFTER
    }

    private final Kind kind;
    private final Duration patience;
    private final boolean required;
    private final boolean inputFirst;

    private TaskPolicy(Kind kind, Duration patience, boolean required, boolean inputFirst) {
        this.kind = kind;
        this.patience = patience;
        this.required = required;
        this.inputFirst = inputFirst;
    }

    /** Every call is a task. */
    public static TaskPolicy always() {
        return new TaskPolicy(Kind.ALWAYS, Duration.ZERO, false, false);
    }

    /** A call is a task if its {@code _meta} has {@value #REQUEST_META}. */
    public static TaskPolicy onRequest() {
        return new TaskPolicy(Kind.ON_REQUEST, Duration.ZERO, false, false);
    }

    /**
     * A call that is not done after a while becomes a task then, without being interrupted. Until then it is an ordinary request: its progress
     * goes to the caller, and a cut connection cancels it.
     *
     * @param patience more than zero
     */
    public static TaskPolicy after(Duration patience) {
        if (patience.isZero() || patience.isNegative()) {
            throw new IllegalArgumentException("A call becomes a task after more than no time; got " + patience);
        }
        return new TaskPolicy(Kind.AFTER, patience, false, false);
    }

    /** Every call is a task, and clients that do not declare the extension are refused. */
    public static TaskPolicy required() {
        return new TaskPolicy(Kind.ALWAYS, Duration.ZERO, true, false);
    }

    /**
     * A tool's first questions are asked before there is a task: a call without answers is an ordinary request, which the tool is to answer
     * soon; the retry that brings answers falls under the policy. Questions that come later are the task's.
     */
    public TaskPolicy inputFirst() {
        return new TaskPolicy(kind, patience, required, true);
    }

    Kind kind() {
        return kind;
    }

    Duration patience() {
        return patience;
    }

    boolean isRequired() {
        return required;
    }

    boolean asksFirst() {
        return inputFirst;
    }
}
