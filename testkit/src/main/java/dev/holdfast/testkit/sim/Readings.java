package dev.holdfast.testkit.sim;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.StorePoisoned;
import dev.holdfast.error.HoldfastException.StreamGone;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.stream.Attach;
import dev.holdfast.stream.Cursor;
import dev.holdfast.stream.ReadBatch;
import dev.holdfast.stream.StreamReader;
import dev.holdfast.testkit.SimulatedCrash;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The readers of a history: where they attach, what they find, and that every finding is what the model says. */
final class Readings {

    private final Simulation simulation;
    private final List<SimReader> readers = new ArrayList<>();
    private final List<Runnable> findings = new ArrayList<>();
    private boolean dying;
    private boolean deferred;

    Readings(Simulation simulation) {
        this.simulation = simulation;
    }

    private Model model() {
        return simulation.model;
    }

    private long now() {
        return simulation.time.wallMillis();
    }

    void attach(Op.Attach op) {
        String name = simulation.name(op.stream());
        long tail = model().named(name).map(ModelStream::tail).orElse(0L);
        long from = tail * op.perMille() / 1000;
        SimProcess process = simulation.process;
        start(
                name,
                () -> process.streams.tail(name, from),
                at -> attached(name, at, from),
                op.maxBytes(),
                op.follows());
    }

    private void attached(String name, Cursor at, long from) {
        ModelStream stream = model().named(name)
                .orElseThrow(() -> new Violation("a reader attached to " + name + ", which is gone"));
        Violation.unless(
                at.equals(new Cursor(stream.incarnation, from)),
                "a reader attached to %s at another place than asked",
                name);
        stream.touchedAt = now();
    }

    void resume(Op.Resume op) {
        if (readers.isEmpty()) {
            return;
        }
        Cursor cursor =
                Cursor.parse(readers.get(op.reader() % readers.size()).cursor().token());
        String name = model().incarnation(cursor.incarnation()).orElseThrow().name;
        SimProcess process = simulation.process;
        int opened = model().opened();
        start(name, () -> resumed(process, name, cursor, opened), at -> {}, op.maxBytes(), op.follows());
    }

    /** EXPLICIT-CURSOR: the named answer is the one that the model gives. */
    private @Nullable StreamReader resumed(SimProcess process, String name, Cursor cursor, int opened) {
        Attach answer = process.streams.attach(name, cursor);
        String said = said(answer);
        long first = first(answer);
        findings.add(() -> {
            ModelStream stream = model().named(name).orElse(null);
            if (answer instanceof Attach.Gone && explainsAbsence(stream, opened)) {
                return;
            }
            String wrong = stream == null || first < 0 ? null : Retentions.adopt(stream, first, now());
            Violation.unless(wrong == null, "EXPLICIT-CURSOR: %s", String.valueOf(wrong));
            String expected = expected(stream, cursor);
            Violation.unless(
                    expected.equals(said),
                    "EXPLICIT-CURSOR: resuming %s at %s should be %s, was %s",
                    name,
                    cursor,
                    expected,
                    said);
            if (stream != null && (answer instanceof Attach.Ok || answer instanceof Attach.Restarted)) {
                stream.touchedAt = now();
            }
        });
        return switch (answer) {
            case Attach.Ok ok -> ok.reader();
            case Attach.Restarted restarted -> restarted.reader();
            default -> null;
        };
    }

    /** Where the stream begins, if the answer says so; else -1. */
    private static long first(Attach answer) {
        return switch (answer) {
            case Attach.Restarted restarted -> restarted.reader().cursor().seq();
            case Attach.TooOld old -> old.first().seq();
            default -> -1;
        };
    }

    private static String expected(@Nullable ModelStream stream, Cursor cursor) {
        if (stream == null) {
            return "gone";
        }
        if (stream.incarnation != cursor.incarnation()) {
            return "restarted at " + stream.first;
        }
        if (cursor.seq() < stream.first) {
            return "too old, first is " + stream.first;
        }
        return cursor.seq() > stream.tail() ? "ahead, tail is " + stream.tail() : "ok at " + cursor.seq();
    }

    private static String said(Attach answer) {
        return switch (answer) {
            case Attach.Ok ok -> "ok at " + ok.reader().cursor().seq();
            case Attach.Restarted restarted ->
                "restarted at " + restarted.reader().cursor().seq();
            case Attach.TooOld old -> "too old, first is " + old.first().seq();
            case Attach.Ahead ahead -> "ahead, tail is " + ahead.tail().seq();
            case Attach.Gone gone -> "gone";
        };
    }

    /** What attaching means for the model. */
    private interface Attached {
        void at(Cursor cursor);
    }

