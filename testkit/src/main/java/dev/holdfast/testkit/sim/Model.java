package dev.holdfast.testkit.sim;

import dev.holdfast.stream.AppendRequest;
import dev.holdfast.stream.Producer;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The specification: each operation as it should work, on plain lists, one after the other. It answers in words, and the core's answers are
 * put into the same words to be compared.
 */
final class Model {

    /** Between answers that are both right. */
    private static final String OR = " or ";

    private final Map<Integer, ModelStream> streams = new HashMap<>();
    private final Map<String, Integer> names = new TreeMap<>();

    /** What commit callbacks wrote. */
    final Map<String, String> application = new TreeMap<>();

    private int serials;

    /** An operation on the model. */
    interface Action {
        String apply(Model model, long now);
    }

    /** Whether what the model said is what was answered. */
    static boolean same(String said, String answer) {
        return said.equals(answer) || List.of(said.split(OR)).contains(answer);
    }

    Model copy() {
        Model copy = new Model();
        streams.forEach((serial, stream) -> copy.streams.put(serial, stream.copy()));
        copy.names.putAll(names);
        copy.application.putAll(application);
        copy.serials = serials;
        return copy;
    }

    ModelStream stream(int serial) {
        ModelStream found = streams.get(serial);
        if (found == null) {
            throw new IllegalStateException("no stream has serial " + serial);
        }
        return found;
    }

    /** The stream that has this name now. */
    Optional<ModelStream> named(String name) {
        return Optional.ofNullable(names.get(name)).map(this::stream).filter(s -> !s.gone);
    }

    Optional<ModelStream> incarnation(long incarnation) {
        return streams.values().stream()
                .filter(s -> s.incarnation == incarnation)
                .findFirst();
    }

    /** The streams of a tag that can be found, newest first. */
    List<ModelStream> tagged(String tag) {
        return streams.values().stream()
                .filter(s -> !s.gone && tag.equals(s.tag))
                .sorted((a, b) -> b.serial - a.serial)
                .toList();
    }

    /** How many incarnations there were so far; the next one has this serial. */
    int opened() {
        return serials;
    }

    /** All streams that can be found, newest first. */
    List<ModelStream> current() {
        return streams.values().stream()
                .filter(s -> !s.gone)
                .sorted((a, b) -> b.serial - a.serial)
                .toList();
    }

    /** Serials of streams that may have expired. */
    List<Integer> doubtful(long now) {
        return streams.values().stream()
                .filter(s -> !s.gone && s.mayBeExpired(now))
                .map(s -> s.serial)
                .sorted()
                .toList();
    }

    /** A crash may lose that somebody read a stream, which prolonged its life in memory. Appends are on the disk. */
    void forgetUses() {
        streams.values().forEach(s -> s.touchedAt = s.lastAppendAt);
    }

    /** A restart may lengthen a life: an expired stream that was not discarded yet may be back. */
    void reviveLapsed() {
        streams.values().stream()
                .filter(s -> s.lapsed && Objects.equals(names.get(s.name), s.serial))
                .forEach(ModelStream::revive);
    }

    String open(String name, boolean takeOver, @Nullable String tag, long ttlMillis, long now) {
        ModelStream found = named(name).orElse(null);
        if (found == null) {
            found = new ModelStream(serials++, name, tag, ttlMillis, now);
            streams.put(found.serial, found);
            names.put(name, found.serial);
            return "writer of epoch 1";
        }
        if (tag != null && !tag.equals(found.tag)) {
            return "StreamConflict";
        }
        if (!found.live()) {
            return "StreamClosed at " + found.tail();
        }
        if (takeOver) {
            found.epoch++;
        }
        return "writer of epoch " + found.epoch;
    }

