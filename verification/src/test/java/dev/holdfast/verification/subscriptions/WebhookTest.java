package dev.holdfast.verification.subscriptions;

import static dev.holdfast.verification.rig.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.access.ApiKeys;
import dev.holdfast.http.Trust;
import dev.holdfast.verification.rig.ManualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Webhooks: signed, acknowledged, fenced, repeated when they fail. */
final class WebhookTest {

    private static final int LEASE = 60_000;

    @TempDir
    Path folder;

    private Service service;
    private Receiver receiver;

    @BeforeEach
    void open() {
        service = new Service(folder);
        receiver = new Receiver(wake -> Receiver.Reply.TAKEN);
    }

    @AfterEach
    void close() {
        service.close();
        receiver.close();
    }

    @Test
    void a_webhook_is_signed_by_the_published_key_and_its_done_acknowledges_what_it_told() {
        receiver.answer(wake -> Receiver.Reply.DONE);
        Service.Reply created = service.webhook("sub", "events/*", receiver, LEASE);
        service.create("events/a", 2);

        Receiver.Wake wake = receiver.wake(0);

        JsonNode signing = created.body().path("webhook").path("signing");
        JsonNode jwks = service.send("GET", "/__ds/jwks.json", "", "").body();
        assertThat(signing.path("alg").stringValue()).isEqualTo("ed25519");
        assertThat(signing.path("kid").stringValue()).startsWith("ds_");
        assertThat(signing.path("jwks_url").stringValue()).isEqualTo(service.base() + "/__ds/jwks.json");
        assertThat(Signatures.valid(wake, jwks)).isTrue();
        assertThat(Signatures.valid(new Receiver.Wake(wake.signature(), wake.rawBody() + " "), jwks))
                .isFalse();
        assertThat(wake.body().path("subscription_id").stringValue()).isEqualTo("sub");
        assertThat(wake.body().path("callback_url").stringValue())
                .isEqualTo(service.base() + "/__ds/subscriptions/sub/callback");
        assertThat(wake.stream("events/a").path("has_pending").booleanValue()).isTrue();
        assertThat(wake.tail("events/a")).isEqualTo(Service.offset(2));
        service.until("sub", reply -> reply.acked("events/a").equals(Service.offset(2)));
        assertThat(jwks.toString() + created.body()).doesNotContain("\"d\"", "secret", "private");
    }

    @Test
    void a_callback_acknowledges_and_one_of_a_wake_that_is_over_is_fenced() {
        service.webhook("sub", "events/*", receiver, LEASE);
        service.create("events/a", 1);
        Receiver.Wake wake = receiver.wake(0);

        Service.Reply heartbeat = service.callback("sub", wake, "");
        Service.Reply done = service.callback("sub", wake, Service.ack("events/a", 1) + ",\"done\":true");
        Service.Reply late = service.callback("sub", wake, Service.ack("events/a", 1) + ",\"done\":true");

        assertThat(heartbeat.body()).hasToString("{\"ok\":true,\"next_wake\":false}");
        assertThat(done.body()).hasToString("{\"ok\":true,\"next_wake\":false}");
        assertThat(late.status()).isEqualTo(409);
        assertThat(late.code()).isEqualTo("FENCED");
        assertThat(service.get("sub").acked("events/a")).isEqualTo(Service.offset(1));
    }

    @Test
    void what_comes_during_a_wake_is_told_with_the_next_one() {
        service.webhook("sub", "events/*", receiver, LEASE);
        service.create("events/a", 1);
        Receiver.Wake first = receiver.wake(0);
        service.append("events/a", 1);

        Service.Reply done = service.callback("sub", first, Service.ack("events/a", 1) + ",\"done\":true");
        Receiver.Wake second = receiver.wake(1);

        assertThat(done.body().path("next_wake").booleanValue()).isTrue();
        assertThat(second.generation()).isEqualTo(first.generation() + 1);
        assertThat(second.id()).isNotEqualTo(first.id());
        assertThat(second.tail("events/a")).isEqualTo(Service.offset(2));
    }

