package dev.holdfast.client;

import dev.holdfast.client.message.MalformedMessage;
import dev.holdfast.client.message.MessageJson;
import dev.holdfast.client.message.Problem;
import dev.holdfast.client.message.Results.Reconnected;
import dev.holdfast.client.message.ServerMessage.Detached;
import dev.holdfast.client.message.ServerMessage.Reply;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What replies mean for those who asked. */
final class Replies {

    private Replies() {}

    /** Whether the same may succeed later, or on another connection. */
    static boolean passes(Problem problem) {
        return problem.status() >= 500 || problem.status() == 429 || problem.status() == 408 || isOfConnection(problem);
    }

    /** Whether it is the connection that is refused, and not what was asked: it is gone, or its key counts no more. */
    static boolean isOfConnection(Problem problem) {
        return problem.is("connection-not-found") || problem.status() == 401;
    }

    /** Why a session is not attached, where the reply to a reconnect says so. */
    static Optional<Problem> refusal(Reply reply, String session) {
        if (reply.result() == null || !reply.result().has("sessions")) {
            return Optional.empty();
        }
        try {
            for (Reconnected.Each each :
                    MessageJson.convert(reply.result(), Reconnected.class).sessions()) {
                if (each.session().equals(session) && !each.attached()) {
                    Problem problem = each.problem();
                    return Optional.of(problem == null ? Problem.ofStatus(404) : problem);
                }
            }
            return Optional.empty();
        } catch (MalformedMessage e) {
            return Optional.empty(); // the attach that does not come will tell
        }
    }

    /** The end of a watch that was refused. */
    static WatchEnd end(Problem problem) {
        WatchEnd.Reason reason = switch (problem.status()) {
            case 404, 410 -> WatchEnd.Reason.NOT_FOUND;
            case 403 -> WatchEnd.Reason.NOT_AUTHORIZED;
            default -> WatchEnd.Reason.REFUSED;
        };
        return new WatchEnd(reason, problem.detail(), problem, null);
    }

    /** The end of a watch that was detached. */
    static WatchEnd end(Detached message) {
        Problem problem = message.problem();
        return switch (message.reason()) {
            case DELETED -> end(WatchEnd.Reason.DELETED, message, "was deleted", problem);
            case NOT_FOUND -> end(WatchEnd.Reason.NOT_FOUND, message, "does not exist", problem);
            case NOT_AUTHORIZED -> end(WatchEnd.Reason.NOT_AUTHORIZED, message, "may not be watched", problem);
            case UNWATCHED, FAILED, UNKNOWN -> end(WatchEnd.Reason.REFUSED, message, "is not sent any more", problem);
        };
    }

    private static WatchEnd end(WatchEnd.Reason reason, Detached message, String what, @Nullable Problem problem) {
        return new WatchEnd(reason, "The session \"%s\" %s.".formatted(message.session(), what), problem, null);
    }
}