    String append(int serial, long epoch, AppendRequest request, long now) {
        ModelStream stream = stream(serial);
        Producer sender = request.producer();
        if (stream.gone) {
            return "StreamNotFound";
        }
        if (sender == null || stream.live()) {
            String refusal = refusal(stream, epoch);
            if (refusal != null) {
                return refusal;
            }
        }
        if (sender != null) {
            String verdict = check(stream, sender);
            if (verdict != null) {
                return verdict;
            }
            String refusal = refusal(stream, epoch);
            if (refusal != null) {
                return refusal;
            }
        }
        if (request.expectedTail().isPresent() && request.expectedTail().getAsLong() != stream.tail()) {
            return "PreconditionFailed";
        }
        long firstSeq = stream.tail();
        stream.add(request.chunks(), now);
        if (sender != null) {
            stream.producers.put(sender.id(), sender);
        }
        AppendRequest.Checkpoint checkpoint = request.checkpoint();
        if (checkpoint != null) {
            Long before = stream.checkpoint;
            stream.checkpoint = Math.max(before == null ? 0 : before, checkpoint.position());
        }
        return appended(firstSeq, stream.tail(), false);
    }

    static String appended(long firstSeq, long nextSeq, boolean duplicate) {
        return (duplicate ? "duplicate " : "appended ") + firstSeq + ".." + nextSeq;
    }

    private static @Nullable String refusal(ModelStream stream, long epoch) {
        if (epoch != 0 && epoch != stream.epoch) {
            return "StaleEpoch, it is " + stream.epoch;
        }
        return stream.live() ? null : "StreamClosed at " + stream.tail();
    }

    private static @Nullable String check(ModelStream stream, Producer sender) {
        Producer known = stream.producers.get(sender.id());
        long knownEpoch = known == null ? -1 : known.epoch();
        if (sender.epoch() < knownEpoch) {
            return "StaleProducer, its epoch is " + knownEpoch;
        }
        long expected = known == null || sender.epoch() > knownEpoch ? 0 : known.seq() + 1;
        if (sender.seq() > expected) {
            return "ProducerGap, " + expected + " comes next";
        }
        return sender.seq() == expected ? null : appended(stream.tail(), stream.tail(), true);
    }

    /** By its writer, or by its name if {@code serial} is null. */
    String settle(
            @Nullable Integer serial, String name, long epoch, Settlement settlement, Op.Callback callback, long now) {
        ModelStream stream = serial == null ? named(name).orElse(null) : stream(serial);
        if (stream == null) {
            return "StreamNotFound";
        }
        if (!stream.live()) {
            String told = settled(false, stream.state, stream.tail());
            return stream.gone ? told + OR + "StreamNotFound" : told; // a writer that was forgotten cannot know
        }
        if (stream.gone) {
            return "StreamNotFound";
        }
        String refusal = refusal(stream, epoch);
        if (refusal != null) {
            return refusal;
        }
        if (callback == Op.Callback.THROWS || callback == Op.Callback.TAKES_TOO_LONG) {
            return "CallbackFailed";
        }
        stream.add(settlement.lastChunks(), now);
        stream.state = settlement.outcome();
        stream.error = settlement.error();
        if (callback == Op.Callback.WRITES) {
            application.put(stream.name, stream.name + " is " + settlement.outcome());
        }
        if (settlement.fate() == Settlement.Fate.DISCARD) {
            stream.end(now);
        }
        return settled(true, stream.state, stream.tail());
    }

    static String settled(boolean now, StreamState state, long tail) {
        return (now ? "settled " : "was settled ") + state + " at " + tail;
    }

    String trim(String name, long before) {
        return named(name)
                .map(stream -> {
                    stream.first = Math.max(stream.first, Math.min(before, stream.tail()));
                    return "first is " + stream.first;
                })
                .orElse("StreamNotFound");
    }

    String delete(String name, long now) {
        Optional<ModelStream> found = named(name);
        found.ifPresent(stream -> stream.end(now));
        return "deleted " + found.isPresent();
    }

    String checkpoint(int serial) {
        ModelStream stream = stream(serial);
        return stream.gone ? "StreamNotFound" : "checkpoint " + stream.checkpoint;
    }
}
