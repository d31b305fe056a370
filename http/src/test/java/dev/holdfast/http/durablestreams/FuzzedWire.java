package dev.holdfast.http.durablestreams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.access.Authorizer;
import dev.holdfast.http.Exchange;
import dev.holdfast.http.FrontDoor;
import dev.holdfast.http.Headers;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.ProxyHeaders;
import dev.holdfast.http.RequestHead;
import dev.holdfast.http.Router;
import dev.holdfast.http.Trust;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The wire behind the front door, reached without a socket, so that what a binding would refuse before comes through as well. Requests are put
 * together from good, bad and hostile parts as the dice fall.
 */
final class FuzzedWire implements AutoCloseable {

    /** Where chance comes from. */
    interface Dice {
        /** A number from 0 up to, and without, the bound. */
        int below(int bound);

        String text(int maxChars);
    }

    private static final List<String> METHODS = List.of(
            "GET", "GET", "PUT", "PUT", "POST", "POST", "HEAD", "DELETE", "OPTIONS", "PATCH", "get", "", "G ET");

    /** Whole segments and parts of them. */
    private static final List<String> SEGMENTS = List.of(
            "a",
            "b",
            "a",
            "b",
            "c",
            "%61",
            "",
            ".",
            "..",
            "%2e",
            "%2E%2e",
            ".%2e",
            "%2f",
            "a%2Fb",
            "%5c",
            "\\",
            "%00",
            "\u0000",
            "%0d%0a",
            "a\r\nX: y",
            "%c0%af",
            "%e0%80%af",
            "%ff",
            "%",
            "%4",
            "%zz",
            "a;b=c",
            "a b",
            "a+b",
            "é",
            "%C3%A9",
            "%ED%A0%80",
            "turn",
            "__ds",
            "jwks.json",
            "subscriptions",
            "~",
            "a:b@c",
            "\u202e");

    private static final List<String> QUERIES = List.of(
            "",
            "offset=-1",
            "offset=now",
            "offset=0_1",
            "offset=0_99999999999999999999",
            "offset=",
            "offset=-1&offset=-1",
            "offset=%00",
            "offset=%0d%0a",
            "offset=0_1&live=long-poll",
            "offset=now&live=sse",
            "live=sse",
            "live=x",
            "tail=1",
            "tail=-1",
            "tail=1&live=sse",
            "cursor=" + "9".repeat(300),
            "%",
            "=&&=",
            "a&".repeat(40),
            "off%73et=-1",
            "offset=0%5F1");

    private static final List<String> NAMES = List.of(
            "Content-Type",
            "Content-Type",
            "Content-Length",
            "Stream-Closed",
            "Stream-TTL",
            "Stream-Expires-At",
            "Stream-Seq",
            "Producer-Id",
            "Producer-Epoch",
            "Producer-Seq",
            "If-Match",
            "If-None-Match",
            "Stream-Forked-From",
            "Stream-Fork-Offset",
            "Stream-Fork-Sub-Offset",
            "Stream-Retention-Bytes",
            "Last-Event-ID",
            "Origin",
            "Forwarded",
            "X-Forwarded-Host",
            "X-Forwarded-Proto",
            "Expect",
            "Transfer-Encoding",
            "Host",
            "Authorization");

    private static final List<String> VALUES = List.of(
            "text/plain",
            "text/plain",
            "application/json",
            "application/json; charset=utf-8",
            "true",
            "TRUE",
            "0",
            "1",
            "2",
            "-1",
            "01",
            "3600",
            "9223372036854775807",
            "9007199254740992",
            "99999999999999999999",
            "2999-01-01T00:00:00Z",
            "2999-01-01T00:00:00+14:00",
            "0000-00-00",
            "+1000000000-01-01T00:00:00Z",
            "p",
            "q",
            "*",
            "\"0_1\"",
            "W/\"0_1\"",
            "\"",
            "0_1",
            "0_0",
            "-1",
            "now",
            "/v1/stream/a",
            "/v1/stream/b",
            "/v1/stream/%2e%2e",
            "/v1/stream/a%2fb",
            "/v1/stream/",
            "a",
            "host=x;proto=https",
            "x".repeat(300),
            "y".repeat(9000),
            "",
            " ",
            "100-continue",
            "chunked",
            "é\u00ff");

    private static final int TAME_METHODS = 8;
    private static final List<String> TAME_NAMES = List.of("a", "b", "c/d", "e");
    private static final List<String> TAME_QUERIES = List.of(
            "", "", "", "offset=-1", "offset=now", "offset=0_1", "offset=0_1&live=long-poll", "tail=1&live=sse");
    private static final List<String> TAME_HEADERS = List.of(
            "",
            "Content-Type text/plain",
            "Content-Type text/plain",
            "Content-Type application/json",
            "Stream-Closed true",
            "Content-Type text/plain Stream-Seq a",
            "Content-Type text/plain Stream-Seq b",
            "Content-Type text/plain Producer-Id p Producer-Epoch 0 Producer-Seq 0",
            "Content-Type text/plain Producer-Id p Producer-Epoch 0 Producer-Seq 1",
            "Content-Type text/plain Producer-Id p Producer-Epoch 1 Producer-Seq 0",
            "Content-Type text/plain If-Match \"0_1\"",
            "Stream-Forked-From /v1/stream/a",
            "Stream-Forked-From /v1/stream/b Stream-Fork-Offset 0_1",
            "If-None-Match *",
            "Content-Type text/plain Stream-TTL 3600");

    private static final List<String> BODIES = List.of(
            "",
            "",
            "x",
            "[1,2,3]",
            "{\"a\":1}",
            "[]",
            "[",
            "null",
            "\"\\ud800\"",
            "[".repeat(300),
            "\u0000\r\n",
            "1e400",
            "0".repeat(5000));

