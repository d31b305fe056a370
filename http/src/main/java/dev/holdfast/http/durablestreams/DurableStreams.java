package dev.holdfast.http.durablestreams;

import dev.holdfast.Holdfast;
import dev.holdfast.access.Action;
import dev.holdfast.access.Authorizer;
import dev.holdfast.access.Principal;
import dev.holdfast.access.Resource;
import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.http.Exchange;
import dev.holdfast.http.Headers;
import dev.holdfast.http.HttpProblem;
import dev.holdfast.http.Locations;
import dev.holdfast.http.Mount;
import dev.holdfast.http.RequestHead;
import dev.holdfast.http.Router.Identify;
import dev.holdfast.http.durablestreams.DurableStreamsSettings.Origins;
import dev.holdfast.stream.Retention;
import dev.holdfast.stream.StreamStatus;
import java.io.IOException;

/**
 * The Durable Streams protocol (PROTOCOL.md 1.0 of durable-streams, as its conformance suite 0.3.6 has it), mounted under one path. A stream of
 * the protocol is a stream of the tenant by the name that follows the mount; what is appended here is read by every other wire, and the other
 * way round. In a byte stream one request is one chunk; in a JSON stream each message is one, with the bytes it was sent with.
 *
 * <p>The streams of turns are not served: they belong to their turns, and pages of any origin may call here. Thread-safe.
 */
public final class DurableStreams implements Mount {

    /** Names that begin with it are of the protocol itself. */
    private static final String RESERVED = "__ds";

    /** The one reserved path that pages of any origin may read. */
    private static final String PUBLIC_KEYS = "/jwks.json";

    private final Holdfast holdfast;
    private final Authorizer authorizer;
    private final DurableStreamsSettings settings;
    private final CreateStream create;
    private final AppendToStream append;
    private final ReadStream read;
    private final ReservedPaths reserved;

    public DurableStreams(Holdfast holdfast, Authorizer authorizer, DurableStreamsSettings settings) {
        this(holdfast, authorizer, settings, ReservedPaths.none());
    }

    /**
     * @param reserved answers the paths that the protocol keeps for itself
     */
    public DurableStreams(
            Holdfast holdfast, Authorizer authorizer, DurableStreamsSettings settings, ReservedPaths reserved) {
        this.reserved = reserved;
        this.holdfast = holdfast;
        this.authorizer = authorizer;
        this.settings = settings;
        InFlight inFlight = new InFlight(settings.maxInFlightBytes());
        this.create = new CreateStream(settings, inFlight);
        this.append = new AppendToStream(settings.maxBodyBytes(), inFlight);
        this.read = new ReadStream(settings, inFlight);
    }

    @Override
    public String prefix() {
        return settings.prefix();
    }

    @Override
    public boolean anyOrigin(String rawPath) {
        return settings.origins() == Origins.ANY && (!isReserved(rawPath) || isPublicKeys(rawPath));
    }

    /** The one path below the reserved ones that everybody may read; a subscription may have the same last segment. */
    private boolean isPublicKeys(String rawPath) {
        return rawPath.equals(settings.prefix() + "/" + RESERVED + PUBLIC_KEYS);
    }

    private boolean isReserved(String rawPath) {
        int from = settings.prefix().length() + 1;
        return rawPath.startsWith(RESERVED, from)
                && (rawPath.length() == from + RESERVED.length() || rawPath.charAt(from + RESERVED.length()) == '/');
    }

    @Override
    public Exchange dress(Exchange exchange) {
        return new DressedExchange(exchange, anyOrigin(exchange.head().rawPath()) ? Wire.ANY_BROWSER : Wire.BROWSER);
    }

    @Override
    public void answer(Exchange exchange, Identify identify) throws IOException, InterruptedException {
        try {
            route(exchange, identify);
        } catch (HoldfastException e) {
            if (exchange.responding()) {
                throw e;
            }
            throw new HttpProblem(WireErrors.of(e));
        }
    }

    private void route(Exchange exchange, Identify identify) throws IOException, InterruptedException {
        RequestHead head = exchange.head();
        if (head.method().equals("OPTIONS")) {
            exchange.answer(204, new Headers().add(Wire.PREFLIGHT), Wire.NOTHING);
            return;
        }
        if (isReserved(head.rawPath())) {
            reserved.answer(exchange, identify, new Locations(settings.proxy()).root(head) + settings.prefix());
            return;
        }
        String name = StreamName.of(head.rawPath(), settings.prefix().length() + 1);
        Principal principal = identify.of(head);
        if (name.equals(RESERVED) || name.startsWith(RESERVED + "/")) {
            throw HttpProblem.noSuchRoute(head.rawPath());
        }
        StreamCall call = new StreamCall(exchange, name, holdfast.streams(principal.tenant()));
        switch (head.method()) {
            case "GET" -> {
                allow(principal, Action.READ, name);
                read.answer(call);
            }
            case "POST" -> {
                allow(principal, Action.WRITE, name);
                append.answer(call);
            }
            case "PUT" -> {
                allow(principal, Action.WRITE, name);
                create.answer(call, source -> allow(principal, Action.READ, source));
            }
            case "HEAD" -> {
                allow(principal, Action.READ, name);
                describe(call);
            }
            case "DELETE" -> {
                allow(principal, Action.DELETE, name);
                delete(call);
            }
            default -> throw HttpProblem.methodNotAllowed(head.method(), "GET, HEAD, POST, PUT, DELETE, OPTIONS");
        }
    }

    private void allow(Principal principal, Action action, String name) {
        authorizer.authorize(principal, action, new Resource.OneStream(name));
    }

    private static void describe(StreamCall call) throws IOException {
        StreamStatus status = call.streams().status(call.name()).orElseThrow(() -> new StreamNotFound(call.name()));
        Headers headers = new Headers()
                .add("Content-Type", status.contentType())
                .add(Wire.NEXT_OFFSET, StreamOffset.of(status.tail()));
        if (status.ttl() != null) {
            headers.add(Wire.TTL, Long.toString(status.ttl().toSeconds()));
        } else if (status.expiresAt() != null) {
            headers.add(Wire.EXPIRES_AT, status.expiresAt().toString());
        }
        if (status.settled()) {
            headers.add(Wire.CLOSED, Wire.TRUE);
        }
        Retention kept = status.retention();
        if (kept != null && kept.maxAge() != null) {
            headers.add(Wire.RETENTION_SECONDS, Long.toString(kept.maxAge().toSeconds()));
        }
        if (kept != null && kept.maxBytes() > 0) {
            headers.add(Wire.RETENTION_BYTES, Long.toString(kept.maxBytes()));
        }
        if (status.firstSeq() > 0) {
            headers.add(Wire.FIRST_OFFSET, StreamOffset.of(status.firstSeq()));
        }
        call.exchange().respond(200, headers.add(Wire.NO_STORE)).flush();
    }

    private static void delete(StreamCall call) throws IOException {
        if (!call.streams().delete(call.name())) {
            throw new StreamNotFound(call.name());
        }
        call.exchange().answer(204, new Headers().add(Wire.NO_STORE), Wire.NOTHING);
    }
}
