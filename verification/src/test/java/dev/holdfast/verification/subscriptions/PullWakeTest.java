package dev.holdfast.verification.subscriptions;

import static dev.holdfast.verification.rig.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Pull-wake: a wake stream tells that there is work, and workers claim it. */
final class PullWakeTest {

    private static final int LEASE = 60_000;

    @TempDir
    Path folder;

    private Service service;

    @BeforeEach
    void open() {
        service = new Service(folder);
        service.create("wake/pool", 0);
    }

    @AfterEach
    void close() {
        service.close();
    }

    private List<JsonNode> events(int count) {
        return await().until(() -> service.events("wake/pool"), events -> events.size() >= count);
    }

    @Test
    void a_wake_is_written_once_claimed_by_one_worker_and_done() {
        service.pull("sub", "events/*", "wake/pool", LEASE);
        service.create("events/a", 1);
        service.append("events/a", 1);

        JsonNode event = events(1).getFirst();
        Service.Reply claim = service.claim("sub", "worker-1");
        Service.Reply other = service.claim("sub", "worker-2");
        Service.Reply done = service.worker("sub", "ack", claim, Service.ack("events/a", 2) + ",\"done\":true");

        assertThat(event.path("type").stringValue()).isEqualTo("wake");
        assertThat(event.path("subscription_id").stringValue()).isEqualTo("sub");
        assertThat(event.path("stream").stringValue()).isEqualTo("events/a");
        assertThat(event.path("generation").longValue())
                .isEqualTo(claim.body().path("generation").longValue());
        assertThat(claim.stream("events/a").path("tail_offset").stringValue()).isEqualTo(Service.offset(2));
        assertThat(claim.body().path("lease_ttl_ms").intValue()).isEqualTo(LEASE);
        assertThat(other.code()).isEqualTo("ALREADY_CLAIMED");
        assertThat(other.body().path("error").path("current_holder").stringValue())
                .isEqualTo("worker-1");
        assertThat(done.body()).hasToString("{\"ok\":true,\"next_wake\":false}");
        assertThat(service.claim("sub", "worker-2").code()).isEqualTo("NO_PENDING_WORK");
        assertThat(service.events("wake/pool")).hasSize(1);
    }

    @Test
    void new_work_can_be_claimed_as_soon_as_its_append_was_answered() {
        service.pull("sub", "events/*", "wake/pool", LEASE);
        for (int i = 0; i < 50; i++) {
            service.create("events/" + i, 1);
            Service.Reply claim = service.claim("sub", "worker");
            assertThat(claim.status()).isEqualTo(200);
            service.worker("sub", "ack", claim, Service.ack("events/" + i, 1) + ",\"done\":true");
        }
    }

    @Test
    void a_wake_that_is_given_back_is_written_again_and_its_holder_is_fenced() {
        service.pull("sub", "events/*", "wake/pool", LEASE);
        service.create("events/a", 1);
        events(1);
        Service.Reply first = service.claim("sub", "worker-1");

        assertThat(service.worker("sub", "release", first, "").status()).isEqualTo(204);
        JsonNode again = events(2).getLast();
        Service.Reply second = service.claim("sub", "worker-2");

        assertThat(again.path("generation").longValue())
                .isEqualTo(first.body().path("generation").longValue() + 1);
        assertThat(second.status()).isEqualTo(200);
        assertThat(service.worker("sub", "release", first, "").code()).isEqualTo("FENCED");
        assertThat(service.worker("sub", "ack", first, Service.ack("events/a", 1))
                        .code())
                .isEqualTo("FENCED");
        assertThat(service.get("sub").acked("events/a")).isEqualTo(Service.offset(0));
    }

    @Test
    void heartbeats_keep_a_claim_and_silence_frees_it() {
        service.pull("sub", "events/*", "wake/pool", LEASE);
        service.create("events/a", 3);
        events(1);
        Service.Reply claim = service.claim("sub", "worker-1");

        service.clock.advance(Duration.ofMillis(LEASE - 1));
        assertThat(service.worker("sub", "ack", claim, Service.ack("events/a", 1))
                        .status())
                .isEqualTo(200);
        service.clock.advance(Duration.ofMillis(LEASE - 1));
        assertThat(service.claim("sub", "worker-2").code()).isEqualTo("ALREADY_CLAIMED");
        service.clock.advance(Duration.ofMillis(1));
        assertThat(events(2)).hasSize(2);
        Service.Reply next = service.claim("sub", "worker-2");

        assertThat(next.stream("events/a").path("acked_offset").stringValue()).isEqualTo(Service.offset(1));
        assertThat(service.worker("sub", "ack", claim, "").code()).isEqualTo("FENCED");
    }