    private final Holdfast holdfast;
    private final FrontDoor door;
    private final StoredStreams stored;
    private final Map<Integer, Integer> statuses = new TreeMap<>();

    FuzzedWire(Path folder) {
        DurableStreamsSettings settings = DurableStreamsSettings.defaults()
                .withProxy(ProxyHeaders.FORWARDED)
                .withLongPoll(Duration.ofMillis(1))
                .withKeepAlive(Duration.ofMillis(1))
                .withRotateAfter(Duration.ofMillis(1));
        holdfast = Holdfast.open(folder);
        DurableStreams wire = new DurableStreams(holdfast, Authorizer.allowAll(), settings);
        door = new FrontDoor(
                Router.builder().mount(wire).build(), Trust.loopback(Holdfast.DEFAULT_TENANT), HttpLimits.defaults());
        stored = new StoredStreams(holdfast.streams());
    }

    /** How often each status was answered. */
    Map<Integer, Integer> statuses() {
        return statuses;
    }

    /** Sends one request, and checks the answer and what is stored after it. */
    void roll(Dice dice) throws IOException {
        Request request = request(dice);
        String text = request.toString();
        assertThat(request.status()).as(text).isZero();
        door.handle(request);
        assertThat(request.status()).as(text).isBetween(200, 499);
        statuses.merge(request.status(), 1, Integer::sum);
        assertThat(request.answerFields()).as(text).noneMatch(FuzzedWire::couldSplitAHead);
        stored.check(text);
    }

    private static boolean couldSplitAHead(String field) {
        return field.chars().anyMatch(c -> c == '\r' || c == '\n' || c == 0);
    }

    private static Request request(Dice dice) {
        boolean wild = dice.below(2) == 0; // else most of them would be refused at the first look
        String query = wild ? query(dice) : pick(TAME_QUERIES, dice);
        Headers headers = new Headers().add("Host", wild && dice.below(50) == 0 ? dice.text(10) : "localhost");
        if (wild) {
            addSome(headers, dice);
        } else {
            String[] pairs = pick(TAME_HEADERS, dice).split(" ", -1);
            for (int i = 0; i + 1 < pairs.length; i += 2) {
                headers.add(pairs[i], pairs[i + 1]);
            }
        }
        String body = pick(BODIES, dice);
        if (dice.below(3) == 0) {
            headers.set("Content-Length", Integer.toString(body.getBytes(StandardCharsets.UTF_8).length));
        }
        String path = wild ? path(dice) : "/v1/stream/" + pick(TAME_NAMES, dice);
        String method = wild ? pick(METHODS, dice) : pick(METHODS.subList(0, TAME_METHODS), dice);
        RequestHead head = new RequestHead(
                method, "", path, query.isEmpty() ? null : query, headers, "HTTP/1.1", "http", "127.0.0.1", null);
        return new Request(head, body);
    }

    private static String path(Dice dice) {
        StringBuilder path = new StringBuilder(dice.below(20) == 0 ? dice.text(20) : "/v1/stream");
        for (int i = dice.below(3); i >= 0; i--) {
            path.append('/').append(dice.below(12) == 0 ? dice.text(30) : pick(SEGMENTS, dice));
        }
        if (dice.below(60) == 0) {
            path.append("/x".repeat(200));
        }
        return path.toString();
    }

    private static String query(Dice dice) {
        return dice.below(10) == 0 ? dice.text(60) : pick(QUERIES, dice);
    }

    /** No binding lets line ends or NUL through in a field. */
    private static void addSome(Headers headers, Dice dice) {
        for (int i = dice.below(6); i > 0; i--) {
            String value = dice.below(8) == 0 ? dice.text(40) : pick(VALUES, dice);
            headers.add(pick(NAMES, dice), value.replaceAll("[\r\n\u0000]", ""));
        }
    }

    private static String pick(List<String> from, Dice dice) {
        return from.get(dice.below(from.size()));
    }

    /** A request whose answer is kept. */
    private static final class Request implements Exchange {
        private final RequestHead head;
        private final String body;
        private final ByteArrayOutputStream answer = new ByteArrayOutputStream();
        private int status;
        private @Nullable Headers fields;
        private boolean aborted;

        Request(RequestHead head, String body) {
            this.head = head;
            this.body = body;
        }

        int status() {
            return aborted ? -1 : status;
        }

        List<String> answerFields() {
            List<String> all = new ArrayList<>();
            if (fields != null) {
                fields.forEach((name, value) -> all.add(name + ": " + value));
            }
            return all;
        }

        @Override
        public RequestHead head() {
            return head;
        }

        @Override
        public InputStream body() {
            return new ByteArrayInputStream(body.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public Sink respond(int given, Headers headers) {
            assertThat(status).as("a second answer to %s", this).isZero();
            status = given;
            fields = headers;
            return new Sink() {
                @Override
                public void write(byte[] bytes, int offset, int length) {
                    answer.write(bytes, offset, length);
                }

                @Override
                public void flush() {}
            };
        }

        @Override
        public boolean responding() {
            return status != 0;
        }

        @Override
        public void abort() {
            aborted = true;
        }

        @Override
        public boolean gone() {
            return aborted;
        }

        @Override
        public String toString() {
            StringBuilder text = new StringBuilder(head.method() + " " + head.rawPath() + " ? " + head.rawQuery());
            head.headers()
                    .forEach((name, value) ->
                            text.append("\n").append(name).append(": ").append(value));
            return text + "\n\n" + body + "\n=> " + answer.toString(StandardCharsets.UTF_8);
        }
    }

    @Override
    public void close() {
        holdfast.close();
    }
}