    private void start(
            String name, Supplier<@Nullable StreamReader> attach, Attached attached, int maxBytes, boolean follows) {
        guarded(name, () -> {
            StreamReader api = attach.get();
            if (api != null) {
                SimReader reader = new SimReader(api, follows);
                Cursor at = api.cursor();
                findings.add(() -> attached.at(at));
                readers.add(reader);
                if (follows) {
                    reader.runOn(Thread.currentThread());
                    follow(reader, maxBytes);
                }
            }
        });
    }

    void touch(String name) {
        SimProcess process = simulation.process;
        guarded(name, () -> {
            process.streams.touch(name);
            findings.add(() ->
                    model().named(name).orElseThrow(() -> new Violation(name + " was touched, but is gone")).touchedAt =
                            now());
        });
    }

    /** Something that looks for a stream. */
    private void guarded(String name, Runnable body) {
        int opened = model().opened();
        simulation.fibers.start("reader", () -> {
            try {
                body.run();
            } catch (StorePoisoned e) {
                expectDown();
            } catch (StreamNotFound e) {
                findings.add(() -> Violation.unless(
                        explainsAbsence(model().named(name).orElse(null), opened),
                        "a reader was told without a reason: %s",
                        e.getMessage()));
            } catch (StreamGone e) {
                findings.add(() -> checkGone(name, opened));
            } catch (HoldfastException e) {
                Violation.expectFault(e);
            } catch (SimulatedCrash e) {
                expectDown();
            }
        });
        simulation.pump();
    }

    /** A reader was told that a stream is gone but for its forks; their end, and the next stream of that name, may have come since. */
    private void checkGone(String name, int opened) {
        ModelStream last = model().last(name);
        if (last != null && !last.gone && last.mayBeExpired(now())) {
            last.lapse(now());
        }
        if (last != null && last.lapsed && last.forks > 0) {
            model().sweep(last);
        }
        Violation.unless(
                last != null && (last.serial >= opened || (last.gone && !last.lapsed)),
                "a reader was told without a reason that %s is gone",
                name);
    }

    private void expectDown() {
        Violation.unless(
                simulation.disk.dead() || simulation.process.committer.poison() != null,
                "a reader was turned away by a healthy store");
    }

    /** Whether a reader may be told that there is no stream: it is gone, may have expired, or was opened after the reader asked. */
    private boolean explainsAbsence(@Nullable ModelStream stream, int opened) {
        if (stream != null && stream.mayBeExpired(now())) {
            stream.lapse(now());
            return true;
        }
        return stream == null || stream.serial >= opened;
    }

    private void follow(SimReader reader, int maxBytes) {
        try (reader) {
            while (true) {
                ReadBatch batch = reader.awaitNext(maxBytes);
                findings.add(() -> reader.check(batch, model()));
                if (batch.ended()) {
                    return;
                }
            }
        } catch (HoldfastException e) {
            refused(reader, e);
        } catch (InterruptedException | SimulatedCrash e) {
            // the process is gone; what was seen before is checked
        }
    }

    private void refused(SimReader reader, HoldfastException error) {
        if (!dying && !reader.closed()) {
            findings.add(() -> reader.check(
                    error,
                    model(),
                    now(),
                    simulation.setup.streams().maxLinger().toMillis()));
        }
    }

    void read(Op.Read op) {
        List<SimReader> able =
                readers.stream().filter(r -> !r.follows() && !r.over()).toList();
        if (able.isEmpty()) {
            return;
        }
        SimReader reader = able.get(op.reader() % able.size());
        simulation.fibers.start("reader", () -> {
            try {
                ReadBatch batch = reader.read(op.maxBytes());
                findings.add(() -> reader.check(batch, model()));
            } catch (HoldfastException e) {
                refused(reader, e);
            } catch (SimulatedCrash e) {
                expectDown();
            }
        });
        simulation.pump();
    }

    void close(Op.CloseReader op) {
        if (!readers.isEmpty()) {
            readers.get(op.reader() % readers.size()).close();
            simulation.pump();
        }
    }

    /** Whether findings wait until the model has caught up. */
    void defer(boolean wait) {
        deferred = wait;
    }

    void judge() {
        if (deferred) {
            return;
        }
        for (int i = 0; i < findings.size(); i++) {
            findings.get(i).run();
        }
        findings.clear();
    }

    void checkAtRest() {
        readers.stream().filter(SimReader::follows).forEach(reader -> reader.checkAtRest(model()));
    }

    /** Whether any reader may hold back what was discarded. */
    boolean noneAttached() {
        return readers.stream().allMatch(SimReader::closed);
    }

    void processDied() {
        dying = true;
    }

    void abandonAll() {
        readers.forEach(SimReader::abandon);
    }

    void processBegan() {
        dying = false;
    }
}
