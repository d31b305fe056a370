package dev.holdfast.verification.subscriptions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.http.durablestreams.subscriptions.Subscriptions;
import dev.holdfast.session.PropertyWrite;
import dev.holdfast.stream.AppendRequest;
import dev.holdfast.stream.StreamCreation;
import dev.holdfast.stream.StreamOptions;
import dev.holdfast.verification.rig.ManualClock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a restart must not change, and what it must find. */
final class RestartTest {

    private static final int LEASE = 60_000;

    @TempDir
    Path folder;

    private final ManualClock clock = new ManualClock();
    private Service service;
    private Receiver receiver;

    @BeforeEach
    void open() {
        service = new Service(folder, clock);
        receiver = new Receiver(wake -> Receiver.Reply.TAKEN);
        service.create("wake/pool", 0);
    }

    @AfterEach
    void close() {
        service.close();
        receiver.close();
    }

    private void restart() {
        service.close();
        service = new Service(folder, clock);
    }

    @Test
    void subscriptions_acknowledgements_claims_and_tokens_go_on() {
        service.pull("sub", "events/*", "wake/pool", LEASE);
        service.create("events/a", 3);
        Service.Reply claim = service.claim("sub", "worker-1");
        service.worker("sub", "ack", claim, Service.ack("events/a", 1));
        String before = service.get("sub").body().toString();
        String key = service.send("GET", "/__ds/jwks.json", "", "").body().toString();

        restart();

        assertThat(service.get("sub").body()).hasToString(before);
        assertThat(service.send("GET", "/__ds/jwks.json", "", "").body()).hasToString(key);
        assertThat(service.pull("sub", "events/*", "wake/pool", LEASE).status()).isEqualTo(200);
        assertThat(service.claim("sub", "worker-2").code()).isEqualTo("ALREADY_CLAIMED");
        assertThat(service.worker("sub", "ack", claim, Service.ack("events/a", 3) + ",\"done\":true")
                        .body())
                .hasToString("{\"ok\":true,\"next_wake\":false}");
        restart();
        assertThat(service.get("sub").acked("events/a")).isEqualTo(Service.offset(3));
        assertThat(service.claim("sub", "worker-2").code()).isEqualTo("NO_PENDING_WORK");
    }

    @Test
    void a_lease_ends_when_it_would_have_ended() {
        service.webhook("sub", "events/*", receiver, LEASE);
        service.create("events/a", 1);
        Receiver.Wake first = receiver.wake(0);
        service.untilLeased("sub");
        clock.advance(Duration.ofMillis(LEASE - 10));

        restart();
        clock.advance(Duration.ofMillis(9));
        assertThat(service.callback("sub", first, Service.ack("events/a", 0)).status())
                .as("still leased, and the callback extends it")
                .isEqualTo(200);
        restart();
        clock.advance(Duration.ofMillis(LEASE));

        Receiver.Wake second = receiver.wake(1);
        assertThat(second.generation()).isEqualTo(first.generation() + 1);
        assertThat(service.callback("sub", first, "").code()).isEqualTo("FENCED");
    }

    @Test
    void a_lease_that_ended_meanwhile_is_over_at_once() {
        service.webhook("sub", "events/*", receiver, LEASE);
        service.create("events/a", 1);
        receiver.wake(0);
        service.untilLeased("sub");
        service.close();
        clock.advance(Duration.ofMillis(LEASE));

        service = new Service(folder, clock);

        assertThat(receiver.wake(1).generation()).isEqualTo(2);
    }

    @Test
    void a_retry_keeps_its_time_and_its_wake() {
        receiver.answer(wake -> Receiver.Reply.BROKEN);
        service.webhook("sub", "events/*", receiver, LEASE);
        service.create("events/a", 1);
        Receiver.Wake first = receiver.wake(0);
        String next = service.until(
                        "sub",
                        reply -> reply.body().path("next_attempt_at").isString()
                                && reply.body().path("failures").intValue(0) == 1)
                .body()
                .path("next_attempt_at")
                .stringValue();
        service.close();
        receiver.answer(wake -> Receiver.Reply.DONE);

        service = new Service(folder, clock);
        assertThat(service.get("sub").body().path("next_attempt_at").stringValue())
                .isEqualTo(next);
        assertThat(service.get("sub").body().path("status").stringValue()).isEqualTo("failed");
        clock.advance(Duration.ofMillis(Instant.parse(next).toEpochMilli() - clock.wallMillis() - 1));
        assertThat(receiver.wakes()).hasSize(1);
        clock.advance(Duration.ofMillis(1));

        Receiver.Wake second = receiver.wake(1);
        assertThat(second.id()).isEqualTo(first.id());
        service.until("sub", reply -> reply.acked("events/a").equals(Service.offset(1)));
    }

