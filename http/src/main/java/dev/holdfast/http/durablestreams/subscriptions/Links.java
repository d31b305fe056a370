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
import org.jspecify.annotations.Nullable;

/**
 * The streams that a subscription follows, which of them have something new, and which links are not saved yet. What streams do is told by the
 * committer's thread, so every method only touches memory and is short. Guarded by its own monitor.
 */
final class Links {

    private final int max;
    private final Map<String, Link> byStream = new HashMap<>();

    /** Those with something new, the longest waiting first. */
    private final Set<Link> pending = new LinkedHashSet<>();

    /** Streams whose link is not on disk as it is here, or was removed here and is still on disk. */
    private final Set<String> unsaved = new LinkedHashSet<>();

    Links(int max) {
        this.max = max;
    }

    /** Takes in links as they were saved. */
    synchronized void load(Collection<Link.Saved> saved) {
        for (Link.Saved link : saved) {
            byStream.put(link.stream(), Link.of(link));
        }
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
        link.restart(incarnation);
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
            link = new Link(stream, incarnation, acked, acked);
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
                    stream.stream(), name -> new Link(name, stream.incarnation(), stream.acked(), stream.acked()));
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
                        && ack.acked() >= ack.link().tail())
                .count();
        return pending.size() > settled;
    }

    /** Those to tell with a wake: the ones with something new first, then others as far as there is room. */
    synchronized List<Link.Standing> standings(int room) {
        List<Link.Standing> told = new ArrayList<>();
        for (Link link : pending) {
            if (told.size() == room) {
                return told;
            }
            told.add(link.standing());
        }
        for (Link link : byStream.values()) {
            if (told.size() == room) {
                return told;
            }
            if (!link.pending()) {
                told.add(link.standing());
            }
        }
        return told;
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
     * @throws SubscriptionProblem if the stream is not linked, or the position lies before the last one or beyond the tail
     */
    synchronized Link.Ack check(String stream, long position) {
        Link link = byStream.get(stream);
        String wrong = null;
        if (link == null) {
            wrong = "is not a stream of this subscription";
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
        return new Link.Ack(link, position);
    }

    /** Acknowledgements of all that was told, except what is not linked any more. */
    synchronized List<Link.Ack> acksOf(List<Link.Standing> told) {
        List<Link.Ack> acks = new ArrayList<>();
        for (Link.Standing standing : told) {
            Link link = byStream.get(standing.stream());
            if (link != null && standing.tail() > link.acked() && standing.tail() <= link.tail()) {
                acks.add(new Link.Ack(link, standing.tail()));
            }
        }
        return acks;
    }

    /** These were made durable. */
    synchronized void acked(List<Link.Ack> acks) {
        for (Link.Ack ack : acks) {
            Link link = ack.link();
            if (byStream.get(link.stream()) == link) {
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

    /** How a link is saved with an acknowledgement, or empty if it is not linked any more. */
    synchronized Optional<Link.Saved> saved(Link.Ack ack) {
        Link link = ack.link();
        return byStream.get(link.stream()) == link ? Optional.of(link.saved(ack.acked())) : Optional.empty();
    }

    /** Goes to what was saved, after another instance changed it. */
    synchronized void reload(Collection<Link.Saved> saved) {
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