    @Test
    void tokens_are_good_for_their_subscription_only() {
        service.webhook("sub", "events/*", receiver, LEASE);
        service.webhook("other", "nothing/*", receiver, LEASE);
        service.create("events/a", 1);
        Receiver.Wake wake = receiver.wake(0);

        assertThat(service.callback("other", wake, "").code()).isEqualTo("TOKEN_INVALID");
        assertThat(service.post("sub", "callback", "", "{}").status()).isEqualTo(401);
        assertThat(service.post("sub", "callback", "x.y", "{}").code()).isEqualTo("TOKEN_INVALID");
        char last = wake.token().charAt(0);
        String forged = (last == 'a' ? 'b' : 'a') + wake.token().substring(1);
        assertThat(service.post("sub", "callback", forged, "{}").code()).isEqualTo("TOKEN_INVALID");
        assertThat(service.post("sub", "callback", wake.token(), "{}").code()).isEqualTo("FENCED");
        assertThat(service.post("none", "callback", wake.token(), "{}").code()).isEqualTo("SUBSCRIPTION_NOT_FOUND");
    }

    @Test
    void where_keys_are_asked_for_a_worker_needs_only_the_token_of_its_wake(@TempDir Path other) {
        String key = "a-key-of-this-server-0123456789";
        Trust keyed = new Trust("default", ApiKeys.of("default", List.of(key)), Set.of(), Set.of());
        try (Service guarded = new Service(other, new ManualClock(), keyed)) {
            String body = """
                    {"type":"webhook","pattern":"events/*","webhook":{"url":"%s"}}""".formatted(receiver.url());
            assertThat(guarded.put("sub", body).status()).isEqualTo(401);
            assertThat(guarded.send("PUT", "/__ds/subscriptions/sub", key, body).status())
                    .isEqualTo(201);
            guarded.create("events/a", 1);
            Receiver.Wake wake = receiver.wake(0);

            assertThat(guarded.get("sub").status()).isEqualTo(401);
            assertThat(guarded.delete("sub").status()).isEqualTo(401);
            assertThat(guarded.post("sub", "streams", wake.token(), "{\"streams\":[\"x\"]}")
                            .status())
                    .isEqualTo(401);
            assertThat(guarded.post("sub", "callback", key, "{}").code()).isEqualTo("TOKEN_INVALID");
            assertThat(guarded.callback("sub", wake, Service.ack("events/a", 1) + ",\"done\":true")
                            .status())
                    .isEqualTo(200);
            assertThat(guarded.send("GET", "/__ds/jwks.json", "", "").status()).isEqualTo(200);
        }
    }

    @Test
    void a_heartbeat_extends_the_lease_and_silence_ends_it_with_a_new_wake() {
        service.webhook("sub", "events/*", receiver, LEASE);
        service.create("events/a", 1);
        Receiver.Wake first = receiver.wake(0);
        service.untilLeased("sub");

        service.clock.advance(Duration.ofMillis(LEASE - 1));
        assertThat(service.callback("sub", first, "").status()).isEqualTo(200);
        service.clock.advance(Duration.ofMillis(LEASE - 1));
        assertThat(service.callback("sub", first, "").status()).isEqualTo(200);
        assertThat(receiver.wakes()).hasSize(1);
        service.clock.advance(Duration.ofMillis(LEASE));
        Receiver.Wake second = receiver.wake(1);

        assertThat(second.generation()).isEqualTo(first.generation() + 1);
        assertThat(service.callback("sub", first, Service.ack("events/a", 1)).code())
                .isEqualTo("FENCED");
    }

    @Test
    void a_delivery_that_is_refused_is_repeated_with_growing_waits_until_it_is_taken() {
        receiver.answer(wake -> Receiver.Reply.BROKEN);
        service.webhook("sub", "events/*", receiver, LEASE);
        service.create("events/a", 1);
        long[] bounds = {1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000};

        for (int attempt = 0; attempt < bounds.length; attempt++) {
            receiver.wake(attempt);
            long wait = untilFailed(attempt + 1);
            assertThat(wait)
                    .isBetween(Math.max(1000, bounds[attempt] * 8 / 10), Math.min(60_000, bounds[attempt] * 12 / 10));
            service.clock.advance(Duration.ofMillis(wait - 1));
            assertThat(receiver.wakes()).hasSize(attempt + 1);
            if (attempt == bounds.length - 1) {
                receiver.answer(wake -> Receiver.Reply.DONE);
            }
            service.clock.advance(Duration.ofMillis(1));
        }

        Receiver.Wake last = receiver.wake(bounds.length);
        service.until("sub", reply -> reply.body().path("status").stringValue().equals("active"));
        assertThat(receiver.wakes()).extracting(Receiver.Wake::id).containsOnly(last.id());
        assertThat(service.get("sub").acked("events/a")).isEqualTo(Service.offset(1));
    }

