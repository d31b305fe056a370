package dev.holdfast.http.durablestreams;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Requests put together at random from good, bad and hostile parts: none is answered with a defect or not at all, and none changes what was
 * stored before. The seed is in every message.
 */
final class RequestFuzzTest {

    private static final long SEED = Long.getLong("holdfast.fuzz.seed", 3);
    private static final int REQUESTS = "nightly".equals(System.getProperty("holdfast.profile")) ? 50_000 : 4000;
    private static final int PATIENCE_MILLIS = 120_000;

    /** As many of the first parts of each list as make sense. */
    private static final int TAME = 6;

    private static final int TAME_METHODS = 9;

    private static final List<String> METHODS = List.of(
            "GET", "GET", "PUT", "PUT", "POST", "POST", "POST", "HEAD", "DELETE", "OPTIONS", "PATCH", "get", "*");
    private static final List<String> NAMES = List.of(
            "a",
            "b",
            "c",
            "d/e",
            "a",
            "b",
            "%41",
            "",
            "..",
            "a//b",
            "%2e%2e/x",
            "a%00",
            "%ff",
            "%",
            "a b",
            "a%2fb",
            "%2F",
            "a%5Cb",
            "a%0d%0ab",
            "%c0%af",
            "a\u0000b",
            "a\rb",
            "turn/x",
            "mcp/x/y",
            "__ds/x",
            "é",
            "a?b",
            "a#b",
            "x".repeat(300),
            "a\\b",
            "a;b");
    private static final List<String> QUERIES = List.of(
            "",
            "",
            "",
            "?offset=-1",
            "?offset=now",
            "?offset=0_1",
            "?offset=0000000000000000_0000000000000001",
            "?offset=99_99",
            "?offset=",
            "?offset=-1&offset=-1",
            "?tail=2",
            "?tail=-2",
            "?offset=-1&live=long-poll",
            "?offset=now&live=long-poll&cursor=99999999",
            "?offset=0_0&live=sse",
            "?live=sse",
            "?live=x",
            "?%",
            "?=&&=",
            "?offset=%0d%0a",
            "?cursor=" + "9".repeat(400));
    private static final List<String> HEADERS = List.of(
            "Content-Type: text/plain",
            "Content-Type: text/plain",
            "Content-Type: application/json",
            "Content-Type: application/json",
            "Content-Type: \u00ff",
            "Content-Type:",
            "Stream-Closed: true",
            "Stream-Closed: TRUE",
            "Stream-Closed: no",
            "Stream-TTL: 3600",
            "Stream-TTL: 0x1",
            "Stream-TTL: 1",
            "Stream-Expires-At: 2999-01-01T00:00:00Z",
            "Stream-Expires-At: now",
            "Stream-Seq: a",
            "Stream-Seq: b",
            "Stream-Seq:",
            "Producer-Id: p\r\nProducer-Epoch: 0\r\nProducer-Seq: 0",
            "Producer-Id: p\r\nProducer-Epoch: 0\r\nProducer-Seq: 1",
            "Producer-Id: p\r\nProducer-Epoch: 1\r\nProducer-Seq: 0",
            "Producer-Id: p",
            "Producer-Epoch: 0",
            "Producer-Epoch: 1",
            "Producer-Seq: 0",
            "Producer-Seq: 1",
            "Producer-Seq: -1",
            "If-Match: \"0_1\"",
            "If-Match: *",
            "If-Match: \"",
            "If-None-Match: *",
            "Stream-Forked-From: /v1/stream/a",
            "Stream-Forked-From: /etc/passwd",
            "Stream-Forked-From: a",
            "Stream-Fork-Offset: 0_1",
            "Stream-Fork-Offset: -1",
            "Stream-Fork-Sub-Offset: 1",
            "Stream-Fork-Sub-Offset: 05",
            "Last-Event-ID: 0_1",
            "Last-Event-ID: x",
            "Origin: https://a.example",
            "X-Forwarded-Host: a\tb",
            "X-Forwarded-Proto: https",
            "Expect: 100-continue",
            "Content-Length: 3",
            "Transfer-Encoding: chunked",
            "Transfer-Encoding: gzip",
            "X-Long: " + "y".repeat(9000),
            "Bad Header: x",
            ": x");
    private static final List<String> BODIES = List.of(
            "",
            "",
            "x",
            "hello world",
            "[1,2,3]",
            "{\"a\":1}",
            "[]",
            "[",
            "{\"a\":",
            "null",
            "\u0000\r\n\u00ff",
            "[".repeat(500),
            "3\r\nabc\r\n0\r\n\r\n",
            "ffffffffffffffff\r\n",
            "z\r\n",
            "\"\\ud800\"");