    @Test
    void a_long_job_gets_a_fresh_token_with_its_heartbeats() {
        service.pull("sub", "events/*", "wake/pool", 600_000);
        service.create("events/a", 1);
        Service.Reply claim = service.claim("sub", "worker");
        String wake = "{\"wake_id\":\"%s\",\"generation\":%d}"
                .formatted(
                        claim.body().path("wake_id").stringValue(),
                        claim.body().path("generation").longValue());
        String token = claim.body().path("token").stringValue();
        String first = token;

        for (int minutes = 0; minutes < 3 * 24 * 60; minutes += 9) {
            service.clock.advance(Duration.ofMinutes(9));
            Service.Reply reply = service.post("sub", "ack", token, wake);
            assertThat(reply.status()).isEqualTo(200);
            token = reply.body().path("token").asString(token);
        }

        assertThat(service.post("sub", "ack", first, wake).code()).isEqualTo("TOKEN_EXPIRED");
    }

    @Test
    void acknowledgements_go_forward_and_not_beyond_what_there_is() {
        service.pull("sub", "events/*", "wake/pool", LEASE);
        service.create("events/a", 3);
        Service.Reply claim = service.claim("sub", "worker");
        assertThat(service.worker("sub", "ack", claim, Service.ack("events/a", 2))
                        .status())
                .isEqualTo(200);

        for (String wrong : List.of(
                Service.ack("events/a", 1),
                Service.ack("events/a", 4),
                Service.ack("events/b", 1),
                "\"acks\":[{\"stream\":\"events/a\",\"offset\":\"-1\"}]",
                "\"acks\":[{\"stream\":\"events/a\",\"offset\":\"now\"}]",
                "\"acks\":[{\"stream\":\"events/a\",\"offset\":\"3\"}]")) {
            Service.Reply reply = service.worker("sub", "ack", claim, wrong + ",\"done\":true");
            assertThat(reply.status()).as(wrong).isEqualTo(409);
            assertThat(reply.code()).as(wrong).isEqualTo("INVALID_OFFSET");
        }

        assertThat(service.get("sub").acked("events/a")).isEqualTo(Service.offset(2));
        assertThat(service.worker("sub", "ack", claim, Service.ack("events/a", 3) + ",\"done\":true")
                        .status())
                .isEqualTo(200);
    }

    @Test
    void a_wake_waits_for_its_wake_stream() {
        service.pull("sub", "events/*", "wake/later", LEASE);
        service.create("events/a", 1);
        assertThat(service.claim("sub", "worker").status()).isEqualTo(200);
        service.clock.advance(Duration.ofMillis(LEASE));
        service.until("sub", reply -> reply.body().path("generation").longValue() == 2);

        service.create("wake/later", 0);

        List<JsonNode> events = await().until(() -> service.events("wake/later"), each -> !each.isEmpty());
        assertThat(events.getFirst().path("generation").longValue()).isEqualTo(2);
    }

    @Test
    void a_subscription_does_not_follow_its_own_wake_stream() {
        service.pull("sub", "**", "wake/pool", LEASE);
        service.create("events/a", 1);
        events(1);
        Service.Reply claim = service.claim("sub", "worker");

        Service.Reply done = service.worker("sub", "ack", claim, Service.ack("events/a", 1) + ",\"done\":true");

        assertThat(done.body().path("next_wake").booleanValue()).isFalse();
        assertThat(claim.body().path("streams")).hasSize(1);
        assertThat(service.post("sub", "streams", "", "{\"streams\":[\"wake/pool\"]}")
                        .status())
                .isEqualTo(400);
    }

    @Test
    void what_belongs_to_the_other_type_is_refused() {
        service.pull("sub", "events/*", "wake/pool", LEASE);
        service.create("events/a", 1);
        Service.Reply claim = service.claim("sub", "worker");

        assertThat(service.worker("sub", "callback", claim, "").status()).isEqualTo(400);
        assertThat(service.post("sub", "claim", "", "{}").code()).isEqualTo("INVALID_REQUEST");
        assertThat(service.send("GET", "/__ds/subscriptions/sub/claim", "", "").status())
                .isEqualTo(405);
    }
}