    private long untilFailed(int failures) {
        Service.Reply reply = service.until(
                "sub",
                each -> each.body().path("failures").intValue(0) == failures
                        && each.body().path("next_attempt_at").isString());
        assertThat(reply.body().path("status").stringValue()).isEqualTo("failed");
        Instant next = Instant.parse(reply.body().path("next_attempt_at").stringValue());
        return next.toEpochMilli() - service.clock.wallMillis();
    }

    @Test
    void a_delivery_without_an_answer_is_over_after_its_lease_and_whoever_has_it_is_fenced() throws Exception {
        CountDownLatch hold = new CountDownLatch(1);
        receiver.answer(wake -> {
            if (wake.generation() > 1) {
                return Receiver.Reply.TAKEN;
            }
            try {
                hold.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            return Receiver.Reply.DONE;
        });
        service.webhook("sub", "events/*", receiver, LEASE);
        service.create("events/a", 1);
        Receiver.Wake first = receiver.wake(0);

        service.clock.advance(Duration.ofMillis(LEASE));
        long wait = untilFailed(1);
        service.clock.advance(Duration.ofMillis(wait));
        Receiver.Wake second = receiver.wake(1);
        hold.countDown();

        assertThat(second.generation()).isEqualTo(first.generation() + 1);
        assertThat(service.callback("sub", first, Service.ack("events/a", 1)).code())
                .isEqualTo("FENCED");
        service.untilLeased("sub");
        assertThat(service.get("sub").acked("events/a")).isEqualTo(Service.offset(0));
    }

    @Test
    void a_callback_before_the_answer_counts_for_more_than_the_answer() {
        CountDownLatch called = new CountDownLatch(1);
        receiver.answer(wake -> {
            try {
                called.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            return Receiver.Reply.BROKEN;
        });
        service.webhook("sub", "events/*", receiver, LEASE);
        service.create("events/a", 1);
        Receiver.Wake wake = receiver.wake(0);

        assertThat(service.callback("sub", wake, "").status()).isEqualTo(200);
        called.countDown();
        service.clock.advance(Duration.ofMillis(LEASE - 1));
        assertThat(service.callback("sub", wake, Service.ack("events/a", 1) + ",\"done\":true")
                        .status())
                .isEqualTo(200);

        assertThat(service.get("sub").body().path("status").stringValue()).isEqualTo("active");
        assertThat(receiver.wakes()).hasSize(1);
    }

    @Test
    void an_answer_that_is_no_json_or_too_long_only_says_that_the_webhook_was_taken() {
        for (String answer :
                new String[] {"ok", "{\"done\":\"maybe\"}", "[true]", " ".repeat(1 << 20) + "{\"done\":true}"}) {
            receiver.answer(wake -> new Receiver.Reply(200, answer, ""));
            String id = "sub" + answer.length();
            service.webhook(id, id + "/*", receiver, LEASE);
            service.create(id + "/a", 1);

            service.untilLeased(id);

            assertThat(service.get(id).acked(id + "/a")).isEqualTo(Service.offset(0));
        }
    }

    @Test
    void a_redirect_is_not_followed() {
        try (Receiver elsewhere = new Receiver(wake -> Receiver.Reply.DONE)) {
            receiver.answer(wake -> new Receiver.Reply(307, "", elsewhere.url()));
            service.webhook("sub", "events/*", receiver, LEASE);
            service.create("events/a", 1);

            receiver.wake(0);
            untilFailed(1);

            assertThat(elsewhere.wakes()).isEmpty();
        }
    }

    @Test
    void a_deleted_subscription_is_silent_and_its_wake_fails() {
        service.webhook("sub", "events/*", receiver, LEASE);
        service.create("events/a", 1);
        Receiver.Wake wake = receiver.wake(0);

        assertThat(service.delete("sub").status()).isEqualTo(204);
        assertThat(service.delete("sub").status()).isEqualTo(204);
        assertThat(service.callback("sub", wake, "").code()).isEqualTo("SUBSCRIPTION_NOT_FOUND");
        assertThat(service.get("sub").status()).isEqualTo(404);
        service.webhook("sub", "events/*", receiver, LEASE);

        assertThat(service.callback("sub", wake, "").code()).isEqualTo("FENCED");
        assertThat(service.holdfast().properties().list("ds/link/", 100).properties())
                .hasSize(1);
    }

    @Test
    void with_nothing_new_there_is_no_timer_IDLE_IS_SILENT() {
        receiver.answer(wake -> Receiver.Reply.DONE);
        service.webhook("sub", "events/*", receiver, LEASE);
        service.create("events/a", 1);
        service.until("sub", reply -> reply.acked("events/a").equals(Service.offset(1)));

        await().until(() -> service.clock.pending() == 0);
    }
}
