package dev.holdfast.mcp.streamable;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.http.Json;
import dev.holdfast.mcp.McpProblem;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpStreamableServerSession;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/**
 * The sessions in memory, and the way to have one there: from its record, in the store, whoever made it. However many ask for a session at
 * once, it is restored once. The SDK gives each of its sessions an id of its own, which no client sees. Thread-safe.
 */
final class SessionTable {

    private static final Logger LOG = LoggerFactory.getLogger(SessionTable.class);

    private static final int ID_BYTES = 20;
    private static final int EVICTED_FRACTION = 16;
    private static final Duration SETUP_PATIENCE = Duration.ofSeconds(30);

    private final Services services;
    private final McpStreamableServerSession.Factory factory;
    private final SecureRandom random = new SecureRandom();
    private final Map<String, CompletableFuture<LiveSession>> resident = new ConcurrentHashMap<>();

    /** The client's id of a session by the SDK's. */
    private final Map<String, String> external = new ConcurrentHashMap<>();

    SessionTable(Services services, McpStreamableServerSession.Factory factory) {
        this.services = services;
        this.factory = factory;
    }

    /** An id that nobody guesses. */
    String newId() {
        byte[] bytes = new byte[ID_BYTES];
        random.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** The id that clients know a session by, for the SDK's or for itself. */
    String externalId(String sdkOrOwn) {
        return external.getOrDefault(sdkOrOwn, sdkOrOwn);
    }

    /** Stores a session that the SDK has made, and has it in memory. */
    LiveSession create(String id, McpStreamableServerSession sdk, SessionRecord record) {
        requireOpen();
        makeRoom(1);
        long version = services.sessions().create(id, record);
        LiveSession session = wired(id, sdk, new SessionStore.Stored(record, version, services.wallMillis()));
        resident.put(id, CompletableFuture.completedFuture(session));
        if (services.closed().get()) {
            letGo(session);
            throw closing();
        }
        return session;
    }

    private void requireOpen() {
        if (services.closed().get()) {
            throw closing();
        }
    }

    private LiveSession wired(String id, McpStreamableServerSession sdk, SessionStore.Stored stored) {
        LiveSession session = new LiveSession(services, id, sdk, stored);
        external.put(sdk.getId(), id);
        var unused = sdk.listeningStream(new LogTransport(services.mapper(), session.standalone()::send));
        return session;
    }

    /**
     * Enters a session, which is restored if it is not in memory; leave it afterwards.
     *
     * @param principal the name of who asks, or null for whomever it belongs to
     * @throws McpProblem 404 if there is none, or it is somebody else's, which must look the same
     */
    LiveSession enter(String id, @Nullable String principal) {
        while (true) {
            requireOpen();
            CompletableFuture<LiveSession> mine = new CompletableFuture<>();
            CompletableFuture<LiveSession> known = resident.putIfAbsent(id, mine);
            LiveSession session = known == null ? restored(id, mine) : caughtUp(join(known));
            if (principal != null && !session.record().principal().equals(principal)) {
                throw unknown();
            }
            if (!services.nodes().isCluster() && session.isOver() && session.retire()) {
                boolean unused = services.sessions().delete(id); // its record lives a little longer
                forget(session);
                throw unknown();
            }
            if (session.enter()) {
                if (services.closed().get()) { // perhaps it came too late to be let go with the others
                    session.leave();
                    letGo(session);
                    throw closing();
                }
                session.touch();
                return session;
            }
            session.awaitForgotten();
        }
    }

    /** In a cluster other nodes may have changed what is stored of it, or deleted it; there its record alone says whether it is over. */
    private LiveSession caughtUp(LiveSession session) {
        if (services.nodes().isCluster()) {
            Optional<SessionStore.Stored> stored = services.sessions().find(session.id());
            if (stored.isEmpty()) {
                deletedElsewhere(session);
                throw unknown();
            }
            session.catchUp(stored.get()).forEach(request -> setUp(session.sdk(), request));
        }
        return session;
    }

    /** Another node changed what is stored of a session. One that has subscriptions is in memory everywhere, to be told of changes. */
    void changedElsewhere(String id) {
        try {
            if (isResident(id) || hasSubscriptions(id)) {
                enter(id, null).leave();
            }
        } catch (McpProblem e) {
            LOG.debug("A session that was changed is not had here: {}", e.getMessage());
        }
    }

    private boolean hasSubscriptions(String id) {
        return !isFull()
                && services.sessions()
                        .find(id)
                        .filter(stored -> !stored.record().subscriptions().isEmpty())
                        .isPresent();
    }

    /** Another node deleted a session: what runs of it here is stopped, and what it has stored since is deleted, too. */
    void deletedElsewhere(String id) {
        CompletableFuture<LiveSession> known = resident.get(id);
        LiveSession session = known == null || known.isCompletedExceptionally() ? null : known.getNow(null);
        if (session != null) {
            deletedElsewhere(session);
            int unused = services.events().clear(id);
        }
    }

    private void deletedElsewhere(LiveSession session) {
        if (session.retireForGood()) {
            forget(session);
        }
        session.connections().end();
    }

    /** Enters a session that is in memory; leave it afterwards. */
    Optional<LiveSession> resident(String id) {
        CompletableFuture<LiveSession> known = resident.get(id);
        if (known == null || known.isCompletedExceptionally()) {
            return Optional.empty();
        }
        return Optional.ofNullable(known.getNow(null)).filter(LiveSession::enter);
    }

    private static LiveSession join(CompletableFuture<LiveSession> session) {
        try {
            return session.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }

    private LiveSession restored(String id, CompletableFuture<LiveSession> promised) {
        try {
            SessionStore.Stored stored = services.sessions().find(id).orElseThrow(SessionTable::unknown);
            makeRoom(0); // it is in the table already
            LiveSession session = restore(id, stored);
            promised.complete(session);
            return session;
        } catch (RuntimeException | Error e) {
            boolean unused = resident.remove(id, promised); // who asks next tries again
            promised.completeExceptionally(e);
            throw e;
        }
    }

    private LiveSession restore(String id, SessionStore.Stored stored) {
        SessionRecord record = stored.record();
        McpStreamableServerSession sdk =
                factory.startSession(initializeRequest(record.initialize())).session();
        LiveSession session = wired(id, sdk, stored);
        SessionLife.setUpOf(record).forEach(request -> setUp(sdk, request));
        LOG.debug("Restored a session of {}", record.principal());
        return session;
    }

    /** Has the SDK's session know what is stored. Its answer goes nowhere. */
    private void setUp(McpStreamableServerSession sdk, McpSchema.JSONRPCRequest request) {
        if (request.method().equals(SessionLife.SET_LEVEL)) {
            if (request.params() instanceof Map<?, ?> parameters) {
                level(String.valueOf(parameters.get("level"))).ifPresent(sdk::setMinLoggingLevel);
            }
            return;
        }
        LogTransport nowhere = new LogTransport(services.mapper(), message -> CompletableFuture.completedFuture(null));
        sdk.responseStream(nowhere).handle(request).block(SETUP_PATIENCE);
    }

    private Optional<McpSchema.LoggingLevel> level(String name) {
        try {
            return Optional.ofNullable(services.mapper().convertValue(name, McpSchema.LoggingLevel.class));
        } catch (RuntimeException e) {
            return Optional.empty();
        }
    }

    /**
     * @throws McpProblem 400 if these are no parameters of the request
     */
    McpSchema.InitializeRequest initializeRequest(JsonNode parameters) {
        try {
            return services.mapper()
                    .readValue(
                            Json.MAPPER.writeValueAsBytes(parameters), new TypeRef<McpSchema.InitializeRequest>() {});
        } catch (IOException | RuntimeException e) {
            throw McpProblem.of(
                            400,
                            McpProblem.INVALID_REQUEST,
                            "The parameters of initialize are not valid: " + e.getMessage())
                    .because("invalid-initialize");
        }
    }

    McpStreamableServerSession.McpStreamableServerSessionInit start(McpSchema.InitializeRequest request) {
        return factory.startSession(request);
    }

    /** Whether this process writes the stream. */
    boolean isOwn(String id, String stream) {
        CompletableFuture<LiveSession> session = resident.get(id);
        return session != null
                && session.isDone()
                && !session.isCompletedExceptionally()
                && session.join().calls().isOwn(stream);
    }

    boolean isResident(String id) {
        return resident.containsKey(id);
    }

    static McpProblem unknown() {
        return McpProblem.of(
                        404,
                        McpProblem.NO_SESSION,
                        "There is no such session; it was ended or expired. Begin a new one with initialize.")
                .because("session-not-found");
    }

    static McpProblem closing() {
        return McpProblem.of(503, McpProblem.INTERNAL_ERROR, "This server is closing.")
                .because("not-serving")
                .retryAfter(StreamableLimits.RETRY_AFTER_SECONDS);
    }

    /** Why a session that was entered can be used no more. Streams that were stored meanwhile are deleted with it, or left for recovery. */
    McpProblem gone(LiveSession session) {
        if (!session.isDeleted()) {
            return closing();
        }
        int unused = services.events().clear(session.id());
        return unknown();
    }

    /** Whether another session could only be had by letting one go. */
    boolean isFull() {
        return resident.size() >= services.settings().limits().maxSessions();
    }

    /**
     * Lets sessions that nobody uses go from memory, if there are too many: all whose life is over; then, least recently used first, those that
     * come back as if nothing had been; and only if there are none, those that are told of nothing until they are back.
     */
    private void makeRoom(int more) {
        int max = services.settings().limits().maxSessions();
        if (resident.size() + more <= max) {
            return;
        }
        int wanted = Math.max(1, max / EVICTED_FRACTION);
        List<LiveSession> idle = new ArrayList<>();
        resident.values().forEach(session -> {
            if (session.isDone() && !session.isCompletedExceptionally()) {
                idle.add(session.join());
            }
        });
        idle.sort(Comparator.comparingLong(LiveSession::usedAt));
        int evicted = evict(idle, Integer.MAX_VALUE, LiveSession::isOver);
        if (evicted == 0) {
            evicted = evict(
                    idle, wanted, session -> session.record().subscriptions().isEmpty());
        }
        if (evicted == 0) {
            evicted = evict(idle, wanted, session -> true);
        }
        if (evicted == 0) {
            throw McpProblem.of(
                            503,
                            McpProblem.INTERNAL_ERROR,
                            "This server has %d sessions in use at once. Come back a little later.".formatted(max))
                    .because("too-many-sessions")
                    .retryAfter(StreamableLimits.RETRY_AFTER_SECONDS);
        }
    }

    private int evict(List<LiveSession> sessions, int most, Predicate<LiveSession> which) {
        int evicted = 0;
        for (LiveSession session : sessions) {
            if (evicted < most && which.test(session) && session.retire()) {
                forget(session);
                evicted++;
            }
        }
        return evicted;
    }

    /** Ends a session for good: nobody finds it afterwards, and all that was stored of it is deleted. */
    void delete(LiveSession session) {
        boolean unused = services.sessions().delete(session.id());
        if (session.retireForGood()) {
            forget(session);
        }
        session.connections().end();
        services.nodes().deleted(session.id());
        int streams = services.events().clear(session.id());
        LOG.debug("A session was deleted with {} streams", streams);
    }

    /** Takes a session that is out of use out of memory. */
    void forget(LiveSession session) {
        session.calls().abandon();
        external.remove(session.sdk().getId());
        resident.computeIfPresent(
                session.id(), (id, known) -> known.isDone() && known.getNow(null) == session ? null : known);
        session.forgotten();
        try {
            session.sdk().close();
        } catch (HoldfastException e) {
            LOG.debug("A session was closed with an error", e);
        }
    }

    /** Lets all go. */
    void close() {
        resident.values().forEach(known -> {
            LiveSession session = known.isCompletedExceptionally() ? null : known.getNow(null);
            if (session != null) {
                letGo(session);
            }
        });
    }

    private void letGo(LiveSession session) {
        if (session.retireNow()) {
            session.connections().abort();
            forget(session);
        }
    }
}
