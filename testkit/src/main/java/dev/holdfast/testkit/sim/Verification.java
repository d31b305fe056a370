package dev.holdfast.testkit.sim;

import dev.holdfast.error.HoldfastException.StoreDamaged;
import dev.holdfast.stream.Chunk;
import dev.holdfast.stream.ReadBatch;
import dev.holdfast.stream.StreamListing;
import dev.holdfast.stream.StreamState;
import dev.holdfast.stream.StreamStatus;
import dev.holdfast.testkit.sim.SimProcess.Picture;
import dev.holdfast.testkit.sim.Simulation.Unknown;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Looks at everything that can be seen from outside, and at what the engine says of itself, and compares it with the model. */
final class Verification {

    private static final int STREAMS = 4;
    private static final int MANY_BYTES = 1 << 20;

    private final Simulation simulation;

    Verification(Simulation simulation) {
        this.simulation = simulation;
    }

    /** A stream as the API shows it. */
    private record Seen(StreamStatus status, OptionalLong checkpoint, List<Chunk> chunks) {}

    /**
     * After a failure of unknown fate: what is there must be the model after some first part of the calls whose fate is unknown, and this
     * becomes the model.
     */
    void resolve(List<Unknown> unknown) {
        simulation.rest();
        Map<String, Seen> seen = see();
        long now = simulation.time.wallMillis();
        String reason = "";
        for (Model candidate : Expiry.candidates(simulation.model, now)) {
            Model tried = unknown.isEmpty() ? candidate : candidate.copy();
            Iterator<Unknown> next = unknown.iterator();
            while (true) {
                Model shown = tried.doubtful(now).isEmpty() ? tried : tried.copy();
                String difference = difference(shown, seen);
                if (difference == null) {
                    simulation.model = shown;
                    adopt(seen);
                    unknown.clear();
                    return;
                }
                reason = reason.isEmpty() ? difference : reason;
                if (!next.hasNext()) {
                    break;
                }
                Unknown call = next.next();
                String unused = call.action().apply(tried, call.at());
            }
        }
        throw new Violation("EXACT-PREFIX, VISIBLE-IS-DURABLE: after a restart with %d calls of unknown fate: %s"
                .formatted(unknown.size(), reason));
    }

    /** A stream whose opening was never answered has an incarnation all the same. */
    private void adopt(Map<String, Seen> seen) {
        seen.forEach((name, stream) -> {
            ModelStream known = simulation.model.named(name).orElseThrow();
            if (known.incarnation == 0) {
                known.incarnation = stream.status().incarnation();
            }
        });
    }

    /** At rest, and without a fault to come. */
    void everything() {
        resolve(new ArrayList<>());
        everyCursor();
        listing();
        simulation.readings.checkAtRest();
        memoryEqualsARebuild();
        bounds();
        if (simulation.readings.noneAttached()) {
            nothingIsLeftBehind();
        }
    }

    private Map<String, Seen> see() {
        Map<String, Seen> seen = new TreeMap<>();
        for (int i = 0; i < STREAMS; i++) {
            String name = Clients.streamName(i);
            Optional<StreamStatus> status = call(() -> simulation.process.streams.status(name));
            status.ifPresent(found -> seen.put(name, new Seen(found, checkpoint(found), chunks(found))));
        }
        return seen;
    }

    private OptionalLong checkpoint(StreamStatus status) {
        return status.state() == StreamState.LIVE
                ? call(() -> simulation.process.streams.open(status.name()).checkpoint(Clients.CHECKPOINT))
                : OptionalLong.empty();
    }

    private List<Chunk> chunks(StreamStatus status) {
        return status.firstSeq() == status.tail() ? List.of() : read(status.name(), status.firstSeq(), 1);
    }

