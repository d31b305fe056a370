package dev.holdfast.testkit.sim;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.store.FeedRow;
import dev.holdfast.testkit.SimulatedCrash;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A client's call on its way, and beside it what the model says of it. */
final class SessionCall {

    /** Stands for what the model cannot know before it happens, as generated ids. */
    static final String ANY = "*";

    /** An event that a call should leave in the feed. */
    record Event(
            FeedRow.Kind kind,
            @Nullable String message,
            @Nullable String turn,
            @Nullable String detail) {

        boolean matches(FeedRow row) {
            return kind == row.kind()
                    && matches(message, row.messageId())
                    && matches(turn, row.turnId())
                    && matches(detail, row.detail());
        }

        private static boolean matches(@Nullable String expected, @Nullable String actual) {
            return ANY.equals(expected) || Objects.equals(expected, actual);
        }
    }

    /**
     * What the call would do if it were decided now.
     *
     * @param session where its events are, or null
     * @param events the events it leaves
     * @param effect takes the events that were left and changes the model
     * @param ends whether the session ends: whatever happened in it happened before
     */
    record Outcome(String answer, @Nullable ModelSession session, List<Event> events, Effect effect, boolean ends) {

        Outcome(String answer, @Nullable ModelSession session, List<Event> events, Effect effect) {
            this(answer, session, events, effect, false);
        }

        static Outcome refused(String answer) {
            return nothing(answer, null);
        }

        static Outcome nothing(String answer, @Nullable ModelSession session) {
            return new Outcome(answer, session, List.of(), rows -> {});
        }
    }

    /** A change of the model. */
    interface Effect {
        void apply(List<FeedRow> rows);
    }

    final String what;
    final Supplier<Outcome> outcome;

    /** Whether the disk shows that it was done, for a call that leaves no event. */
    final BooleanSupplier done;

    @Nullable
    String answer;

    @Nullable
    HoldfastException error;

    /** The id of the session that it ends, or null. */
    @Nullable
    String ends;

    /** The session and the turn that it starts, or null. */
    @Nullable
    String starts;

    /** It may go on after it was decided: then any answer is right that was right between. */
    boolean lags;

    final Set<String> meanwhile = new HashSet<>();

    /** It died with its process. */
    boolean died;

    /** The model's answer, once its events were seen. */
    @Nullable
    String expected;

    SessionCall(String what, Supplier<Outcome> outcome, BooleanSupplier done) {
        this.what = what;
        this.outcome = outcome;
        this.done = done;
    }

    SessionCall(String what, Supplier<Outcome> outcome) {
        this(what, outcome, () -> false);
    }

    boolean mayAnswer(String right) {
        return right.equals(ANY) || right.equals(answer) || (answer != null && meanwhile.contains(answer));
    }

    void run(Supplier<String> body) {
        try {
            answer = body.get();
        } catch (HoldfastException e) {
            error = e;
            answer = e.getClass().getSimpleName();
        } catch (SimulatedCrash e) {
            died = true;
            answer = "died";
        }
    }

    @Override
    public String toString() {
        return what;
    }
}
