package dev.holdfast.session;

import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.LimitExceeded;
import dev.holdfast.error.HoldfastException.PreconditionFailed;
import dev.holdfast.error.HoldfastException.SessionNotFound;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.session.PropertyWrite.Condition;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.FeedRow;
import dev.holdfast.store.PropertyRow;
import dev.holdfast.store.PropertyRow.Owner;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.StoreReads;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The operations on properties that a command can combine with others into one transaction.
 *
 * <p>For Holdfast's own packages; applications use {@link Properties}. Methods with a {@link CommitScope} belong to the committer's thread,
 * inside a command. Holds no state: what it decides on is read in the transaction that writes.
 */
public final class PropertyEngine {

    private final FeedLog feed;
    private final ExpiryUpkeep upkeep;

    PropertyEngine(FeedLog feed, ExpiryUpkeep upkeep) {
        this.feed = feed;
        this.upkeep = upkeep;
    }

    /** What Holdfast itself keeps is named so; applications neither see nor change it. */
    public static final String RESERVED = "holdfast/";

    static boolean isReserved(String name) {
        return name.startsWith(RESERVED);
    }

    /** A property, unless it is expired. */
    public static Optional<PropertyRow> find(StoreReads reads, Owner owner, String name, long now) {
        return reads.property(owner.encoded(), name).filter(row -> !expired(row, now));
    }

    static boolean expired(PropertyRow row, long now) {
        return row.expiresAt() > 0 && row.expiresAt() <= now;
    }

    /**
     * Writes a property.
     *
     * @return its version
     * @throws PreconditionFailed if the condition does not hold
     * @throws SessionNotFound if the session that is to own it was deleted
     * @throws StreamNotFound if the stream that is to own it is gone
     */
    public long put(CommitScope scope, Owner owner, PropertyWrite write) {
        SessionRow session = checkOwner(scope.reads(), owner);
        if (session == null && write.notice() == PropertyWrite.Notice.IN_FEED) {
            throw new InvalidArgument("Only a session has a feed. Write the property \"" + write.name()
                    + "\" without asking for an event.");
        }
        Optional<PropertyRow> stored = scope.reads().property(owner.encoded(), write.name());
        check(write.name(), write.condition(), stored.filter(row -> !expired(row, scope.now())));
        long version = stored.map(PropertyRow::version).orElse(0L) + 1;
        long deadline = write.life() == null
                ? 0
                : Math.addExact(scope.now(), write.life().toMillis());
        scope.writes().putProperty(new PropertyRow(owner.encoded(), write.name(), version, write.value(), deadline));
        if (deadline > 0) {
            upkeep.arm(scope, deadline);
        }
        tell(scope, session, write.name(), write.notice());
        return version;
    }

    /**
     * Deletes a property.
     *
     * @return false if there was none
     * @throws PreconditionFailed if the condition does not hold
     */
    public boolean delete(
            CommitScope scope, Owner owner, String name, Condition condition, PropertyWrite.Notice notice) {
        Optional<PropertyRow> stored = scope.reads().property(owner.encoded(), name);
        Optional<PropertyRow> visible = stored.filter(row -> !expired(row, scope.now()));
        check(name, condition, visible);
        if (stored.isPresent()) {
            scope.writes().deleteProperty(owner.encoded(), name);
        }
        if (visible.isPresent() && notice == PropertyWrite.Notice.IN_FEED) {
            tell(scope, checkOwner(scope.reads(), owner), name, notice);
        }
        return visible.isPresent();
    }

    /** Makes changes together; see {@link Properties#change}. */
    public List<Long> change(CommitScope scope, Owner owner, List<PropertyChange> changes) {
        for (PropertyChange change : changes) {
            Optional<PropertyRow> visible = find(scope.reads(), owner, change.name(), scope.now());
            check(
                    change.name(),
                    change.condition(),
                    visible); // before the first write, so that a refusal spoils nothing
        }
        List<Long> versions = new ArrayList<>(changes.size());
        for (PropertyChange change : changes) {
            versions.add(
                    switch (change) {
                        case PropertyWrite write -> put(scope, owner, write);
                        case PropertyDeletion gone -> {
                            delete(scope, owner, gone.name(), gone.condition(), gone.notice());
                            yield 0L;
                        }
                    });
        }
        return versions;
    }

    /** Checks the bounds of changes made together, and returns the size of their values. */
    static int checkTogether(List<PropertyChange> changes) {
        if (changes.size() > SessionLimits.MAX_PROPERTY_CHANGES) {
            throw new LimitExceeded(
                    "MAX_PROPERTY_CHANGES",
                    SessionLimits.MAX_PROPERTY_CHANGES,
                    changes.size(),
                    "make them in several steps");
        }
        Set<String> names = new HashSet<>();
        long bytes = 0;
        for (PropertyChange change : changes) {
            if (!names.add(change.name())) {
                throw new InvalidArgument("The property \"%s\" is changed twice in one step.".formatted(change.name()));
            }
            bytes += change instanceof PropertyWrite write ? write.value().length : 0;
        }
        if (bytes > SessionLimits.MAX_PROPERTY_CHANGES_BYTES) {
            throw new LimitExceeded(
                    "MAX_PROPERTY_CHANGES_BYTES",
                    SessionLimits.MAX_PROPERTY_CHANGES_BYTES,
                    bytes,
                    "make the changes in several steps");
        }
        return (int) bytes;
    }

    private void tell(CommitScope scope, @Nullable SessionRow session, String name, PropertyWrite.Notice notice) {
        if (session != null && notice == PropertyWrite.Notice.IN_FEED) {
            feed.append(scope, session, FeedRow.Kind.PROPERTY_CHANGED, null, null, name);
        }
    }

    /** Checks that the owner is there, so that nothing outlives it; returns it if it is a session. */
    private static @Nullable SessionRow checkOwner(StoreReads reads, Owner owner) {
        return switch (owner) {
            case Owner.Tenant tenant -> null;
            case Owner.Session session ->
                reads.session(session.key())
                        .filter(row -> !row.deleted())
                        .orElseThrow(() -> new SessionNotFound("#" + session.key()));
            case Owner.Stream stream -> {
                if (reads.stream(stream.key())
                        .filter(row -> !row.state().isGone())
                        .isEmpty()) {
                    throw new StreamNotFound("#" + stream.key());
                }
                yield null;
            }
        };
    }

    /** Decides whether a condition holds. */
    static void check(String name, Condition condition, Optional<PropertyRow> visible) {
        switch (condition) {
            case Condition.Always always -> {}
            case Condition.Absent absent -> {
                if (visible.isPresent()) {
                    throw new PreconditionFailed("Property \"%s\" is there already, in version %d."
                            .formatted(name, visible.get().version()));
                }
            }
            case Condition.Version wanted -> {
                if (visible.isEmpty() || visible.get().version() != wanted.version()) {
                    throw new PreconditionFailed("Property \"%s\" %s, not version %d. Read it again."
                            .formatted(
                                    name,
                                    visible.map(row -> "has version " + row.version())
                                            .orElse("is not there"),
                                    wanted.version()));
                }
            }
        }
    }

    /** Properties by name; expired ones are left out. */
    static PropertyPage list(StoreReads reads, Owner owner, String prefix, String after, int limit, long now) {
        List<PropertyRow> rows = reads.properties(owner.encoded(), prefix, after, limit);
        List<Property> visible = rows.stream()
                .filter(row -> !expired(row, now))
                .map(Property::of)
                .toList();
        return new PropertyPage(
                visible, rows.size() < limit ? null : rows.getLast().name());
    }
}