    private List<Chunk> read(String name, long from, int maxBytes) {
        List<Chunk> chunks = new ArrayList<>();
        long at = from;
        while (true) {
            long next = at;
            ReadBatch batch = call(() -> simulation.process.streams.read(name, next, maxBytes));
            chunks.addAll(batch.chunks());
            at = batch.nextSeq();
            if (batch.upToDate()) {
                return chunks;
            }
            Violation.unless(
                    !batch.chunks().isEmpty(), "a read of %s at %d of %d found nothing", name, at, batch.tail());
        }
    }

    private @Nullable String difference(Model model, Map<String, Seen> seen) {
        for (int i = 0; i < STREAMS; i++) {
            String name = Clients.streamName(i);
            ModelStream expected = model.named(name).orElse(null);
            if (expected != null && !seen.containsKey(name) && expected.mayBeExpired(simulation.time.wallMillis())) {
                expected.lapse(simulation.time.wallMillis());
                expected = null;
            }
            String difference = difference(name, expected, seen.get(name));
            if (difference != null) {
                return difference;
            }
        }
        for (int i = 0; i < STREAMS; i++) {
            String name = Clients.streamName(i);
            String written = simulation.process.store.application(name).orElse(null);
            String expected = model.application.get(name);
            if (!Objects.equals(written, expected)) {
                return "NEVER-BOTH: the application's row of %s is \"%s\", not \"%s\""
                        .formatted(name, written, expected);
            }
        }
        return null;
    }

    private static @Nullable String difference(String name, @Nullable ModelStream model, @Nullable Seen seen) {
        if (model == null || seen == null) {
            return model == null && seen == null
                    ? null
                    : "%s is %s, but should be %s"
                            .formatted(name, seen == null ? "gone" : "there", model == null ? "gone" : "there");
        }
        StreamStatus status = seen.status();
        String is = "%s epoch %d, %d..%d, %s, tag %s, expires %s"
                .formatted(
                        status.state(),
                        status.epoch(),
                        status.firstSeq(),
                        status.tail(),
                        status.error(),
                        status.tag(),
                        status.expiresAt() != null);
        String shouldBe = "%s epoch %d, %d..%d, %s, tag %s, expires %s"
                .formatted(
                        model.state,
                        model.epoch,
                        model.first,
                        model.tail(),
                        model.error,
                        model.tag,
                        model.ttlMillis > 0);
        if (!is.equals(shouldBe)) {
            return "%s is %s, but should be %s".formatted(name, is, shouldBe);
        }
        if (model.incarnation != 0 && model.incarnation != status.incarnation()) {
            return name + " is another incarnation";
        }
        Long checkpoint =
                seen.checkpoint().isPresent() ? (Long) seen.checkpoint().getAsLong() : null;
        if (model.live() && !Objects.equals(checkpoint, model.checkpoint)) {
            return "%s has the checkpoint %s, not %s".formatted(name, checkpoint, model.checkpoint);
        }
        return sameFrom(model, model.first, seen.chunks());
    }

    private static @Nullable String sameFrom(ModelStream model, long from, List<Chunk> chunks) {
        long seq = from;
        for (Chunk chunk : chunks) {
            if (chunk.seq() != seq
                    || seq >= model.tail()
                    || !ByteBuffer.wrap(model.chunks.get((int) seq)).equals(chunk.bytes())) {
                return "%s has another chunk %d than was appended".formatted(model.name, seq);
            }
            seq++;
        }
        return seq == model.tail() ? null : "%s ends at %d, not at %d".formatted(model.name, seq, model.tail());
    }

    /** EVERY-CURSOR: from each position on, the rest of the sequence. */
    private void everyCursor() {
        for (int i = 0; i < STREAMS; i++) {
            ModelStream stream = simulation.model.named(Clients.streamName(i)).orElse(null);
            if (stream != null) {
                long bytes = stream.chunks.stream().mapToLong(c -> c.length).sum();
                long stride = bytes > MANY_BYTES ? 1 + stream.tail() / 4 : 1;
                for (long from = stream.first; from <= stream.tail(); from += stride) {
                    String difference =
                            sameFrom(stream, from, read(stream.name, from, from % 2 == 0 ? 64 : MANY_BYTES));
                    Violation.unless(
                            difference == null, "EVERY-CURSOR: reading from %d: %s", from, String.valueOf(difference));
                }
            }
        }
    }