    /** What so many requests come to, or they would prove nothing. */
    private static final String[] EVERY_KIND = {"200", "201", "204", "400", "403", "404", "405", "409"};

    @TempDir
    private Path folder;

    @Test
    void no_request_finds_a_defect_or_harms_what_is_stored() throws Exception {
        Random random = new Random(SEED);
        try (StreamServer wire = new StreamServer(folder)) {
            StoredStreams stored = new StoredStreams(wire.holdfast.streams());
            Map<String, Integer> statuses = new TreeMap<>();
            for (int run = 0; run < REQUESTS; run++) {
                String request = request(random);
                String answer = exchange(wire, request);
                assertThat(answer)
                        .as("run %d of seed %d: %s", run, SEED, request)
                        .satisfiesAnyOf(
                                text -> assertThat(text).isEmpty(), // cut: it was no request at all
                                text -> assertThat(text).matches("(?s)HTTP/1.1 [1234]\\d\\d.*"),
                                text -> assertThat(text).startsWith("HTTP/1.1 501")); // an encoding Jetty does not know
                stored.check("run %d of seed %d: %s".formatted(run, SEED, request));
                statuses.merge(answer.isEmpty() ? "" : answer.substring(9, 12), 1, Integer::sum);
            }
            assertThat(statuses).as("answers of every kind").containsKeys(EVERY_KIND);
        }
    }

    private static String request(Random random) {
        boolean tame = random.nextBoolean(); // or most of them would be refused at the first look
        StringBuilder request = new StringBuilder(pick(tame ? METHODS.subList(0, TAME_METHODS) : METHODS, random))
                .append(" /v1/stream/")
                .append(pick(tame ? NAMES.subList(0, TAME) : NAMES, random))
                .append(pick(tame ? QUERIES.subList(0, TAME) : QUERIES, random))
                .append(" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
        for (int i = random.nextInt(tame ? 2 : 5); i > 0; i--) {
            request.append(pick(HEADERS, random)).append("\r\n");
        }
        String body = pick(BODIES, random);
        if (random.nextInt(4) > 0) {
            request.append("Content-Length: ").append(body.length()).append("\r\n");
        }
        return request.append("\r\n").append(body).toString();
    }

    private static <T> T pick(List<T> from, Random random) {
        return from.get(random.nextInt(from.size()));
    }

    /** What comes back until the connection ends; of an event stream only its beginning. */
    private static String exchange(StreamServer wire, String request) throws IOException {
        try (Socket socket = wire.server.connect()) {
            socket.setSoTimeout(PATIENCE_MILLIS);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            socket.shutdownOutput();
            StringBuilder answer = new StringBuilder();
            byte[] buffer = new byte[8192];
            for (int read = socket.getInputStream().read(buffer);
                    read >= 0;
                    read = socket.getInputStream().read(buffer)) {
                answer.append(new String(buffer, 0, read, StandardCharsets.ISO_8859_1));
                if (answer.indexOf("event: control") >= 0) {
                    break;
                }
            }
            return answer.toString();
        } catch (SocketException e) {
            return ""; // reset: what was sent is no HTTP
        }
    }
}
