package dev.holdfast.bench.report;

import java.util.Arrays;
import java.util.Collection;
import java.util.function.ToDoubleFunction;

/** Medians of a few runs. */
public final class Median {

    private Median() {}

    /** The median, or NaN of nothing; of an even number, the mean of the two in the middle. */
    public static double of(double... values) {
        if (values.length == 0) {
            return Double.NaN;
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    public static <T> double of(Collection<T> runs, ToDoubleFunction<T> figure) {
        return of(runs.stream().mapToDouble(figure).toArray());
    }
}
