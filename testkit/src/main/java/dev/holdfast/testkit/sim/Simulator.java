package dev.holdfast.testkit.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Runs the real core against a scripted disk, a virtual clock and a model, one history for each seed. A history that fails is shrunk:
 * events are dropped as long as it still fails, and what remains is told as a transcript.
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
            play(seed).run(this, seed);
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

        void run(Subject subject, long seed) {
            if (failure(history, line -> {}).isPresent()) {
                List<O> shortest = shrink();
                List<String> transcript = new ArrayList<>();
                Throwable failure = failure(shortest, transcript::add).orElseThrow();
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

        /** Drops ever smaller runs of events, then simplifies nothing more: each event is small already. */
        private List<O> shrink() {
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
                        if (failure(shorter, line -> {}).isPresent()) {
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
