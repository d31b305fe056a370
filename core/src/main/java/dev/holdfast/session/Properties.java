package dev.holdfast.session;

import dev.holdfast.cluster.Far;
import dev.holdfast.cluster.Request;
import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.session.PropertyWrite.Condition;
import dev.holdfast.session.PropertyWrite.Notice;
import dev.holdfast.store.Command;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.PropertyRow.Owner;
import dev.holdfast.store.Shards;
import dev.holdfast.store.StoreReads;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * The properties of one owner, a tenant, session or stream: small named values with a version, for what must be remembered beside the
 * conversation. They are deleted with their owner. An expired property is invisible from its deadline on. Names that begin with
 * {@value PropertyEngine#RESERVED} are Holdfast's own: such properties are not shown, and writing or deleting one is an {@link InvalidArgument}.
 *
 * <p>Thread-safe. What a method wrote is durable when it returns. Methods wait for the disk; call them from virtual threads or threads that
 * may block.
 */
public final class Properties {

    private final Shards<SessionEngine> shards;
    private final Owner owner;

    public Properties(SessionEngine engine, Owner owner) {
        this(Shards.only(engine), owner);
    }

    public Properties(Shards<SessionEngine> shards, Owner owner) {
        this.shards = shards;
        this.owner = owner;
    }

    private <T> T on(Function<SessionEngine, T> call) {
        return switch (owner) {
            case Owner.Tenant tenant -> shards.on(tenant.tenant(), "", call);
            case Owner.Session session -> shards.on(session.key(), call);
            case Owner.Stream stream -> shards.on(stream.key(), call);
        };
    }

    public Optional<Property> get(String name) {
        long now = shards.all().getFirst().streams().time().wallMillis();
        return PropertyEngine.isReserved(name)
                ? Optional.empty()
                : read((reads, mine) -> PropertyEngine.find(reads, mine, name, now))
                        .map(Property::of);
    }

    /** Writes a property, whatever was there. Returns its version. */
    public long put(String name, byte[] value) {
        return put(PropertyWrite.of(name, value));
    }

    /** Writes a property of text, whatever was there. Returns its version. */
    public long put(String name, String value) {
        return put(PropertyWrite.of(name, value));
    }

    /**
     * Writes a property as asked.
     *
     * @return its version
     * @throws HoldfastException.PreconditionFailed if the condition does not hold; nothing was written
     * @throws HoldfastException.SessionNotFound if the owner is a session that was deleted
     * @throws HoldfastException.StreamNotFound if the owner is a stream that is gone
     */
    public long put(PropertyWrite write) {
        checkFree(write.name());
        return execute(
                new SessionCalls.PutProperty(owner, write),
                write.value().length,
                (properties, scope) -> properties.put(scope, owner, write));
    }

    /**
     * Deletes a property.
     *
     * @return false if there was none
     */
    public boolean delete(String name) {
        return delete(name, Condition.ALWAYS, Notice.SILENT);
    }

    /**
     * Deletes a property on a condition.
     *
     * @return false if there was none
     * @throws HoldfastException.PreconditionFailed if the condition does not hold; nothing was changed
     */
    public boolean delete(String name, Condition condition, Notice notice) {
        checkFree(name);
        return execute(
                new SessionCalls.DeleteProperty(owner, name, condition, notice),
                0,
                (properties, scope) -> properties.delete(scope, owner, name, condition, notice));
    }

    /**
     * Makes several changes in one commit: all of them, or none if one of their conditions does not hold as things were before. The notices
     * of a session's feed come in the order of the changes.
     *
     * @param changes at most {@value SessionLimits#MAX_PROPERTY_CHANGES}, with values of at most
     *     {@value SessionLimits#MAX_PROPERTY_CHANGES_BYTES} bytes together, and each property once
     * @return for each change the version written, or 0 if it was a deletion
     * @throws HoldfastException.PreconditionFailed if a condition does not hold; nothing was changed
     * @throws HoldfastException.SessionNotFound if the owner is a session that was deleted
     * @throws HoldfastException.StreamNotFound if the owner is a stream that is gone
     */
    public List<Long> change(List<? extends PropertyChange> changes) {
        List<PropertyChange> all = List.copyOf(changes);
        all.forEach(change -> checkFree(change.name()));
        int bytes = PropertyEngine.checkTogether(all);
        return execute(
                new SessionCalls.ChangeProperties(owner, all),
                bytes,
                (properties, scope) -> properties.change(scope, owner, all));
    }

    /** The first properties whose name starts with this prefix, which may be empty; by name. */
    public PropertyPage list(String prefix, int limit) {
        return list(prefix, "", limit);
    }

    /**
     * Properties whose name starts with a prefix and sorts after another one.
     *
     * @param after {@link PropertyPage#next()} of the page before, or empty
     * @param limit 1 to {@value SessionLimits#MAX_PAGE}
     */
    public PropertyPage list(String prefix, String after, int limit) {
        Sessions.checkPage("properties", limit);
        long now = shards.all().getFirst().streams().time().wallMillis();
        PropertyPage page = read((reads, mine) -> PropertyEngine.list(reads, mine, prefix, after, limit, now));
        List<Property> free = page.properties().stream()
                .filter(property -> !PropertyEngine.isReserved(property.name()))
                .toList();
        return new PropertyPage(free, page.next());
    }

    private static void checkFree(String name) {
        if (PropertyEngine.isReserved(name)) {
            throw new InvalidArgument(
                    "Property names that begin with \"%s\" are Holdfast's own; got \"%s\". Choose another one."
                            .formatted(PropertyEngine.RESERVED, name));
        }
    }

    private <T> T read(BiFunction<StoreReads, Owner, T> work) {
        return on(engine -> engine.streams().store().read(reads -> work.apply(reads, owner)));
    }

    private <T> T execute(
            Request<SessionEngine, T> request, int bytes, BiFunction<PropertyEngine, CommitScope, T> work) {
        return on(engine -> {
            Far far = engine.streams().far();
            if (far != null) {
                return far.ask(request);
            }
            return engine.streams().committer().execute(new Command<T>() {
                @Override
                protected int payloadBytes() {
                    return bytes;
                }

                @Override
                protected T decide(CommitScope scope) {
                    return work.apply(engine.properties(), scope);
                }
            });
        });
    }
}
