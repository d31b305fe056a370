package dev.holdfast.mcp.streamable;

import dev.holdfast.session.Properties;
import dev.holdfast.session.Property;
import dev.holdfast.session.PropertyPage;
import dev.holdfast.session.PropertyWrite;
import dev.holdfast.session.SessionLimits;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** The stored sessions: a property each, which expires by itself. Thread-safe; what a method wrote is durable when it returns. */
final class SessionStore {

    private static final String PREFIX = "mcp/session/";

    private final Properties properties;

    /** Longer than the life itself by as much as may pass until it is written again, so that no life is shortened. */
    private final Duration writtenLife;

    private final StoredCount count;

    SessionStore(Properties properties, StreamableSettings settings) {
        Duration life = settings.sessionLife();
        this.properties = properties;
        this.count = new StoredCount(settings, this::count);
        this.writtenLife = life.plus(life.dividedBy(10)).plusMillis(1);
    }

    /**
     * A record as it is stored.
     *
     * @param writtenAt when it was written, wall clock, ms; 0 if that is not known
     */
    record Stored(SessionRecord record, long version, long writtenAt) {}

    /**
     * @throws dev.holdfast.mcp.McpProblem 503 if too many are stored
     */
    long create(String id, SessionRecord record) {
        count.take();
        boolean stored = false;
        try {
            long version = properties.put(
                    PropertyWrite.of(PREFIX + id, record.toBytes()).ifAbsent().expiresAfter(writtenLife));
            stored = true;
            return version;
        } finally {
            if (!stored) {
                count.give();
            }
        }
    }

    private int count() {
        return pages(property -> {});
    }

    Optional<Stored> find(String id) {
        return properties.get(PREFIX + id).map(SessionStore::stored);
    }

    /**
     * @throws dev.holdfast.error.HoldfastException.PreconditionFailed if it was changed meanwhile or is gone
     */
    long update(String id, SessionRecord record, long version) {
        return properties.put(PropertyWrite.of(PREFIX + id, record.toBytes())
                .ifVersion(version)
                .expiresAfter(writtenLife));
    }

    boolean delete(String id) {
        boolean deleted = properties.delete(PREFIX + id);
        if (deleted) {
            count.give();
        }
        return deleted;
    }

    /** Looks at each, and so counts them for who begins the next. */
    void forEach(BiConsumer<String, SessionRecord> each) {
        count.counted(pages(property -> each.accept(
                property.name().substring(PREFIX.length()), stored(property).record())));
    }

    /** Returns how many there are. */
    private int pages(Consumer<Property> each) {
        int sessions = 0;
        String after = "";
        while (true) {
            PropertyPage page = properties.list(PREFIX, after, SessionLimits.MAX_PAGE);
            page.properties().forEach(each);
            sessions += page.properties().size();
            if (page.nextPage().isEmpty()) {
                return sessions;
            }
            after = page.nextPage().get();
        }
    }

    private static Stored stored(Property property) {
        return new Stored(SessionRecord.parse(property.value()), property.version(), 0);
    }
}
