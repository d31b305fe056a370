package dev.holdfast.testkit.sim;

import dev.holdfast.stream.AppendRequest;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamState;
import java.util.Comparator;
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

    /** Whether a fork of what retention may have trimmed is refused; asked of those whose answer nobody got. */
    boolean refusesDoubtfulForks;

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
        copy.restore(this);
        return copy;
    }

    /** Becomes what the other one is. */
    void restore(Model other) {
        streams.clear();
        other.streams.forEach((serial, stream) -> streams.put(serial, stream.copy()));
        names.clear();
        names.putAll(other.names);
        application.clear();
        application.putAll(other.application);
        serials = other.serials;
        refusesDoubtfulForks = other.refusesDoubtfulForks;
    }

    ModelStream stream(int serial) {
        ModelStream found = streams.get(serial);
        if (found == null) {
            throw new IllegalStateException("no stream has serial " + serial);
        }
        return found;
    }

    /** The stream that had this name last. */
    @Nullable
    ModelStream last(String name) {
        Integer serial = names.get(name);
        return serial == null ? null : stream(serial);
    }

    /** The stream that has this name and can be found. */
    Optional<ModelStream> named(String name) {
        return Optional.ofNullable(last(name)).filter(s -> !s.gone);
    }

    /** How an operation is refused that finds no stream of this name, or null if it finds one. */
    @Nullable
    String absence(String name) {
        ModelStream last = last(name);
        if (last != null && !last.gone) {
            return null;
        }
        return last != null && last.keepsName() && !last.lapsed ? "StreamGone" : "StreamNotFound";
    }

    /** A new stream. */
    ModelStream add(String name, ModelStream.Terms terms, ModelStream.@Nullable Origin origin, long now) {
        ModelStream created = new ModelStream(serials++, name, terms, origin, now);
        streams.put(created.serial, created);
        names.put(name, created.serial);
        return created;
    }

    /** Ends a stream, and what only waited for that. */
    void end(ModelStream stream, long now) {
        stream.end(now);
        release(stream);
    }

    /** The core wrote down that an expired stream is gone. */
    void sweep(ModelStream stream) {
        if (stream.lapsed) {
            stream.lapsed = false;
            release(stream);
        }
    }

    /** A stream that is gone, and has no forks, holds its source no more, and so on up the chain. */
    private void release(ModelStream ended) {
        ModelStream at = ended;
        while (at.gone && !at.lapsed && at.forks == 0 && at.origin != null) {
            at = stream(at.origin.source());
            at.forks--;
        }
    }

    Optional<ModelStream> incarnation(long incarnation) {
        return streams.values().stream()
                .filter(s -> s.incarnation == incarnation)
                .findFirst();
    }

    /** The streams of a tag that can be found, newest first. */
    List<ModelStream> tagged(String tag) {
        return streams.values().stream()
                .filter(s -> !s.gone && tag.equals(s.terms.tag()))
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

    /** Streams of which nobody knows whether they ended: those that may have expired, and those whose end may have been written. */
    List<ModelStream> doubtful(long now) {
        return streams.values().stream()
                .filter(s -> s.gone ? s.lapsed && endMatters(s, now) : s.mayBeExpired(now))
                .sorted(Comparator.comparingInt(s -> s.serial))
                .toList();
    }

    /** Whether it makes a difference to others that an expired stream's end is written. */
    private boolean endMatters(ModelStream lapsed, long now) {
        ModelStream source = lapsed.origin == null ? null : stream(lapsed.origin.source());
        return lapsed.forks > 0 || (source != null && (source.gone || source.mayBeExpired(now)));
    }

    /** A crash may lose that somebody read a stream, which prolonged its life in memory. Appends are on the disk. */
    void forgetUses() {
        streams.values().forEach(s -> s.touchedAt = s.lastAppendAt);
    }

    boolean anyLapsed() {
        return streams.values().stream().anyMatch(s -> s.lapsed);
    }

    /** A restart may lengthen a life: an expired stream that was not discarded yet may be back. */
    void reviveLapsed() {
        streams.values().stream()
                .filter(s -> s.lapsed && Objects.equals(names.get(s.name), s.serial))
                .forEach(ModelStream::revive);
    }

    String open(String name, boolean takeOver, @Nullable String tag, long ttlMillis, long now) {
        ModelStream last = last(name);
        if (last == null || last.gone) {
            if (last != null && last.keepsName()) {
                return "StreamConflict";
            }
            if (last != null) {
                sweep(last);
            }
            return "writer of epoch " + add(name, ModelStream.Terms.of(tag, ttlMillis), null, now).epoch;
        }
        if (tag != null && !tag.equals(last.terms.tag())) {
            return "StreamConflict";
        }
        if (!last.live()) {
            return "StreamClosed at " + last.tail();
        }
        if (takeOver) {
            last.epoch++;
        }
        return "writer of epoch " + last.epoch;
    }

    String append(int serial, long epoch, AppendRequest request, long now) {
        return ModelAppends.byWriter(stream(serial), epoch, request, now);
    }

    /** By its writer, or by its name if {@code serial} is null. */
    String settle(
            @Nullable Integer serial, String name, long epoch, Settlement settlement, Op.Callback callback, long now) {
        String absence = serial == null ? absence(name) : null;
        if (absence != null) {
            return absence;
        }
        ModelStream stream = serial == null ? named(name).orElseThrow() : stream(serial);
        if (!stream.live()) {
            String told = settled(false, stream.state, stream.tail());
            return stream.gone ? told + OR + "StreamNotFound" : told; // a writer that was forgotten cannot know
        }
        if (stream.gone) {
            return "StreamNotFound";
        }
        String refusal = ModelAppends.refusal(stream, epoch);
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
            end(stream, now);
        }
        return settled(true, stream.state, stream.tail());
    }

    static String settled(boolean now, StreamState state, long tail) {
        return (now ? "settled " : "was settled ") + state + " at " + tail;
    }

    /**
     * @param seen where the stream began in the answer, or -1 without an answer
     */
    String trim(String name, long before, long seen, long now) {
        String absence = absence(name);
        if (absence != null) {
            return absence;
        }
        ModelStream stream = named(name).orElseThrow();
        stream.first = Math.max(stream.first, Math.min(before, stream.tail()));
        String wrong = seen < 0 ? null : Retentions.adopt(stream, seen, now);
        return wrong != null ? wrong : "first is " + stream.first;
    }

    String delete(String name, long now) {
        ModelStream last = last(name);
        if (last != null && last.lapsed) {
            sweep(last);
            return "deleted false";
        }
        String absence = absence(name);
        if (absence != null) {
            return absence.equals("StreamGone") ? absence : "deleted false";
        }
        end(named(name).orElseThrow(), now);
        return "deleted true";
    }

    String checkpoint(int serial) {
        ModelStream stream = stream(serial);
        return stream.gone ? "StreamNotFound" : "checkpoint " + stream.checkpoint;
    }
}
