package dev.holdfast.error;

import dev.holdfast.error.HoldfastException.AnswerConflict;
import dev.holdfast.error.HoldfastException.AttachmentNotFound;
import dev.holdfast.error.HoldfastException.CallbackFailed;
import dev.holdfast.error.HoldfastException.Closed;
import dev.holdfast.error.HoldfastException.CursorAhead;
import dev.holdfast.error.HoldfastException.CursorTooOld;
import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.LimitExceeded;
import dev.holdfast.error.HoldfastException.MessageNotFound;
import dev.holdfast.error.HoldfastException.NotAuthorized;
import dev.holdfast.error.HoldfastException.OrderConflict;
import dev.holdfast.error.HoldfastException.OutcomeUnknown;
import dev.holdfast.error.HoldfastException.Overloaded;
import dev.holdfast.error.HoldfastException.PreconditionFailed;
import dev.holdfast.error.HoldfastException.ProducerGap;
import dev.holdfast.error.HoldfastException.SearchNotSupported;
import dev.holdfast.error.HoldfastException.SessionBusy;
import dev.holdfast.error.HoldfastException.SessionNotFound;
import dev.holdfast.error.HoldfastException.StaleEpoch;
import dev.holdfast.error.HoldfastException.StaleProducer;
import dev.holdfast.error.HoldfastException.StoreBusy;
import dev.holdfast.error.HoldfastException.StoreDamaged;
import dev.holdfast.error.HoldfastException.StoreFailed;
import dev.holdfast.error.HoldfastException.StoreFull;
import dev.holdfast.error.HoldfastException.StoreLocked;
import dev.holdfast.error.HoldfastException.StorePoisoned;
import dev.holdfast.error.HoldfastException.StoreTooNew;
import dev.holdfast.error.HoldfastException.StreamClosed;
import dev.holdfast.error.HoldfastException.StreamConflict;
import dev.holdfast.error.HoldfastException.StreamGone;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.error.HoldfastException.ToolCallNotFound;
import dev.holdfast.error.HoldfastException.TurnConflict;
import dev.holdfast.error.HoldfastException.TurnNotFound;
import dev.holdfast.error.HoldfastException.WrongCursor;
import java.util.List;
import java.util.Optional;

/**
 * An error of Holdfast as plain data: for carrying it to another process, where {@link #exception()} raises the same error again, with the
 * same class, message and facts. Causes and stack traces stay where they are.
 *
 * @param kind the simple name of its class
 * @param message what it says
 * @param numbers the numbers among its facts, in the order in which the class declares them; a truth is 1 or 0
 * @param text the text among its facts, or empty
 */
public record Refusal(String kind, String message, List<Long> numbers, String text) {

    /** The error as data. */
    public static Refusal of(HoldfastException error) {
        return switch (error) {
            case LimitExceeded e -> told(e, e.limit(), e.allowed(), e.actual());
            case StreamClosed e -> told(e, "", e.tail());
            case StaleEpoch e -> told(e, "", e.current());
            case ProducerGap e -> told(e, "", e.expected(), e.received(), e.startsEpoch() ? 1L : 0L);
            case StaleProducer e -> told(e, "", e.currentEpoch());
            case OrderConflict e -> told(e, e.current());
            case CursorTooOld e -> told(e, "", e.first());
            case CursorAhead e -> told(e, "", e.tail());
            case StorePoisoned e -> told(e, "", e.isLeaseLost() ? 1L : 0L);
            default -> told(error, "");
        };
    }

    /** The error that this tells of, or empty if this version of Holdfast knows no such error. */
    public Optional<HoldfastException> exception() {
        return Optional.ofNullable(
                switch (kind) {
                    case "InvalidArgument" -> new InvalidArgument(message);
                    case "LimitExceeded" -> new LimitExceeded(this);
                    case "StreamNotFound" -> new StreamNotFound(this);
                    case "StreamGone" -> new StreamGone(this);
                    case "StreamClosed" -> new StreamClosed(this);
                    case "StreamConflict" -> new StreamConflict(message);
                    case "StaleEpoch" -> new StaleEpoch(this);
                    case "ProducerGap" -> new ProducerGap(this);
                    case "StaleProducer" -> new StaleProducer(this);
                    case "OrderConflict" -> new OrderConflict(this);
                    case "PreconditionFailed" -> new PreconditionFailed(message);
                    case "CursorTooOld" -> new CursorTooOld(this);
                    case "CursorAhead" -> new CursorAhead(this);
                    case "WrongCursor" -> new WrongCursor(message);
                    case "SessionNotFound" -> new SessionNotFound(this);
                    case "MessageNotFound" -> new MessageNotFound(this);
                    case "TurnNotFound" -> new TurnNotFound(this);
                    case "TurnConflict" -> new TurnConflict(message);
                    case "SessionBusy" -> new SessionBusy(this);
                    case "AttachmentNotFound" -> new AttachmentNotFound(this);
                    case "SearchNotSupported" -> new SearchNotSupported(this);
                    case "AnswerConflict" -> new AnswerConflict(this);
                    case "ToolCallNotFound" -> new ToolCallNotFound(this);
                    case "NotAuthorized" -> new NotAuthorized(message);
                    case "Overloaded" -> new Overloaded(message);
                    case "CallbackFailed" -> new CallbackFailed(this);
                    case "StoreFull" -> new StoreFull(this);
                    case "StoreBusy" -> new StoreBusy(this);
                    case "StoreFailed" -> new StoreFailed(this);
                    case "StorePoisoned" -> new StorePoisoned(this);
                    case "StoreDamaged" -> new StoreDamaged(message);
                    case "StoreLocked" -> new StoreLocked(message);
                    case "StoreTooNew" -> new StoreTooNew(message);
                    case "OutcomeUnknown" -> new OutcomeUnknown(message);
                    case "Closed" -> new Closed(message);
                    default -> null;
                });
    }

    /** A number that another version may have left out, 0 then. */
    long number(int index) {
        return index < numbers.size() ? numbers.get(index) : 0;
    }

    private static Refusal told(HoldfastException error, String text, Long... numbers) {
        return new Refusal(
                error.getClass().getSimpleName(), String.valueOf(error.getMessage()), List.of(numbers), text);
    }
}
