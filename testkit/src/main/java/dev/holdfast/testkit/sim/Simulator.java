package dev.holdfast.testkit.sim;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Runs the real core against a scripted disk, a virtual clock and a model, one history for each seed. A history that fails is shrunk:
 * events are dropped as long as it still fails in the same way, and what remains is told as a transcript.
 */
public final class Simulator {

    private static final int MAX_SHRINKING_RUNS = 4_000;

    /** What a history is about. */
    public enum Subject {
        /** Streams: writers, readers, settlements, expiry. */
        STREAMS,
        /** Sessions and turns: messages, feeds, agents, stops, cutovers, recovery. */
        SESSIONS;

        private Play<?> play(long seed) {
            return switch (this) {
                case STREAMS -> {
                    Histories.Setup setup = Histories.setup(seed);
                    yield new Play<>(setup, Histories.ops(seed), (h, told) -> new Simulation(setup, told).play(h));
                }
                case SESSIONS -> {
                    SessionProcess.Setup setup = SessionHistories.setup(seed);
                    yield new Play<>(
                            setup, SessionHistories.ops(seed), (h, told) -> new SessionSimulation(setup, told).play(h));
                }
            };
        }

        /**
         * Plays the history of one seed.
         *
         * @throws AssertionError if an invariant does not hold; the message has the seed and the shortest failing history that was found
         */
        public void run(long seed) {
            run(seed, () -> line -> {});
        }

        /**
         * Plays the history of one seed before a witness, for a rule of one's own: whatever it throws is a failure like any other.
         *
         * @param witness makes a witness for each time a history is played, who is told of what happens, line by line
         * @throws AssertionError as {@link #run(long)}
         */
        public void run(long seed, Supplier<Consumer<String>> witness) {
            play(seed).run(this, seed, witness);
        }

        /**
         * The subject of this name.
         *
         * @throws IllegalArgumentException if there is none
         */
        public static Subject named(String name) {
            return Arrays.stream(values())
                    .filter(subject -> subject.name().equals(name))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException(
                            "There is no subject \"%s\". There are: %s.".formatted(name, Arrays.toString(values()))));
        }

        /** What happens in the history of one seed, line by line; the same each time. */
        public List<String> transcript(long seed) {
            return play(seed).transcript();
        }
    }

    private Simulator() {}

    /** Plays a history and tells what happens. */
    private interface Stage<O> {
        void play(List<O> history, Consumer<String> told);
    }

    /** The history of one seed. */
    private record Play<O>(Object setup, List<O> history, Stage<O> stage) {

        void run(Subject subject, long seed, Supplier<Consumer<String>> witness) {
            Optional<Throwable> first = failure(history, witness.get());
            if (first.isPresent()) {
                List<O> shortest = shrink(kind(first.get()), witness);
                List<String> transcript = new ArrayList<>();
                Throwable failure = failure(shortest, ((Consumer<String>) transcript::add).andThen(witness.get()))
                        .orElseThrow();
                throw new AssertionError(
                        "seed %d of %s fails (rerun with -Dholdfast.subject=%s -Dholdfast.seed=%d): %s%n%s%n%s"
                                .formatted(
                                        seed,
                                        subject,
                                        subject,
                                        seed,
                                        failure.getMessage(),
                                        setup,
                                        String.join("\n", transcript)),
                        failure);
            }
        }

        /** Where in the code it failed, which is the same for the same failure of another history; messages have values in them. */
        private static String kind(Throwable failure) {
            String place = Arrays.stream(failure.getStackTrace())
                    .filter(frame -> !frame.getClassName().equals(Violation.class.getName()))
                    .findFirst()
                    .map(StackTraceElement::toString)
                    .orElse("nowhere");
            Throwable cause = failure.getCause();
            String own = failure.getClass().getName() + " at " + place;
            return cause == null ? own : own + " because of " + kind(cause);
        }

        List<String> transcript() {
            List<String> transcript = new ArrayList<>();
            failure(history, transcript::add).ifPresent(failure -> transcript.add("fails: " + failure.getMessage()));
            return transcript;
        }

        private Optional<Throwable> failure(List<O> events, Consumer<String> told) {
            try {
                stage.play(events, told);
                return Optional.empty();
            } catch (RuntimeException | Error e) {
                return Optional.of(e);
            }
        }

        /** Drops ever smaller runs of events, then simplifies nothing more: each event is small already. Another failure does not count. */
        private List<O> shrink(String kind, Supplier<Consumer<String>> witness) {
            List<O> shortest = history;
            int runs = 0;
            for (int size = Math.max(1, history.size() / 2); size >= 1; size = size == 1 ? 0 : size / 2) {
                boolean again = true;
                while (again) {
                    again = false;
                    for (int from = shortest.size() - size; from >= 0 && runs < MAX_SHRINKING_RUNS; from -= size) {
                        List<O> shorter = new ArrayList<>(shortest);
                        shorter.subList(from, from + size).clear();
                        runs++;
                        if (failure(shorter, witness.get())
                                .filter(failure -> kind(failure).equals(kind))
                                .isPresent()) {
                            shortest = shorter;
                            again = size == 1;
                        }
                        from = Math.min(from, shortest.size());
                    }
                }
            }
            return shortest;
        }
    }
}
