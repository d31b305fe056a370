package dev.holdfast.testkit.sim;

import dev.holdfast.stream.Fork;
import dev.holdfast.stream.StreamCreation;
import dev.holdfast.stream.StreamLimits;
import dev.holdfast.stream.StreamOptions;
import dev.holdfast.stream.StreamState;
import dev.holdfast.testkit.sim.ModelStream.Origin;
import dev.holdfast.testkit.sim.ModelStream.Stamp;
import dev.holdfast.testkit.sim.ModelStream.Terms;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** How the model creates streams by name, and forks them: a fork is a copy of a list. */
final class ModelForks {

    private final Model model;
    private final long now;

    ModelForks(Model model, long now) {
        this.model = model;
        this.now = now;
    }

    String create(String name, StreamCreation wanted) {
        ModelStream last = model.last(name);
        if (last != null && last.keepsName()) {
            return "StreamConflict";
        }
        if (last != null && !last.gone) {
            return isAlike(last, wanted) ? "found" : "StreamConflict";
        }
        Model before = model.copy();
        if (last != null) {
            model.sweep(last);
        }
        Fork fork = wanted.fork();
        String refusal = fork == null ? null : refusal(fork, wanted.options());
        if (refusal != null) {
            model.restore(before);
            return refusal;
        }
        ModelStream created = fork == null ? plain(name, wanted.options()) : fork(name, wanted.options(), fork);
        created.add(wanted.firstChunks(), now);
        created.state = wanted.settled() ? StreamState.COMPLETED : StreamState.LIVE;
        return "created";
    }

    private static Terms terms(StreamOptions options) {
        return new Terms(
                options.tag(),
                options.contentType() == null ? StreamOptions.DEFAULT_CONTENT_TYPE : options.contentType(),
                options.ttl() == null ? 0 : options.ttl().toMillis(),
                options.expiresAt() == null ? 0 : options.expiresAt().toEpochMilli(),
                options.retention());
    }

    private static boolean hasOwnLife(StreamOptions options) {
        return options.ttl() != null || options.expiresAt() != null;
    }

    private ModelStream plain(String name, StreamOptions options) {
        return model.add(name, terms(options), null, now);
    }

    private @Nullable String refusal(Fork wanted, StreamOptions options) {
        String absence = model.absence(wanted.source());
        if (absence != null) {
            return absence.equals("StreamGone") ? "StreamConflict" : absence;
        }
        ModelStream source = model.named(wanted.source()).orElseThrow();
        if (depth(source) >= StreamLimits.MAX_FORK_DEPTH) {
            return "LimitExceeded";
        }
        long at = wanted.at().orElse(source.tail());
        boolean perhapsTrimmed = at < Retentions.most(source, now);
        if (at < source.first || (perhapsTrimmed && model.refusesDoubtfulForks)) {
            return "CursorTooOld";
        }
        boolean cuts = wanted.unit() == Fork.Unit.BYTES && wanted.past() > 0;
        if (at > source.tail() || (cuts ? at == source.tail() : wanted.past() > source.tail() - at)) {
            return "InvalidArgument";
        }
        if (cuts && wanted.past() > source.chunks.get((int) at).length) {
            return "InvalidArgument";
        }
        boolean otherType =
                options.contentType() != null && !options.contentType().equals(source.terms.contentType());
        return otherType ? "StreamConflict" : null;
    }

    private static int depth(ModelStream stream) {
        return stream.origin == null ? 0 : stream.origin.depth();
    }

    private ModelStream fork(String name, StreamOptions options, Fork wanted) {
        ModelStream source = model.named(wanted.source()).orElseThrow();
        long at = wanted.at().orElse(source.tail());
        Terms own = terms(options);
        boolean ownLife = hasOwnLife(options);
        Terms terms = new Terms(
                own.tag(),
                source.terms.contentType(),
                ownLife ? own.ttlMillis() : source.terms.ttlMillis(),
                ownLife ? own.expiresAt() : source.terms.expiresAt(),
                own.retention() != null ? own.retention() : source.terms.retention());
        Origin origin = new Origin(source.serial, at, wanted.past(), wanted.unit(), depth(source) + 1);
        ModelStream fork = model.add(name, terms, origin, now);
        boolean cuts = wanted.unit() == Fork.Unit.BYTES && wanted.past() > 0;
        long whole = cuts ? at : at + wanted.past();
        for (int seq = 0; seq < whole; seq++) {
            fork.add(source.chunks.get(seq), new Stamp(source.stamps.get(seq).earliest(), now));
        }
        if (cuts) {
            byte[] part = Arrays.copyOf(source.chunks.get((int) at), (int) wanted.past());
            fork.add(part, new Stamp(source.stamps.get((int) at).earliest(), now));
        }
        fork.first = source.first;
        fork.trimmedBefore = Math.min(Retentions.most(source, now), fork.tail());
        source.forks++;
        return fork;
    }

    /** Whether a creation asks for what is there already. */
    private boolean isAlike(ModelStream known, StreamCreation wanted) {
        StreamOptions options = wanted.options();
        ModelStream source = known.origin == null ? null : model.stream(known.origin.source());
        String type = options.contentType() != null
                ? options.contentType()
                : source == null ? StreamOptions.DEFAULT_CONTENT_TYPE : source.terms.contentType();
        Terms life = source == null || hasOwnLife(options) ? terms(options) : source.terms;
        return (options.tag() == null || options.tag().equals(known.terms.tag()))
                && isForkedAlike(known, source, wanted.fork())
                && type.equals(known.terms.contentType())
                && life.ttlMillis() == known.terms.ttlMillis()
                && life.expiresAt() == known.terms.expiresAt()
                && known.live() != wanted.settled();
    }

    private static boolean isForkedAlike(ModelStream known, @Nullable ModelStream source, @Nullable Fork wanted) {
        Origin origin = known.origin;
        if (origin == null || source == null || wanted == null) {
            return origin == null && wanted == null;
        }
        return source.name.equals(wanted.source())
                && wanted.at().orElse(origin.at()) == origin.at()
                && wanted.past() == origin.past()
                && (wanted.past() == 0 || wanted.unit() == origin.unit());
    }
}
