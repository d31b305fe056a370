package dev.holdfast.http.durablestreams.subscriptions;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The streams that a subscription follows, which of them have something new, and which links are not saved yet. What streams do is told by the
 * committer's thread, so every method only touches memory and is short. Guarded by its own monitor.
 *
 * <p><b>Beginnings.</b> A link that begins, also anew at another stream of the same name, gets the next number. A wake carries the last number
 * that was given before it was told, so whoever works for it can acknowledge only the streams that it was told of, not others that have their names by now.
 */
final class Links {

    private final int max;
    private final Map<String, Link> byStream = new HashMap<>();

    /** Those with something new, the longest waiting first. */
    private final Set<Link> pending = new LinkedHashSet<>();

    /** Streams whose link is not on disk as it is here, or was removed here and is still on disk. */
    private final Set<String> unsaved = new LinkedHashSet<>();

    private long beginnings;

    Links(int max) {
        this.max = max;
    }

    /**
     * Takes in links as they were saved.
     *
     * @param begun the beginnings that the saved state knows of
     */
    synchronized void load(Collection<Link.Saved> saved, long begun) {
        beginnings = begun;
        for (Link.Saved link : saved) {
            byStream.put(link.stream(), Link.of(link));
            beginnings = Math.max(beginnings, link.began());
        }
    }

    /** How many links began so far. */
    synchronized long beginnings() {
        return beginnings;
    }

    /**
     * A stream has chunks up to there now. If it is another one than before, the link begins anew at 0.
     *
     * @return whether it has something new since the last acknowledgement and had nothing before
     */
    synchronized boolean reached(String stream, long incarnation, long tail) {
        Link link = byStream.get(stream);
        if (link == null) {
            return false;
        }
        if (link.incarnation() != incarnation) {
            restart(link, incarnation);
        }
        link.reached(tail);
        return link.pending() && pending.add(link);
    }

    private void restart(Link link, long incarnation) {
        link.restart(incarnation, ++beginnings);
        pending.remove(link);
        unsaved.add(link.stream());
    }

    /**
     * Links a stream that a pattern matches, if it is not linked yet.
     *
     * @param acked the position from which on everything is new
     * @return false if there are too many links
     */
    synchronized boolean match(String stream, long incarnation, long acked) {
        Link link = byStream.get(stream);
        if (link == null) {
            if (byStream.size() >= max) {
                return false;
            }
            link = new Link(stream, incarnation, ++beginnings, acked, acked);
            byStream.put(stream, link);
            unsaved.add(stream);
        }
        if (!link.byPattern()) {
            link.byPattern(true);
            unsaved.add(stream);
        }
        return true;
    }

    /** Links streams that were asked for by name, at the tails given with them. */
    synchronized void ask(Collection<Link.Saved> streams) {
        long added = streams.stream()
                .filter(stream -> !byStream.containsKey(stream.stream()))
                .count();
        if (byStream.size() + added > max) {
            throw new SubscriptionProblem(
                    SubscriptionProblem.Code.LIMIT_EXCEEDED,
                    "A subscription has at most %d streams. Use several subscriptions.".formatted(max));
        }
        for (Link.Saved stream : streams) {
            Link link = byStream.computeIfAbsent(
                    stream.stream(),
                    name -> new Link(name, stream.incarnation(), ++beginnings, stream.acked(), stream.acked()));
            if (!link.explicit()) {
                link.explicit(true);
                unsaved.add(link.stream());
            }
        }
    }

    /**
     * Takes back that a stream was asked for by name. It stays linked if a pattern matches it.
     *
     * @return whether it is not linked any more
     */
    synchronized boolean unask(String stream) {
        Link link = byStream.get(stream);
        if (link == null || !link.explicit()) {
            return link == null;
        }
        link.explicit(false);
        unsaved.add(stream);
        if (!link.byPattern()) {
            remove(link);
            return true;
        }
        return false;
    }

    /**
     * A stream is gone. A link that was asked for by name stays, at the beginning of whatever stream will have the name.
     *
     * @return whether it is not linked any more
     */
    synchronized boolean gone(String stream, long incarnation) {
        Link link = byStream.get(stream);
        if (link == null || link.incarnation() != incarnation) {
            return link == null;
        }
        if (link.explicit()) {
            restart(link, Link.NONE);
            link.byPattern(false);
            return false;
        }
        unsaved.add(stream);
        remove(link);
        return true;
    }

    private void remove(Link link) {
        byStream.remove(link.stream());
        pending.remove(link);
    }

    synchronized boolean contains(String stream) {
        return byStream.containsKey(stream);
    }

    /** Which incarnation of a stream is linked; {@link Link#NONE} if none was seen, or it is not linked. */
    synchronized long incarnation(String stream) {
        Link link = byStream.get(stream);
        return link == null ? Link.NONE : link.incarnation();
    }

    synchronized List<String> names() {
        return List.copyOf(byStream.keySet());
    }

