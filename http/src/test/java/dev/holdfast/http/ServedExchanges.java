package dev.holdfast.http;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;

/** A server that is bound to the port, with routes that do what an {@link Exchange} can, and what a test needs to talk to it. */
public abstract class ServedExchanges {

    final CountDownLatch release = new CountDownLatch(1);
    final LinkedBlockingQueue<Exchange> arrived = new LinkedBlockingQueue<>();

    /** Makes the server under test. */
    protected abstract HttpListener.Factory factory();

    /** The path below which it serves the handler, without a slash at its end. */
    protected String mount() {
        return "";
    }

    /** More exchanges than a server's pool of threads runs unless told otherwise. */
    protected int manyExchanges() {
        return 300;
    }

    protected final RunningServer start() throws IOException {
        return start(HttpLimits.defaults());
    }

    protected final RunningServer start(HttpLimits limits) throws IOException {
        return RunningServer.start(this::routes, Trust.loopback("default"), limits, factory());
    }

    static Exchange.Sink begin(Exchange exchange) {
        return exchange.respond(200, new Headers().set("Content-Type", "text/plain"));
    }

    private void routes(Router.Builder routes) {
        routes.add("GET", "/abort", call -> {
            begin(call.exchange()).write("half".getBytes(StandardCharsets.UTF_8));
            call.exchange().abort();
        });
        routes.add("GET", "/abort-before", call -> call.exchange().abort());
        routes.add("GET", "/defect-in-between", call -> {
            begin(call.exchange()).write("half".getBytes(StandardCharsets.UTF_8));
            throw new IllegalStateException("expected by the test");
        });
        routes.add("GET", "/wait", call -> {
            begin(call.exchange()).flush();
            arrived.add(call.exchange());
            release.await();
        });
        routes.add("GET", "/endless", call -> {
            Exchange.Sink sink = begin(call.exchange());
            arrived.add(call.exchange());
            byte[] block = new byte[64 << 10];
            while (true) {
                sink.write(block);
            }
        });
        routes.add("GET", "/steps", call -> {
            Exchange.Sink sink = begin(call.exchange());
            sink.write("one".getBytes(StandardCharsets.UTF_8));
            sink.flush();
            release.await();
            sink.write("two".getBytes(StandardCharsets.UTF_8));
        });
        routes.add("POST", "/echo", call -> {
            byte[] body = Bodies.read(call.exchange(), 1 << 20);
            begin(call.exchange()).write(body);
        });
        routes.add(
                "POST", "/object", call -> Answers.json(call.exchange(), 200, Bodies.readObject(call.exchange(), 100)));
        routes.add("GET", "/quick", call -> Answers.json(call.exchange(), 200, Json.MAPPER.createObjectNode()));
        routes.add("HEAD", "/quick", call -> Answers.json(call.exchange(), 200, Json.MAPPER.createObjectNode()));
        routes.add("DELETE", "/quick", call -> Answers.empty(call.exchange(), 204, new Headers()));
        routes.add("GET", "/names/{name}", call -> seen(call, call.path("name")));
        routes.add(
                "GET",
                "/head",
                call -> seen(
                        call,
                        String.join(
                                "|",
                                call.exchange().head().method(),
                                String.valueOf(call.exchange().head().rawQuery()),
                                String.join(
                                        ",", call.exchange().head().headers().all("x-Several")),
                                call.exchange().head().scheme(),
                                call.exchange().head().remoteAddress(),
                                String.valueOf(call.exchange().head().remoteUser()))));
    }

    private static void seen(Call call, String text) throws IOException {
        Headers headers = new Headers().add("X-Several", "one").add("X-Several", "two");
        Answers.json(
                call.exchange(), 200, headers, Json.MAPPER.createObjectNode().put("seen", text));
    }

    final String at(String path) {
        return mount() + path;
    }

    final String line(String method, String path) {
        return method + " " + at(path) + " HTTP/1.1\r\nHost: localhost\r\n";
    }

    protected static HttpClient client(HttpClient.Version version) {
        return HttpClient.newBuilder().version(version).build();
    }

    static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** What arrives up to the end of a response's head. */
    static String head(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        for (int c = in.read(); c >= 0 && head.indexOf("\r\n\r\n") < 0; c = in.read()) {
            head.append((char) c);
        }
        return head.toString();
    }
}
