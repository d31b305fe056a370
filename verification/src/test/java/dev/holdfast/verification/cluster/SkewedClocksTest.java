package dev.holdfast.verification.cluster;

import static dev.holdfast.verification.rig.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.holdfast.bench.command.Programs;
import dev.holdfast.models.loopback.Pace;
import dev.holdfast.store.postgres.PostgresServer;
import dev.holdfast.verification.cluster.Servers.Way;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/**
 * Servers whose wall clocks are hours apart: a library in front of the C library gives each its own. All deadlines and times are of the database's
 * clock. The library is built here, so this needs Linux and a C compiler.
 */
final class SkewedClocksTest {

    private static final int NUMBERS_PER_SECOND = 40;
    private static final List<Duration> SKEWS = List.of(Duration.ofHours(5), Duration.ZERO, Duration.ofHours(-5));
    private static final Duration LIFE = Duration.ofHours(2);
    private static final long MAX_MINUTES_OFF = 60;

    @TempDir
    private Path scratch;

    private Path library() throws Exception {
        Assumptions.assumeTrue(
                System.getProperty("os.name").equals("Linux"), "this is Linux, where a clock can be replaced");
        Assumptions.assumeTrue(
                Programs.onPath("gcc").isPresent(), "there is a gcc on the PATH, for what makes clocks wrong");
        Path source = scratch.resolve("skewed-clock.c");
        try (InputStream in = SkewedClocksTest.class.getResourceAsStream("skewed-clock.c")) {
            Files.copy(Objects.requireNonNull(in), source);
        }
        Path library = scratch.resolve("skewed-clock.so");
        Process gcc = new ProcessBuilder(
                        "gcc", "-shared", "-fPIC", "-O1", "-o", library.toString(), source.toString(), "-ldl")
                .redirectErrorStream(true)
                .start();
        String complaints = new String(gcc.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(gcc.waitFor()).as(complaints).isZero();
        return library;
    }

    private Servers start(CountingModel model) throws Exception {
        Path library = library();
        String url = PostgresServer.shared().jdbcUrl();
        return new Servers(
                scratch,
                model.options(),
                url,
                server -> new Way(
                        url,
                        List.of(
                                "env",
                                "LD_PRELOAD=" + library,
                                "CLOCK_IS_OFF_BY=" + SKEWS.get(server).toSeconds())));
    }

    @Test
    @Timeout(600)
    void leases_lives_and_times_are_those_of_the_databases_clock_ONE_WRITER() throws Exception {
        long seed = Long.getLong("holdfast.seed", System.nanoTime());
        try (CountingModel model = new CountingModel(Pace.eventsPerSecond(NUMBERS_PER_SECOND));
                Servers servers = start(model);
                Load load = new Load(servers, seed);
                Client client = new Client(servers::uri, seed)) {
            try {
                for (int server = 0; server < Servers.COUNT; server++) {
                    assertClockIsOff(client, server);
                    create(client, server);
                }
                load.awaitProgress();
                for (int victim = 0; victim < Servers.COUNT; victim += 2) { // those that are wrong
                    int frozen = victim;
                    servers.freeze(frozen);
                    await().until(() -> servers.shardsOf(frozen) == 0 && servers.heldShards() == Servers.SHARDS);
                    servers.thaw(frozen);
                    servers.awaitShares(); // what one created is another's now, whose clock is another one
                }
                load.awaitProgress();
                load.finish();
                load.check();
                for (int server = 0; server < Servers.COUNT; server++) {
                    assertThere(client, server);
                }
            } catch (Exception | AssertionError e) {
                throw new AssertionError("-Dholdfast.seed=%d\n%s".formatted(seed, servers.logs()), e);
            }
        }
    }

    /** What the server's web server says is of its own clock: without that this would prove nothing. */
    private static void assertClockIsOff(Client client, int server) throws IOException, InterruptedException {
        HttpResponse<String> answer = client.get(server, "/healthz");
        String date = answer.headers().firstValue("Date").orElseThrow();
        Instant told = DateTimeFormatter.RFC_1123_DATE_TIME.parse(date, Instant::from);
        assertThat(told).isCloseTo(Instant.now().plus(SKEWS.get(server)), within(MAX_MINUTES_OFF, ChronoUnit.MINUTES));
    }

    private static void create(Client client, int server) throws IOException, InterruptedException {
        for (String name : Servers.namesOfAllShards("lives-%d-".formatted(server))) {
            HttpResponse<String> made = client.ask(
                    server,
                    "PUT",
                    StreamWriter.path(name),
                    "",
                    "Content-Type",
                    "application/json",
                    "Stream-TTL",
                    Long.toString(LIFE.toSeconds()));
            assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
        }
        for (String name : Servers.namesOfAllShards("dated-%d-".formatted(server))) {
            HttpResponse<String> made = client.post(server, "/api/v1/sessions", "{\"id\":\"%s\"}".formatted(name));
            assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
        }
    }

    private static void assertThere(Client client, int server) throws IOException, InterruptedException {
        for (int by = 0; by < Servers.COUNT; by++) {
            for (String name : Servers.namesOfAllShards("lives-%d-".formatted(by))) {
                assertThat(client.get(server, StreamWriter.path(name) + "?offset=-1")
                                .statusCode())
                        .as("a stream with %s to live that server %d made, at server %d", LIFE, by, server)
                        .isEqualTo(200);
            }
            for (String name : Servers.namesOfAllShards("dated-%d-".formatted(by))) {
                String session = client.get(server, "/api/v1/sessions/" + name).body();
                assertThat(Instant.parse(new JsonMapper()
                                .readTree(session)
                                .path("createdAt")
                                .asString()))
                        .as("when the session was made through server %d, says server %d", by, server)
                        .isCloseTo(Instant.now(), within(MAX_MINUTES_OFF, ChronoUnit.MINUTES));
            }
        }
    }
}
