package dev.holdfast.testkit.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Runs the real core against a scripted disk, a virtual clock and a model, one history for each seed. A history that fails is shrunk:
 * events are dropped as long as it still fails, and what remains is told as a transcript.
 */
public final class Simulator {

    private static final int MAX_SHRINKING_RUNS = 4_000;

    private Simulator() {}

    /**
     * Plays the history of one seed.
     *
     * @throws AssertionError if an invariant does not hold; the message has the seed and the shortest failing history that was found
     */
    public static void run(long seed) {
        Histories.Setup setup = Histories.setup(seed);
        List<Op> history = Histories.ops(seed);
        if (failure(setup, history).isPresent()) {
            List<Op> shortest = shrink(setup, history);
            List<String> transcript = new ArrayList<>();
            Throwable failure = failure(setup, shortest, transcript).orElseThrow();
            throw new AssertionError(
                    "seed %d fails (rerun with -Dholdfast.seed=%d): %s%n%s%n%s"
                            .formatted(seed, seed, failure.getMessage(), setup, String.join("\n", transcript)),
                    failure);
        }
    }

    /** What happens in the history of one seed, line by line; the same each time. */
    public static List<String> transcript(long seed) {
        List<String> transcript = new ArrayList<>();
        failure(Histories.setup(seed), Histories.ops(seed), transcript)
                .ifPresent(failure -> transcript.add("fails: " + failure.getMessage()));
        return transcript;
    }

    private static Optional<Throwable> failure(Histories.Setup setup, List<Op> history) {
        return failure(setup, history, null);
    }

    private static Optional<Throwable> failure(
            Histories.Setup setup, List<Op> history, @Nullable List<String> transcript) {
        try {
            new Simulation(setup, line -> {
                        if (transcript != null) {
                            transcript.add(line);
                        }
                    })
                    .play(history);
            return Optional.empty();
        } catch (RuntimeException | Error e) {
            return Optional.of(e);
        }
    }

    /** Drops ever smaller runs of events, then simplifies nothing more: each event is small already. */
    private static List<Op> shrink(Histories.Setup setup, List<Op> failing) {
        List<Op> shortest = failing;
        int runs = 0;
        for (int size = Math.max(1, failing.size() / 2); size >= 1; size = size == 1 ? 0 : size / 2) {
            boolean again = true;
            while (again) {
                again = false;
                for (int from = shortest.size() - size; from >= 0 && runs < MAX_SHRINKING_RUNS; from -= size) {
                    List<Op> shorter = new ArrayList<>(shortest);
                    shorter.subList(from, from + size).clear();
                    runs++;
                    if (failure(setup, shorter).isPresent()) {
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
