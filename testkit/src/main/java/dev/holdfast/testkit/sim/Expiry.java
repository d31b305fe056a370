package dev.holdfast.testkit.sim;

import dev.holdfast.testkit.sim.Clients.Call;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A stream with a time to live ends by itself at a moment that the model knows only roughly: never before nobody used it for so long, and
 * some time after that. So from then on both is right, that it is there and that it is not, and the first answer that tells decides.
 */
final class Expiry {

    /** What may have become of a stream. */
    private enum Fate {
        AS_IT_IS,
        /** Nobody finds it any more. */
        LAPSED,
        /** That is written down, so it does not hold the stream that it was forked from any more. */
        WRITTEN
    }

    private Expiry() {}

    /** Compares an answer with the model's. */
    static void apply(Simulation simulation, Call call) {
        long now = simulation.time.wallMillis();
        String answer = String.valueOf(call.answer);
        String expected = "";
        for (Model candidate : candidates(simulation.model, now)) {
            String said = call.action().apply(candidate, now);
            if (Model.same(said, answer) && sameIncarnation(candidate, call)) {
                simulation.model = candidate;
                return;
            }
            expected = expected.isEmpty() ? said : expected;
        }
        throw new Violation("%s should be answered \"%s\", but was \"%s\"".formatted(call.op, expected, answer));
    }

    /** An expired stream that was opened anew answers as the one before, but for its incarnation. */
    private static boolean sameIncarnation(Model candidate, Call call) {
        if (call.opened == null) {
            return true;
        }
        long known = candidate.named(call.opened).orElseThrow().incarnation;
        return known == 0 || known == call.incarnation;
    }

    /**
     * The model as it is, and with streams ended that may be, those first of which little is assumed. The first one is the model itself if
     * nothing is in doubt.
     */
    static Iterable<Model> candidates(Model model, long now) {
        List<ModelStream> doubtful = model.doubtful(now);
        if (doubtful.isEmpty()) {
            return List.of(model);
        }
        return () -> fates(doubtful, now).stream()
                .sorted(Comparator.comparingInt(Expiry::assumptions))
                .map(fates -> candidate(model, doubtful, fates, now))
                .iterator();
    }

    private static int assumptions(List<Fate> fates) {
        return fates.stream().mapToInt(Fate::ordinal).sum();
    }

    private static Model candidate(Model model, List<ModelStream> doubtful, List<Fate> fates, long now) {
        Model candidate = model.copy();
        for (int i = 0; i < fates.size(); i++) {
            ModelStream stream = candidate.stream(doubtful.get(i).serial);
            if (fates.get(i) != Fate.AS_IT_IS && !stream.gone) {
                stream.lapse(now);
            }
            if (fates.get(i) == Fate.WRITTEN) {
                candidate.sweep(stream);
            }
        }
        return candidate;
    }

    /** Each combination of what may have become of each stream. */
    private static List<List<Fate>> fates(List<ModelStream> doubtful, long now) {
        List<List<Fate>> all = List.of(List.of());
        for (ModelStream stream : doubtful) {
            List<Fate> possible = possible(stream, now);
            all = all.stream()
                    .flatMap(some -> possible.stream().map(fate -> with(some, fate)))
                    .toList();
        }
        return all;
    }

    private static List<Fate> with(List<Fate> some, Fate another) {
        List<Fate> more = new ArrayList<>(some);
        more.add(another);
        return more;
    }

    private static List<Fate> possible(ModelStream stream, long now) {
        if (stream.gone) {
            return List.of(Fate.AS_IT_IS, Fate.WRITTEN);
        }
        List<Fate> possible = new ArrayList<>();
        if (!stream.mustBeExpired(now)) {
            possible.add(Fate.AS_IT_IS);
        }
        possible.add(Fate.LAPSED);
        if (stream.hasKin()) {
            possible.add(Fate.WRITTEN);
        }
        return possible;
    }
}