    /** Streams that expire are left out: a listing may show one until it is swept. */
    private void listing() {
        List<String> listed = call(() -> simulation.process.streams.list(StreamListing.all())).stream()
                .filter(status -> status.expiresAt() == null)
                .map(status -> status.name() + " " + status.state() + " " + status.tail())
                .toList();
        List<String> expected = simulation.model.current().stream()
                .filter(stream -> stream.ttlMillis == 0)
                .map(stream -> stream.name + " " + stream.state + " " + stream.tail())
                .toList();
        Violation.unless(listed.equals(expected), "the listing is %s, but should be %s", listed, expected);
    }

    /** What is in memory is what a fresh process would find on the disk. */
    void memoryEqualsARebuild() {
        Picture live = simulation.process.picture();
        Picture fresh;
        try {
            fresh = SimProcess.rebuild(simulation.disk, simulation.setup);
        } catch (StoreDamaged e) {
            throw new Violation("the log no longer holds what is needed: " + e.getMessage(), e);
        }
        Violation.unless(
                live.streams().equals(fresh.streams()),
                "memory and disk differ:%n  memory %s%n  disk   %s",
                live.streams(),
                fresh.streams());
        Violation.unless(
                live.openBytes() == live.heldBytes(),
                "open chunks hold %d bytes, but %d are counted",
                live.heldBytes(),
                live.openBytes());
        Violation.unless(
                live.journalBytes() >= fresh.journalBytes(),
                "the log holds %d bytes, but only %d are counted",
                fresh.journalBytes(),
                live.journalBytes());
    }

    /** BOUNDED: at rest neither the log nor the open chunks are beyond their limits. */
    private void bounds() {
        Picture picture = simulation.process.picture();
        long maxJournal = simulation.setup.streams().maxJournalBytes();
        long maxOpen = simulation.setup.streams().maxOpenBytes();
        Violation.unless(
                picture.journalBytes() <= maxJournal,
                "BOUNDED: the log is %d of %d",
                picture.journalBytes(),
                maxJournal);
        Violation.unless(
                picture.openBytes() <= maxOpen, "BOUNDED: open chunks are %d of %d", picture.openBytes(), maxOpen);
    }

    /** What was discarded or trimmed is deleted once nobody reads it. */
    private void nothingIsLeftBehind() {
        List<Long> discarded = simulation.process.store.read(reads -> reads.discardedStreams(10));
        Violation.unless(discarded.isEmpty(), "discarded streams are never deleted: %s", discarded);
        for (StreamStatus status : call(() -> simulation.process.streams.list(StreamListing.all()))) {
            long key = status.position().key();
            for (long seq = 0; seq < status.firstSeq(); seq++) {
                long at = seq;
                boolean left = simulation
                        .process
                        .store
                        .read(reads -> reads.block(key, at))
                        .filter(block -> block.toSeq() <= status.firstSeq())
                        .isPresent();
                Violation.unless(!left, "a trimmed block of %s is never deleted: chunk %d", status.name(), seq);
            }
        }
    }

    /** A call of the API, with as many steps as it needs; nothing else is under way. */
    private <T> T call(Supplier<T> body) {
        AtomicReference<@Nullable T> answer = new AtomicReference<>();
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        simulation.fibers.start("verification", () -> {
            try {
                answer.set(body.get());
            } catch (RuntimeException | Error e) {
                failure.set(e);
            }
        });
        simulation.pump();
        while (answer.get() == null && failure.get() == null) {
            Violation.unless(simulation.step(), "a call waits for ever");
        }
        Throwable failed = failure.get();
        if (failed != null) {
            throw new Violation("a call failed on a healthy store: " + failed, failed);
        }
        T value = answer.get();
        if (value == null) {
            throw new AssertionError("answered with nothing");
        }
        return value;
    }
}
