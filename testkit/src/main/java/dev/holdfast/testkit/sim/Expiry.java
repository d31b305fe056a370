package dev.holdfast.testkit.sim;

import dev.holdfast.stream.StreamWriter;
import dev.holdfast.testkit.sim.Clients.Call;
import java.util.ArrayList;
import java.util.List;

/**
 * A stream with a time to live ends by itself at a moment that the model knows only roughly: never before nobody used it for so long, and
 * some time after that. So from then on both is right, that it is there and that it is not, and the first answer that tells decides.
 */
final class Expiry {

    private Expiry() {}

    /** Compares an answer with the model's. */
    static void apply(Simulation simulation, Call call) {
        long now = simulation.time.wallMillis();
        String answer = String.valueOf(call.answer);
        String expected = "";
        for (Model candidate : candidates(simulation.model, now)) {
            String said = call.action.apply(candidate, now);
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
        StreamWriter writer = call.writer;
        if (writer == null) {
            return true;
        }
        long opened = candidate.named(writer.name()).orElseThrow().incarnation;
        return opened == 0 || opened == writer.tail().incarnation();
    }

    /** The model as it is, and with streams ended that may be. The first one is the model itself if no stream may be. */
    static List<Model> candidates(Model model, long now) {
        List<Integer> doubtful = model.doubtful(now);
        if (doubtful.isEmpty()) {
            return List.of(model);
        }
        List<Model> candidates = new ArrayList<>();
        for (int set = 0; set < 1 << Math.min(doubtful.size(), 4); set++) {
            Model candidate = model.copy();
            for (int i = 0; i < doubtful.size(); i++) {
                if ((set & 1 << i) != 0) {
                    candidate.stream(doubtful.get(i)).lapse(now);
                }
            }
            candidates.add(candidate);
        }
        return candidates;
    }
}