    synchronized boolean hasPending() {
        return !pending.isEmpty();
    }

    /** The stream that has waited longest with something new. */
    synchronized Optional<String> firstPending() {
        return pending.stream().findFirst().map(Link::stream);
    }

    /** Whether something would still be new after these acknowledgements. */
    synchronized boolean pendingAfter(List<Link.Ack> acks) {
        long settled = acks.stream()
                .filter(ack -> pending.contains(ack.link())
                        && ack.link().isOf(ack)
                        && ack.acked() >= ack.link().tail())
                .count();
        return pending.size() > settled;
    }

    /**
     * Those to tell with a wake: the ones with something new first, then others as far as there is room.
     *
     * @param begun the beginnings that the wake knows of; what began later is told with the next
     */
    synchronized List<Link.Standing> standings(int room, long begun) {
        return Stream.concat(pending.stream(), byStream.values().stream().filter(link -> !link.pending()))
                .filter(link -> link.began() <= begun)
                .limit(room)
                .map(Link::standing)
                .toList();
    }

    /** All of them, by name. */
    synchronized List<Link.Standing> all() {
        return byStream.values().stream()
                .map(Link::standing)
                .sorted(Comparator.comparing(Link.Standing::stream))
                .toList();
    }

    /**
     * An acknowledgement that could be made.
     *
     * @param begun the beginnings that the wake knows of which acknowledges
     * @throws SubscriptionProblem if the stream is not linked, if the wake was not told of it but perhaps of another one of its name, or if
     *     the position lies before the last one or beyond the tail
     */
    synchronized Link.Ack check(String stream, long position, long begun) {
        Link link = byStream.get(stream);
        String wrong = null;
        if (link == null) {
            wrong = "is not a stream of this subscription";
        } else if (link.began() > begun) {
            wrong =
                    "was made or linked after this wake, which knows at most another stream of that name; it comes with the next wake";
        } else if (position < link.acked()) {
            wrong = "was acknowledged further already";
        } else if (position > link.tail()) {
            wrong = "has not grown so far";
        }
        if (link == null || wrong != null) {
            throw new SubscriptionProblem(
                    SubscriptionProblem.Code.INVALID_OFFSET,
                    "The acknowledgement of \"%s\" was refused: it %s.".formatted(stream, wrong));
        }
        return new Link.Ack(link, link.incarnation(), position);
    }

    /** Acknowledgements of all that was told, except what is not linked any more, or only under the name of another stream. */
    synchronized List<Link.Ack> acksOf(List<Link.Standing> told) {
        List<Link.Ack> acks = new ArrayList<>();
        for (Link.Standing standing : told) {
            Link link = byStream.get(standing.stream());
            if (link != null
                    && link.incarnation() == standing.incarnation()
                    && standing.tail() > link.acked()
                    && standing.tail() <= link.tail()) {
                acks.add(new Link.Ack(link, link.incarnation(), standing.tail()));
            }
        }
        return acks;
    }

    /** These were made durable. */
    synchronized void acked(List<Link.Ack> acks) {
        for (Link.Ack ack : acks) {
            Link link = ack.link();
            if (byStream.get(link.stream()) == link && link.isOf(ack)) {
                link.acked(ack.acked());
                if (!link.pending()) {
                    pending.remove(link);
                }
            }
        }
    }

    synchronized int unsavedCount() {
        return unsaved.size();
    }

    /**
     * Takes out some of what is to be saved: a link as it is, or null where there is none any more. Give it back by {@link #unsaved} if that
     * failed.
     */
    synchronized Map<String, Link.@Nullable Saved> takeUnsaved(int atMost) {
        Map<String, Link.@Nullable Saved> taken = new HashMap<>();
        var each = unsaved.iterator();
        while (each.hasNext() && taken.size() < atMost) {
            String stream = each.next();
            each.remove();
            Link link = byStream.get(stream);
            taken.put(stream, link == null ? null : link.saved(null));
        }
        return taken;
    }

    synchronized void unsaved(Collection<String> streams) {
        unsaved.addAll(streams);
    }

    /** How a link is saved with an acknowledgement, or empty if it is not linked any more to that stream. */
    synchronized Optional<Link.Saved> saved(Link.Ack ack) {
        Link link = ack.link();
        return byStream.get(link.stream()) == link && link.isOf(ack)
                ? Optional.of(link.saved(ack.acked()))
                : Optional.empty();
    }

    /** Goes to what was saved, after another instance changed it. */
    synchronized void reload(Collection<Link.Saved> saved, long begun) {
        beginnings = Math.max(beginnings, begun);
        for (Link.Saved each : saved) {
            Link link = byStream.get(each.stream());
            if (link != null && link.incarnation() == each.incarnation()) {
                link.acked(each.acked());
                if (!link.pending()) {
                    pending.remove(link);
                }
            }
        }
    }
}
