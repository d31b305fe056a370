package dev.holdfast.verification.subscriptions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.verification.rig.ManualClock;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whoever was told of a stream cannot acknowledge another one that has its name by now: nobody worked on that one yet. */
final class MadeAnewTest {

    private static final int LEASE = 60_000;

    @TempDir
    Path folder;

    private final ManualClock clock = new ManualClock();
    private Service service;

    @BeforeEach
    void open() {
        service = new Service(folder, clock);
        service.create("wake/pool", 0);
    }

    @AfterEach
    void close() {
        service.close();
    }

    private void restart() {
        service.close();
        service = new Service(folder, clock);
    }

    private void makeAnew(String stream, int chunks) {
        service.streams().delete(stream);
        service.create(stream, chunks);
    }

    private void subscribe(String how) {
        String which = how.equals("explicit") ? "\"streams\":[\"events/a\",\"events/b\"]" : "\"pattern\":\"events/*\"";
        assertThat(service.put("sub", """
                        {"type":"pull-wake",%s,"wake_stream":"wake/pool","lease_ttl_ms":%d}""".formatted(which, LEASE)).status()).isEqualTo(201);
    }

    @ParameterizedTest
    @ValueSource(strings = {"glob", "explicit"})
    void an_old_claim_acknowledges_nothing_of_a_stream_made_anew_and_all_of_the_others(String how) {
        subscribe(how);
        service.create("events/a", 2);
        service.create("events/b", 2);
        Service.Reply claim = service.claim("sub", "worker");

        makeAnew("events/a", 5);
        Service.Reply refused = service.worker("sub", "ack", claim, Service.ack("events/a", 2));
        Service.Reply other = service.worker("sub", "ack", claim, Service.ack("events/b", 2) + ",\"done\":true");

        assertThat(refused.code()).isEqualTo("INVALID_OFFSET");
        assertThat(refused.body().toString()).contains("events/a").contains("the next wake");
        assertThat(other.body()).hasToString("{\"ok\":true,\"next_wake\":true}");
        Service.Reply next = service.claim("sub", "worker");
        assertThat(next.acked("events/a")).isEqualTo(Service.offset(0));
        assertThat(next.stream("events/a").path("tail_offset").stringValue()).isEqualTo(Service.offset(5));
        assertThat(next.acked("events/b")).isEqualTo(Service.offset(2));
        assertThat(service.worker("sub", "ack", next, Service.ack("events/a", 5) + ",\"done\":true")
                        .body())
                .hasToString("{\"ok\":true,\"next_wake\":false}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"glob", "explicit"})
    void so_it_is_after_a_restart_and_after_one_of_many(String how) {
        subscribe(how);
        for (int round = 0; round < 3; round++) {
            service.create("events/a", 2);
            Service.Reply claim = service.claim("sub", "worker");
            makeAnew("events/a", 3);
            restart();
            assertThat(service.worker("sub", "ack", claim, Service.ack("events/a", 2))
                            .code())
                    .isEqualTo("INVALID_OFFSET");
            service.streams().delete("events/a");
            restart();
            service.create("events/a", 4);
            assertThat(service.worker("sub", "ack", claim, Service.ack("events/a", 2))
                            .code())
                    .isEqualTo("INVALID_OFFSET");
            service.worker("sub", "release", claim, "");
            Service.Reply next = service.claim("sub", "worker");
            assertThat(next.acked("events/a")).isEqualTo(Service.offset(0));
            assertThat(service.worker("sub", "ack", next, Service.ack("events/a", 4) + ",\"done\":true")
                            .status())
                    .isEqualTo(200);
            service.streams().delete("events/a");
        }
    }

    @Test
    void a_stream_made_anew_before_the_claim_is_the_one_that_is_claimed() {
        subscribe("glob");
        service.create("events/a", 2);
        makeAnew("events/a", 1);
        service.create("events/b", 1);
        Service.Reply claim = service.claim("sub", "worker");

        assertThat(claim.stream("events/a").path("tail_offset").stringValue()).isEqualTo(Service.offset(1));
        assertThat(service.worker("sub", "ack", claim, Service.ack("events/a", 1))
                        .status())
                .isEqualTo(200);
        assertThat(service.worker("sub", "ack", claim, Service.ack("events/b", 1) + ",\"done\":true")
                        .body())
                .hasToString("{\"ok\":true,\"next_wake\":false}");
    }

    @Test
    void a_webhook_that_is_done_is_done_with_the_streams_it_was_told_of() {
        CountDownLatch anew = new CountDownLatch(1);
        try (Receiver receiver = new Receiver(wake -> {
            await(anew);
            return Receiver.Reply.DONE;
        })) {
            service.webhook("sub", "events/*", receiver, LEASE);
            service.create("events/a", 3);
            receiver.wake(0);
            makeAnew("events/a", 5);
            anew.countDown();

            Receiver.Wake second = receiver.wake(1);
            assertThat(second.stream("events/a").path("acked_offset").stringValue())
                    .isEqualTo(Service.offset(0));
            assertThat(second.tail("events/a")).isEqualTo(Service.offset(5));
            service.until("sub", reply -> reply.acked("events/a").equals(Service.offset(5)));
        }
    }

    @Test
    void a_callback_of_a_wake_told_before_is_refused() {
        try (Receiver receiver = new Receiver(wake -> Receiver.Reply.TAKEN)) {
            service.webhook("sub", "events/*", receiver, LEASE);
            service.create("events/a", 3);
            Receiver.Wake first = receiver.wake(0);
            service.untilLeased("sub");
            makeAnew("events/a", 5);

            assertThat(service.callback("sub", first, Service.ack("events/a", 3) + ",\"done\":true")
                            .code())
                    .isEqualTo("INVALID_OFFSET");
            assertThat(service.callback("sub", first, "\"done\":true").body())
                    .hasToString("{\"ok\":true,\"next_wake\":true}");
            assertThat(receiver.wake(1).stream("events/a").path("acked_offset").stringValue())
                    .isEqualTo(Service.offset(0));
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
