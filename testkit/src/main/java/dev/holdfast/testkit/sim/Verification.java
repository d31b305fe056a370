package dev.holdfast.testkit.sim;

import dev.holdfast.error.HoldfastException.StoreDamaged;
import dev.holdfast.error.HoldfastException.StreamGone;
import dev.holdfast.stream.Chunk;
import dev.holdfast.stream.ReadBatch;
import dev.holdfast.stream.StreamListing;
import dev.holdfast.stream.StreamState;
import dev.holdfast.stream.StreamStatus;
import dev.holdfast.testkit.sim.ModelStream.Terms;
import dev.holdfast.testkit.sim.SimProcess.Picture;
import dev.holdfast.testkit.sim.Simulation.Unknown;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Looks at everything that can be seen from outside, and at what the engine says of itself, and compares it with the model. */
final class Verification {

    private static final int MAX_TRIES = 5_000;
    private static final int MANY_BYTES = 1 << 20;

    private final Simulation simulation;
    private final RestCalls calls;

    Verification(Simulation simulation) {
        this.simulation = simulation;
        this.calls = new RestCalls(simulation.fibers, simulation::pump, simulation::step);
    }

    /** A stream as the API shows it. */
    private record Seen(StreamStatus status, OptionalLong checkpoint, List<Chunk> chunks) {}

    /** All streams as the API shows them; {@code kept} are the names of those that are gone but for their forks. */
    private record View(Map<String, Seen> streams, Set<String> kept) {}

    /**
     * After a failure of unknown fate: what is there must be the model after some first part of the calls whose fate is unknown, and this
     * becomes the model.
     */
    void resolve(List<Unknown> unknown) {
        simulation.rest();
        View seen = see();
        Model found = new Explanation(seen, unknown).of(simulation.model);
        found.refusesDoubtfulForks = false;
        simulation.model = found;
        adopt(seen);
        unknown.clear();
    }

    /** Searches for the calls that were done, and the streams that ended by themselves before, between and after them. */
    private final class Explanation {
        private final View seen;
        private final List<Unknown> calls;
        private final long now = simulation.time.wallMillis();
        private String reason = "";
        private int tries;

        Explanation(View seen, List<Unknown> calls) {
            this.seen = seen;
            this.calls = calls;
        }

        Model of(Model model) {
            Model answeredOtherwise = model.copy();
            answeredOtherwise.refusesDoubtfulForks = true;
            return from(model, 0)
                    .or(() -> from(answeredOtherwise, 0))
                    .orElseThrow(() -> new Violation(
                            "EXACT-PREFIX, VISIBLE-IS-DURABLE: after a restart with %d calls of unknown fate: %s"
                                    .formatted(calls.size(), reason)));
        }

        private Optional<Model> shown(Model model) {
            for (Model after : Expiry.candidates(model, now)) {
                Model shown = after == model ? model.copy() : after;
                String difference = difference(shown, seen, now);
                if (difference == null) {
                    return Optional.of(shown);
                }
                reason = reason.isEmpty() ? difference : reason;
            }
            return Optional.empty();
        }

        private Optional<Model> from(Model before, int done) {
            Optional<Model> shown = shown(before);
            if (shown.isEmpty() && before.anyLapsed() && !calls.isEmpty()) {
                Model revived =
                        before.copy(); // the restart may have lengthened a life that was over when a call was decided
                revived.reviveLapsed();
                shown = shown(revived);
            }
            if (shown.isPresent()) {
                return shown;
            }
            if (done == calls.size()) {
                return Optional.empty();
            }
            Unknown call = calls.get(done);
            for (Model candidate : Expiry.candidates(before, call.at())) {
                if (++tries > MAX_TRIES) {
                    break;
                }
                Model tried = candidate == before ? before.copy() : candidate;
                String unused = call.action().apply(tried, call.at());
                Optional<Model> found = from(tried, done + 1);
                if (found.isPresent()) {
                    return found;
                }
            }
            return Optional.empty();
        }
    }

