package dev.holdfast.mcp.tasks;

/** What becomes of a task whose tool was running when the process ended. A task that waits for input goes on waiting either way. */
public enum AfterRestart {
    /** It ends as {@code failed}, with an error whose {@code data.reason} is {@value TaskErrors#RESTARTED}. */
    FAIL,
    /** Its tool is called again, with the same arguments and answers: for tools that may do their work twice. */
    RERUN
}
