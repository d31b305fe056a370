package dev.holdfast.verification.faults;

import static dev.holdfast.verification.rig.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.access.Authorizer;
import dev.holdfast.error.HoldfastException.StorePoisoned;
import dev.holdfast.http.FrontDoor;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.Router;
import dev.holdfast.http.Trust;
import dev.holdfast.http.admin.AdminRoutes;
import dev.holdfast.http.admin.Health;
import dev.holdfast.http.api.SessionRoutes;
import dev.holdfast.http.durablestreams.DurableStreams;
import dev.holdfast.http.durablestreams.DurableStreamsSettings;
import dev.holdfast.http.jetty.JettyServer;
import dev.holdfast.store.StoreSettings;
import dev.holdfast.store.sqlite.SqliteStore;
import dev.holdfast.verification.rig.Fault;
import dev.holdfast.verification.rig.Fault.When;
import dev.holdfast.verification.rig.Http;
import dev.holdfast.verification.rig.ManualClock;
import dev.holdfast.verification.rig.StoreTap;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What clients and load balancers are told while the store cannot write. */
final class FaultsOverHttpTest {

    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final String BIG = "/v1/stream/big";
    private static final String BINARY = "application/octet-stream";
    private static final byte[] CHUNK = new byte[64 << 10];
    private static final long MAX_STORE_BYTES = 6L << 20;
    private static final int MORE_THAN_FIT = 200;

    @TempDir
    private Path folder;

    private final ManualClock clock = new ManualClock();
    private final Fault fault = new Fault();

    /** A store with a fault in front of it, and the wires before it. */
    private final class Site implements AutoCloseable {
        final Holdfast holdfast;
        final JettyServer listener;
        final Http http;

        Site(long maxStoreBytes) throws IOException {
            StoreSettings settings = new StoreSettings(2, maxStoreBytes, Duration.ofSeconds(10), clock);
            holdfast = Holdfast.open(
                    new StoreTap(SqliteStore.open(folder, settings), fault),
                    HoldfastSettings.defaults().withTime(clock, clock::timers));
            Router.Builder routes = Router.builder();
            new AdminRoutes(new Health(holdfast), "test").addTo(routes);
            new SessionRoutes(holdfast, Authorizer.allowAll()).addTo(routes);
            routes.mount(new DurableStreams(holdfast, Authorizer.allowAll(), DurableStreamsSettings.defaults()));
            HttpLimits limits = HttpLimits.defaults();
            FrontDoor door = new FrontDoor(routes.build(), Trust.loopback(Holdfast.DEFAULT_TENANT), limits);
            listener = new JettyServer("127.0.0.1", 0, limits, door);
            listener.start();
            http = new Http(URI.create("http://127.0.0.1:" + listener.port()));
        }

        HttpResponse<String> append(String stream) throws IOException, InterruptedException {
            return http.send("POST", stream, BINARY, CHUNK);
        }

        HttpResponse<String> create(String stream) throws IOException, InterruptedException {
            return http.send("PUT", stream, BINARY, new byte[0]);
        }

        @Override
        public void close() {
            http.close();
            listener.close();
            holdfast.close();
        }
    }

    private static void assertProblem(HttpResponse<String> answer, int status, String name) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(answer.headers().firstValueAsLong("Retry-After").orElse(0)).isPositive();
        assertThat(answer.body()).contains("\"urn:holdfast:problem:" + name + "\"", "\"retryAfterSeconds\":");
    }

    @Test
    void a_full_store_is_a_507_with_retry_after_and_works_again() throws Exception {
        try (Site site = new Site(MAX_STORE_BYTES)) {
            assertThat(site.create(BIG).statusCode()).isEqualTo(201);
            HttpResponse<String> answer = site.append(BIG);
            assertThat(answer.statusCode()).isEqualTo(204);
            for (int i = 0; i < MORE_THAN_FIT && answer.statusCode() == 204; i++) {
                answer = site.append(BIG);
            }
            assertProblem(answer, 507, "store-full");
            assertThat(site.http.get("/healthz").statusCode())
                    .as("it heals by itself")
                    .isEqualTo(200);
            assertThat(site.http.get(BIG).statusCode()).as("reads go on").isEqualTo(200);

            assertThat(site.http.send("DELETE", BIG, BINARY, new byte[0]).statusCode())
                    .as("deleting works on a full store")
                    .isEqualTo(204);
            await().atMost(PATIENCE).until(() -> {
                clock.advance(Duration.ofMinutes(1)); // upkeep that failed is tried again
                return site.create("/v1/stream/fresh").statusCode() / 100 == 2
                        && site.append("/v1/stream/fresh").statusCode() == 204;
            });
        }
    }

    @Test
    void a_poisoned_store_turns_health_red() throws Exception {
        try (Site site = new Site(Long.MAX_VALUE)) {
            assertThat(site.http.post("/api/v1/sessions", "{\"id\":\"s\"}").statusCode())
                    .isEqualTo(201);
            assertThat(site.http.get("/healthz").body()).contains("\"ok\"");

            fault.arm(
                    "commit",
                    When.BEFORE,
                    0,
                    () -> new StorePoisoned("injected: the fsync failed", new IOException("injected")));
            assertProblem(site.http.post("/api/v1/sessions", "{\"id\":\"unknown\"}"), 503, "store-poisoned");
            fault.disarm();

            HttpResponse<String> health = site.http.get("/healthz");
            assertThat(health.statusCode()).isEqualTo(503);
            assertThat(health.body()).isEqualTo("{\"status\":\"store-poisoned\"}");
            assertThat(health.headers().firstValue("Retry-After")).isPresent();
            assertProblem(site.http.post("/api/v1/sessions", "{\"id\":\"later\"}"), 503, "store-poisoned");
            assertThat(site.http.get("/api/v1/sessions/s").statusCode())
                    .as("reads go on")
                    .isEqualTo(200);
        }
        try (Site next = new Site(Long.MAX_VALUE)) {
            assertThat(next.http.get("/healthz").statusCode()).isEqualTo(200);
            assertThat(next.http.post("/api/v1/sessions", "{\"id\":\"later\"}").statusCode())
                    .isEqualTo(201);
        }
    }
}
