package dev.holdfast.http;

import static dev.holdfast.http.Patience.await;

import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A server with WebSockets, and its clients: what the contract of them needs. Over real sockets, with the JDK's client. */
public abstract class WebSocketFixture {

    protected final LinkedBlockingQueue<Talk> begun = new LinkedBlockingQueue<>();

    /** Makes the server under test. */
    protected abstract HttpListener.Factory factory();

    /** The path below which it serves the handler, without a slash at its end. */
    protected abstract String mount();

    /** What a client sees when the exchange is aborted. The JDK's client sometimes overlooks that a connection ended, so another one looks. */
    protected abstract int cut();

    protected final RunningServer start(Trust trust, HttpLimits limits) throws IOException {
        return RunningServer.start(this::routes, trust, limits, factory());
    }

    protected final RunningServer start() throws IOException {
        return start(Trust.loopback("default"), HttpLimits.defaults());
    }

    private void routes(Router.Builder routes) {
        routes.addUpgrading("GET", "/talk", call -> upgrade(call.exchange()));
        routes.addUpgrading("GET", "/late-failure", call -> {
            upgrade(call.exchange());
            throw HttpProblem.badRequest("too late");
        });
        routes.addUpgrading(
                "GET",
                "/no-opening",
                call -> call.exchange().upgrade(new Upgrade(null, Talk.MAX_BYTES, (socket, wake) -> {
                    throw new IllegalStateException("expected by the test");
                })));
        routes.addUpgrading("GET", "/aborted", call -> {
            upgrade(call.exchange());
            call.exchange().abort();
        });
        routes.addUpgrading(
                "GET",
                "/who",
                call -> call.exchange().upgrade(new Upgrade(null, 1, (socket, wake) -> {
                    Talk talk = new Talk(call.exchange(), socket, wake);
                    talk.send(call.principal().name());
                    return talk;
                })));
        routes.add(
                "GET",
                "/thread",
                call -> Answers.json(
                        call.exchange(),
                        200,
                        Json.MAPPER
                                .createObjectNode()
                                .put("virtual", Thread.currentThread().isVirtual())));
        routes.mount(new AnyOrigin());
    }

    private void upgrade(Exchange exchange) {
        String chosen =
                Handshake.choose(exchange.head(), List.of("talk.v2", "talk.v1")).orElse(null);
        exchange.upgrade(new Upgrade(chosen, Talk.MAX_BYTES, (socket, wake) -> {
            Talk talk = new Talk(exchange, socket, wake);
            begun.add(talk);
            return talk;
        }));
    }

    /** A wire that any page may call. */
    private final class AnyOrigin implements Mount {
        @Override
        public String prefix() {
            return "/any";
        }

        @Override
        public boolean anyOrigin(String rawPath) {
            return true;
        }

        @Override
        public boolean mayUpgrade(String rawPath) {
            return true;
        }

        @Override
        public Exchange dress(Exchange exchange) {
            return exchange;
        }

        @Override
        public void answer(Exchange exchange, Router.Identify identify) {
            upgrade(exchange);
        }
    }

    protected final String at(String path) {
        return mount() + path;
    }

    protected final URI uri(RunningServer server, String path) {
        return URI.create("ws://127.0.0.1:" + server.port() + at(path));
    }

    protected final Talk begun() throws InterruptedException {
        Talk talk = begun.poll(2, TimeUnit.MINUTES);
        if (talk == null) {
            throw new AssertionError("Nothing was opened");
        }
        return talk;
    }

    protected static void awaitNone(RunningServer server) {
        await().until(() -> server.door().open().count() == 0);
    }
}
