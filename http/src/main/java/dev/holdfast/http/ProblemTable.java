package dev.holdfast.http;

import dev.holdfast.error.HoldfastException;

/**
 * What each error of Holdfast is over HTTP: the one table, for every wire that speaks problem+json. The switch is exhaustive over the sealed
 * family, so that a new error does not compile before it has its line here.
 */
public final class ProblemTable {

    /** For what is thrown and is no answer: it says nothing of what went wrong, which the log does. */
    public static final Problem DEFECT = Problem.of(
            500, "internal-error", "Something went wrong", "This is a defect of the server; its log tells more.");

    private ProblemTable() {}

    public static Problem of(HoldfastException error) {
        return switch (error) {
            case HoldfastException.InvalidArgument e -> row(400, "invalid-argument", "An argument is not valid", e);
            case HoldfastException.LimitExceeded e ->
                row(413, "limit-exceeded", "A limit would be exceeded", e)
                        .with("limit", e.limit())
                        .with("allowed", e.allowed())
                        .with("actual", e.actual());
            case HoldfastException.StreamNotFound e -> row(404, "stream-not-found", "There is no such stream", e);
            case HoldfastException.StreamGone e -> row(410, "stream-gone", "The stream is gone", e);
            case HoldfastException.StreamClosed e ->
                row(409, "stream-closed", "The stream is closed", e).with("tail", e.tail());
            case HoldfastException.StreamConflict e ->
                row(409, "stream-conflict", "The stream exists with other properties", e);
            case HoldfastException.StaleEpoch e ->
                row(409, "stale-epoch", "Another writer took over", e).with("currentEpoch", e.current());
            case HoldfastException.ProducerGap e ->
                row(409, "producer-gap", "An earlier append is missing", e)
                        .with("expected", e.expected())
                        .with("received", e.received());
            case HoldfastException.StaleProducer e ->
                row(409, "stale-producer", "A newer producer is at work", e).with("currentEpoch", e.currentEpoch());
            case HoldfastException.OrderConflict e ->
                row(409, "order-conflict", "The order is not greater than the one before", e)
                        .with("current", e.current());
            case HoldfastException.PreconditionFailed e ->
                row(412, "precondition-failed", "A condition did not hold", e);
            case HoldfastException.CursorTooOld e ->
                row(410, "cursor-too-old", "The position was trimmed away", e).with("first", e.first());
            case HoldfastException.CursorAhead e ->
                row(409, "cursor-ahead", "The position lies beyond the end", e).with("tail", e.tail());
            case HoldfastException.WrongCursor e -> row(400, "wrong-cursor", "This is no cursor of this resource", e);
            case HoldfastException.SessionNotFound e -> row(404, "session-not-found", "There is no such session", e);
            case HoldfastException.MessageNotFound e -> row(404, "message-not-found", "There is no such message", e);
            case HoldfastException.TurnNotFound e -> row(404, "turn-not-found", "There is no such turn", e);
            case HoldfastException.TurnConflict e -> row(409, "turn-conflict", "The turn cannot be started", e);
            case HoldfastException.SessionBusy e -> row(409, "session-busy", "The session is busy", e);
            case HoldfastException.AttachmentNotFound e ->
                row(404, "attachment-not-found", "There is no such attachment", e);
            case HoldfastException.SearchNotSupported e ->
                row(501, "search-not-supported", "There is no search here", e);
            case HoldfastException.AnswerConflict e -> row(409, "answer-conflict", "The answer is not taken", e);
            case HoldfastException.ToolCallNotFound e ->
                row(404, "tool-call-not-found", "There is no such tool call", e);
            case HoldfastException.NotAuthorized e -> row(403, "not-authorized", "Not allowed", e);
            case HoldfastException.Overloaded e ->
                row(503, "overloaded", "Too much is queued", e).retryAfter(HttpLimits.RETRY_AFTER_SECONDS);
            case HoldfastException.CallbackFailed e ->
                row(500, "callback-failed", "The application's commit callback failed", e);
            case HoldfastException.StoreFull e ->
                row(507, "store-full", "The store is full", e).retryAfter(30);
            case HoldfastException.StoreBusy e ->
                row(503, "store-busy", "The store is locked", e).retryAfter(HttpLimits.RETRY_AFTER_SECONDS);
            case HoldfastException.StoreFailed e -> row(500, "store-failed", "The store refused a write", e);
            case HoldfastException.StorePoisoned e ->
                e.isLeaseLost()
                        ? row(503, "lease-lost", "Another node has taken this over", e)
                                .retryAfter(HttpLimits.RETRY_AFTER_SECONDS)
                        : row(503, "store-poisoned", "The store takes no more writes", e)
                                .retryAfter(30);
            case HoldfastException.StoreDamaged e -> row(500, "store-damaged", "The store is damaged", e);
            case HoldfastException.OutcomeUnknown e ->
                row(503, "outcome-unknown", "It is not known whether it was done", e)
                        .retryAfter(HttpLimits.RETRY_AFTER_SECONDS);
            case HoldfastException.StoreLocked e ->
                row(503, "store-locked", "Another process has the store", e).retryAfter(30);
            case HoldfastException.StoreTooNew e -> row(500, "store-too-new", "The store is of a newer version", e);
            case HoldfastException.Closed e ->
                row(503, "closed", "This server is shutting down", e).retryAfter(HttpLimits.RETRY_AFTER_SECONDS);
        };
    }

    private static Problem row(int status, String type, String title, HoldfastException e) {
        String message = e.getMessage();
        return Problem.of(status, type, title, message == null ? title : message);
    }
}