    /** A stream whose opening was never answered has an incarnation all the same. */
    private void adopt(View seen) {
        seen.streams().forEach((name, stream) -> {
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
        simulation.model.current().forEach(stream -> Retentions.checkAtRest(simulation, stream));
        memoryEqualsARebuild();
        bounds();
        if (simulation.readings.noneAttached()) {
            nothingIsLeftBehind();
        }
    }

    private View see() {
        View view = new View(new TreeMap<>(), new TreeSet<>());
        for (String name : simulation.names()) {
            Optional<StreamStatus> status = call(() -> {
                try {
                    return simulation.process.streams.status(name);
                } catch (StreamGone e) {
                    view.kept().add(name);
                    return Optional.empty();
                }
            });
            status.ifPresent(found -> view.streams().put(name, new Seen(found, checkpoint(found), chunks(found))));
        }
        return view;
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

    private @Nullable String difference(Model model, View seen, long now) {
        for (String name : simulation.names()) {
            String difference = difference(model, name, seen, now);
            if (difference != null) {
                return difference;
            }
            String written = simulation.process.store.application(name).orElse(null);
            String expected = model.application.get(name);
            if (!Objects.equals(written, expected)) {
                return "NEVER-BOTH: the application's row of %s is \"%s\", not \"%s\""
                        .formatted(name, written, expected);
            }
        }
        return null;
    }

    private static @Nullable String difference(Model model, String name, View seen, long now) {
        ModelStream expected = model.named(name).orElse(null);
        Seen found = seen.streams().get(name);
        if (expected == null || found == null) {
            boolean kept = "StreamGone".equals(model.absence(name));
            boolean same =
                    expected == null && found == null && kept == seen.kept().contains(name);
            return same
                    ? null
                    : "%s is %s, but should be %s"
                            .formatted(
                                    name,
                                    presence(found != null, seen.kept().contains(name)),
                                    presence(expected != null, kept));
        }
        String wrong = Retentions.adopt(expected, found.status().firstSeq(), now);
        return wrong != null ? wrong : difference(expected, found);
    }

    private static String presence(boolean there, boolean kept) {
        return there ? "there" : kept ? "gone but for its forks" : "gone";
    }

    private static @Nullable String difference(ModelStream model, Seen seen) {
        String is = words(seen.status());
        String shouldBe = words(model);
        if (!is.equals(shouldBe)) {
            return "%s is %s, but should be %s".formatted(model.name, is, shouldBe);
        }
        if (model.incarnation != 0 && model.incarnation != seen.status().incarnation()) {
            return model.name + " is another incarnation";
        }
        Long checkpoint =
                seen.checkpoint().isPresent() ? (Long) seen.checkpoint().getAsLong() : null;
        if (model.live() && !Objects.equals(checkpoint, model.checkpoint)) {
            return "%s has the checkpoint %s, not %s".formatted(model.name, checkpoint, model.checkpoint);
        }
        return sameFrom(model, model.first, seen.chunks());
    }

    private static String words(StreamStatus status) {
        long ttl = status.ttl() == null ? 0 : status.ttl().toMillis();
        long expiry =
                ttl > 0 || status.expiresAt() == null ? 0 : status.expiresAt().toEpochMilli();
        return words(status.state(), status.epoch(), status.firstSeq(), status.tail(), status.error())
                + new Terms(status.tag(), status.contentType(), ttl, expiry, status.retention());
    }

    private static String words(ModelStream model) {
        return words(model.state, model.epoch, model.first, model.tail(), model.error) + model.terms;
    }

    private static String words(StreamState state, long epoch, long first, long tail, @Nullable String error) {
        return "%s epoch %d, %d..%d, %s, ".formatted(state, epoch, first, tail, error);
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
        for (String name : simulation.names()) {
            ModelStream stream = simulation.model.named(name).orElse(null);
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
        List<String> listed = listed().stream()
                .filter(status -> status.expiresAt() == null)
                .map(status -> status.name() + " " + status.state() + " " + status.tail())
                .toList();
        List<String> expected = simulation.model.current().stream()
                .filter(stream -> !stream.expires())
                .map(stream -> stream.name + " " + stream.state + " " + stream.tail())
                .toList();
        Violation.unless(listed.equals(expected), "the listing is %s, but should be %s", listed, expected);
    }

    /** Page by page. */
    private List<StreamStatus> listed() {
        List<StreamStatus> all = new ArrayList<>();
        StreamListing listing = StreamListing.all();
        while (true) {
            StreamListing next = listing;
            List<StreamStatus> page = call(() -> simulation.process.streams.list(next));
            all.addAll(page);
            if (page.size() < listing.limit()) {
                return all;
            }
            listing = listing.after(page.getLast().position());
        }
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
        for (StreamStatus status : listed()) {
            ModelStream known = simulation.model.named(status.name()).orElse(null);
            if (known == null || known.forks > 0) {
                continue;
            }
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

    private <T> T call(Supplier<T> body) {
        return calls.call(body);
    }
}
