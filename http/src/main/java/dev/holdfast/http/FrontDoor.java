package dev.holdfast.http;

import dev.holdfast.access.Principal;
import dev.holdfast.error.HoldfastException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What every request passes: the bound on exchanges, the checks of {@link Trust}, the router, and the one place where errors become
 * responses. An error before the response began is answered as problem+json; one after it aborts the exchange, since a response cut short
 * must never look like a whole one. Thread-safe.
 */
public final class FrontDoor implements HttpHandler {

    private static final Logger LOG = LoggerFactory.getLogger(FrontDoor.class);

    private final Router router;
    private final Trust trust;
    private final int maxExchanges;
    private final OpenExchanges open;

    public FrontDoor(Router router, Trust trust, HttpLimits limits) {
        this.router = router;
        this.trust = trust;
        this.maxExchanges = limits.maxExchanges();
        this.open = new OpenExchanges(limits.maxExchanges());
    }

    public OpenExchanges open() {
        return open;
    }

    @Override
    public void handle(Exchange plain) throws IOException {
        Mount mount = router.mountOf(plain.head().rawPath());
        Exchange exchange = mount == null ? plain : mount.dress(plain);
        if (!open.enter(plain)) {
            answer(exchange, HttpProblem.tooManyExchanges(maxExchanges).problem());
            return;
        }
        try {
            boolean unused = answering(exchange, () -> {
                admit(exchange, mount);
                return false;
            });
        } finally {
            if (!plain.goesOnApart()) {
                open.leave(plain);
            }
        }
    }

    @Override
    public boolean mayUpgrade(RequestHead head) {
        return router.mayUpgrade(head);
    }

    @Override
    public boolean goOn(Exchange plain, Exchange.Rest rest, Runnable wake) throws IOException {
        boolean more = false;
        try {
            open.goesOn(plain);
            more = answering(plain, () -> rest.goOn(wake));
        } finally {
            if (more) {
                open.rests(plain);
            } else {
                end(plain, rest);
            }
        }
        return more;
    }

    private void end(Exchange plain, Exchange.Rest rest) {
        try {
            rest.close();
        } finally {
            open.leave(plain);
        }
    }

    /** Some of an exchange. */
    @FunctionalInterface
    private interface Part {
        /** Returns whether another part may follow. */
        boolean run() throws IOException, InterruptedException;
    }

    /** Runs a part of an exchange and answers what it throws. Returns whether another part may follow. */
    private static boolean answering(Exchange exchange, Part part) throws IOException {
        try {
            return part.run();
        } catch (HttpProblem e) {
            answer(exchange, e.problem());
        } catch (HoldfastException e) {
            Problem problem = ProblemTable.of(e);
            if (problem.status() == 500) {
                LOG.error(
                        "{} {} failed",
                        exchange.head().method(),
                        exchange.head().rawPath(),
                        e);
            }
            answer(exchange, problem);
        } catch (IOException e) {
            LOG.debug("The client of {} is gone", exchange.head().rawPath(), e);
            exchange.abort();
        } catch (InterruptedException e) {
            exchange.abort();
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.error(
                    "{} {} failed by a defect",
                    exchange.head().method(),
                    exchange.head().rawPath(),
                    e);
            answer(exchange, ProblemTable.DEFECT);
        }
        return false;
    }

    private void admit(Exchange exchange, @Nullable Mount mount) throws IOException, InterruptedException {
        RequestHead head = exchange.head();
        trust.checkHost(head);
        if (mount != null && mount.anyOrigin(head.rawPath()) && !Handshake.isAsked(head)) {
            mount.answer(exchange, trust::identify);
            return;
        }
        Optional<String> foreign = trust.foreignOrigin(head);
        Exchange admitted = foreign.isEmpty() ? exchange : new CrossOrigin(exchange, foreign.get());
        if (mount != null) {
            mount.answer(admitted, trust::identify);
        } else if (foreign.isPresent()
                && head.method().equals("OPTIONS")
                && head.value("Access-Control-Request-Method") != null) {
            Answers.empty(exchange, 204, preflight(foreign.get()));
        } else {
            router.route(admitted, trust::identify, anybody());
        }
    }

    private Principal anybody() {
        return Principal.anonymous(trust.tenant());
    }

    private static void answer(Exchange exchange, Problem problem) throws IOException {
        if (exchange.responding()) {
            exchange.abort();
        } else {
            Answers.problem(exchange, problem);
        }
    }

    private static Headers preflight(String origin) {
        return shared(new Headers(), origin)
                .set("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE")
                .set(
                        "Access-Control-Allow-Headers",
                        "Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-AI-SDK-Version, X-Api-Key")
                .set("Access-Control-Max-Age", "600");
    }

    /** Credentials as well: beacons are always sent with them, and lost without this. */
    private static Headers shared(Headers headers, String origin) {
        return headers.set("Access-Control-Allow-Origin", origin)
                .set("Access-Control-Allow-Credentials", "true")
                .set("Access-Control-Expose-Headers", "Location, Mcp-Session-Id, Retry-After")
                .add("Vary", "Origin");
    }

    /** An exchange whose response a page of another origin may read. */
    private record CrossOrigin(Exchange inner, String origin) implements Exchange {

        @Override
        public RequestHead head() {
            return inner.head();
        }

        @Override
        public InputStream body() {
            return inner.body();
        }

        @Override
        public Sink respond(int status, Headers headers) {
            return inner.respond(status, shared(headers, origin));
        }

        @Override
        public void answer(int status, Headers headers, byte[] body) throws IOException {
            inner.answer(status, shared(headers, origin), body);
        }

        @Override
        public void goOnApart(Rest rest) throws IOException, InterruptedException {
            inner.goOnApart(rest);
        }

        @Override
        public void upgrade(Upgrade upgrade) {
            inner.upgrade(upgrade);
        }

        @Override
        public boolean responding() {
            return inner.responding();
        }

        @Override
        public void abort() {
            inner.abort();
        }

        @Override
        public boolean gone() {
            return inner.gone();
        }
    }
}
