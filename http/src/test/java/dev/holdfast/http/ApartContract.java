package dev.holdfast.http;

import static dev.holdfast.http.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What {@link Exchange#goOnApart} promises, of every server that it is bound to. */
public abstract class ApartContract extends ServedExchanges {

    private static final String END = "end";

    protected final LinkedBlockingQueue<Parts> begun = new LinkedBlockingQueue<>();

    /** Whether an exchange that rests has no thread. */
    protected boolean restsWithoutThread() {
        return true;
    }

    /** Writes texts that come from outside. */
    protected static final class Parts implements Exchange.Rest {
        private final Exchange exchange;
        private final Exchange.Sink sink;
        private final Queue<String> texts = new ConcurrentLinkedQueue<>();
        private final AtomicInteger inside = new AtomicInteger();
        private volatile @Nullable Runnable wake;
        final AtomicInteger closed = new AtomicInteger();
        volatile @Nullable Thread thread;
        volatile @Nullable String wrong;

        Parts(Exchange exchange, Exchange.Sink sink) {
            this.exchange = exchange;
            this.sink = sink;
        }

        void send(String text) {
            texts.add(text);
            Runnable asked = wake;
            if (asked != null) { // else the first part is still to come
                asked.run();
            }
        }

        @Override
        public boolean goOn(Runnable asked) throws IOException {
            if (inside.getAndIncrement() != 0) {
                wrong = "two threads at once";
            }
            try {
                wake = asked;
                thread = Thread.currentThread();
                for (String text = texts.poll(); text != null; text = texts.poll()) {
                    if (text.equals(END)) {
                        return false;
                    }
                    sink.write(text.getBytes(StandardCharsets.US_ASCII));
                    sink.flush();
                }
                if (exchange.gone()) {
                    throw new IOException("The client is gone");
                }
                return true;
            } finally {
                inside.getAndDecrement();
            }
        }

        @Override
        public void close() {
            closed.incrementAndGet();
        }

        void awaitClosed() {
            await().until(() -> closed.get() > 0);
            assertThat(closed).hasValue(1);
            assertThat(wrong).isNull();
        }
    }

    private RunningServer startParts() throws IOException {
        return RunningServer.start(
                routes -> routes.add("GET", "/parts", call -> {
                    Exchange exchange = call.exchange();
                    Exchange.Sink sink = begin(exchange);
                    sink.flush();
                    Parts parts = new Parts(exchange, sink);
                    begun.add(parts);
                    exchange.goOnApart(parts);
                }),
                Trust.loopback("default"),
                HttpLimits.defaults(),
                factory());
    }

    private HttpResponse<InputStream> open(RunningServer server, HttpClient client) throws Exception {
        return client.send(server.request(at("/parts")).build(), HttpResponse.BodyHandlers.ofInputStream());
    }

    @ParameterizedTest
    @EnumSource(
            value = HttpClient.Version.class,
            names = {"HTTP_1_1", "HTTP_2"})
    void what_goes_on_apart_writes_whenever_it_is_woken_and_the_response_ends_with_its_last_part(
            HttpClient.Version version) throws Exception {
        try (RunningServer server = startParts();
                HttpClient client = client(version)) {
            InputStream body = open(server, client).body();
            Parts parts = begun.take();
            for (int i = 0; i < 100; i++) {
                String text = "text %02d".formatted(i);
                parts.send(text);
                assertThat(body.readNBytes(text.length())).asString().isEqualTo(text);
            }
            for (int i = 0; i < 100; i++) {
                parts.send("x"); // together, while it writes and rests
            }
            parts.send(END);
            assertThat(body.readAllBytes()).asString().isEqualTo("x".repeat(100));
            parts.awaitClosed();
            await().until(() -> server.door().open().count() == 0);
        }
    }

    @Test
    void what_rests_holds_no_thread_where_the_binding_can_do_it() throws Exception {
        try (RunningServer server = startParts()) {
            InputStream body = open(server, server.client()).body();
            Parts parts = begun.take();
            for (String text : List.of("a", "b")) {
                parts.send(text);
                assertThat(body.readNBytes(1)).asString().isEqualTo(text);
                if (restsWithoutThread()) {
                    await().until(() -> {
                        Thread last = parts.thread;
                        return last != null && !last.isAlive();
                    });
                }
            }
            assertThat(parts.closed).hasValue(0);
            parts.send(END);
            assertThat(body.readAllBytes()).isEmpty();
            parts.awaitClosed();
        }
    }

    @Test
    void requests_behind_such_responses_may_block_and_hold_up_nobody() throws Exception {
        int many = 40; // more than there are threads for what does not block
        CountDownLatch inside = new CountDownLatch(many);
        CountDownLatch let = new CountDownLatch(1);
        List<Socket> sockets = new ArrayList<>();
        try (RunningServer server = RunningServer.start(
                routes -> {
                    routes.add("GET", "/apart", call -> {
                        Exchange.Sink sink = begin(call.exchange());
                        Parts parts = new Parts(call.exchange(), sink);
                        parts.send("x"); // which makes the response a chunked one
                        parts.send(END);
                        call.exchange().goOnApart(parts);
                    });
                    routes.add("GET", "/hold", call -> {
                        inside.countDown();
                        let.await();
                        Answers.empty(call.exchange(), 204, new Headers());
                    });
                },
                Trust.loopback("default"),
                HttpLimits.defaults(),
                factory())) {
            for (int i = 0; i < many; i++) {
                Socket socket = server.connect();
                sockets.add(socket);
                send(socket, line("GET", "/apart") + "\r\n");
                readTo(socket, "\r\n0\r\n\r\n");
                send(socket, line("GET", "/hold") + "\r\n");
            }
            await().until(() -> inside.getCount() == 0);
            let.countDown();
            for (Socket socket : sockets) {
                assertThat(readTo(socket, "\r\n\r\n")).startsWith("HTTP/1.1 204");
            }
        } finally {
            let.countDown();
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    private static String readTo(Socket socket, String end) throws IOException {
        StringBuilder read = new StringBuilder();
        while (read.indexOf(end) < 0) {
            int next = socket.getInputStream().read();
            if (next < 0) {
                throw new IOException("The connection ended after: " + read);
            }
            read.append((char) next);
        }
        return read.toString();
    }

    @ParameterizedTest
    @EnumSource(
            value = HttpClient.Version.class,
            names = {"HTTP_1_1", "HTTP_2"})
    void the_end_of_the_process_aborts_what_rests(HttpClient.Version version) throws Exception {
        try (RunningServer server = startParts();
                HttpClient client = client(version)) {
            List<InputStream> bodies = new ArrayList<>();
            List<Parts> all = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                bodies.add(open(server, client).body());
                all.add(begun.take());
            }

            server.door().open().abortAll();

            await().until(() -> server.door().open().count() == 0);
            for (InputStream body : bodies) {
                assertThatThrownBy(body::readAllBytes).isInstanceOf(IOException.class);
            }
            all.forEach(Parts::awaitClosed);
        }
    }

    @Test
    void a_client_that_left_while_the_exchange_rested_is_noticed_at_a_write_and_nothing_is_left_of_it()
            throws Exception {
        try (RunningServer server = startParts()) {
            Parts parts;
            try (Socket socket = server.connect()) {
                socket.getOutputStream()
                        .write("GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n"
                                .formatted(at("/parts"))
                                .getBytes(StandardCharsets.US_ASCII));
                assertThat(socket.getInputStream().read()).isPositive();
                parts = begun.take(); // else the handler's own write might be the one that notices
            }
            await().until(() -> {
                parts.send("still there?");
                return parts.closed.get() > 0;
            });
            parts.awaitClosed();
            await().until(() -> server.door().open().count() == 0);
        }
    }
}