    @Test
    void what_was_appended_while_nobody_listened_is_found_and_told() {
        receiver.answer(wake -> Receiver.Reply.DONE);
        service.create("events/old", 2);
        service.create("events/gone", 2);
        service.webhook("sub", "events/*", receiver, LEASE);
        service.close();
        // As after a crash between a commit and what the listener made of it.
        try (Holdfast alone = Holdfast.open(folder, HoldfastSettings.defaults().withTime(clock, clock::timers))) {
            byte[] chunk = "{}".getBytes(StandardCharsets.UTF_8);
            alone.streams().append("events/old", AppendRequest.of(List.of(chunk)));
            alone.streams().delete("events/gone");
            alone.streams()
                    .create(
                            "events/new",
                            StreamCreation.of(StreamOptions.DEFAULTS).with(List.of(chunk, chunk)));
        }

        service = new Service(folder, clock);
        Receiver.Wake wake = receiver.wake(0);

        assertThat(wake.stream("events/old").path("acked_offset").stringValue()).isEqualTo(Service.offset(2));
        assertThat(wake.tail("events/old")).isEqualTo(Service.offset(3));
        assertThat(wake.stream("events/new").path("acked_offset").stringValue()).isEqualTo(Service.offset(0));
        assertThat(wake.tail("events/new")).isEqualTo(Service.offset(2));
        assertThat(wake.body().path("streams")).hasSize(2);
        service.until("sub", reply -> reply.acked("events/new").equals(Service.offset(2)));
        assertThat(receiver.wakes()).hasSize(1);
    }

    @Test
    void a_stream_made_anew_while_nobody_listened_begins_at_its_beginning() {
        service.create("events/a", 5);
        service.pull("sub", "events/*", "wake/pool", LEASE);
        service.close();
        try (Holdfast alone = Holdfast.open(folder, HoldfastSettings.defaults().withTime(clock, clock::timers))) {
            alone.streams().delete("events/a");
            alone.streams()
                    .create(
                            "events/a",
                            StreamCreation.of(StreamOptions.DEFAULTS).with(List.of(new byte[] {1})));
        }

        service = new Service(folder, clock);
        Service.Reply claim = service.claim("sub", "worker");

        assertThat(claim.stream("events/a").path("acked_offset").stringValue()).isEqualTo(Service.offset(0));
        assertThat(claim.stream("events/a").path("tail_offset").stringValue()).isEqualTo(Service.offset(1));
    }

    @Test
    void what_a_crash_left_of_a_half_made_subscription_is_removed() {
        service.holdfast()
                .properties()
                .put(PropertyWrite.of("ds/link/00000000deadbeef/x", "{\"stream\":\"events/a\",\"byPattern\":true}"));

        restart();

        assertThat(service.holdfast().properties().list("ds/link/", 10).properties())
                .isEmpty();
    }

    @Test
    void an_instance_that_lags_behind_another_is_fenced_ONE_WRITER() {
        service.pull("sub", "events/*", "wake/pool", LEASE);
        service.create("events/a", 1);
        Service.Reply claim = service.claim("sub", "worker-1");
        Subscriptions second = service.open();
        clock.advance(Duration.ofMillis(LEASE));
        service.until("sub", reply -> reply.body().path("generation").longValue() == 2);
        second.close();

        // The other instance woke as well, or read what this one wrote; in no case is the old claim still good.
        assertThat(service.worker("sub", "ack", claim, Service.ack("events/a", 1))
                        .code())
                .isEqualTo("FENCED");
        assertThat(service.get("sub").acked("events/a")).isEqualTo(Service.offset(0));
        assertThat(service.claim("sub", "worker-2").status()).isEqualTo(200);
    }
}
