package dev.holdfast.verification.subscriptions;

import static dev.holdfast.verification.rig.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.session.MessageDraft;
import dev.holdfast.verification.rig.FileStamps;
import dev.holdfast.verification.rig.ManualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server whose subscriptions have nothing to do costs nothing, however long (IDLE-IS-SILENT). */
final class IdleTest {

    private static final int LEASE = 2000;

    @TempDir
    Path folder;

    private final ManualClock clock = new ManualClock();

    /** Asks for what is there, through the committer and past it. */
    private static void look(Service service) {
        assertThat(service.get("pull").status()).isEqualTo(200);
        assertThat(service.get("hook").status()).isEqualTo(200);
        assertThat(service.claim("pull", "worker").code()).isEqualTo("NO_PENDING_WORK");
        assertThat(service.streams().delete("none")).isFalse();
    }

    @Test
    void an_idle_server_writes_nothing() {
        try (Receiver receiver = new Receiver(wake -> Receiver.Reply.DONE);
                Service service = new Service(folder, clock)) {
            service.holdfast().sessions().create("s").append(MessageDraft.of("m", "user", "hello"));
            service.holdfast().properties().put("theme", "dark");
            service.create("wake/pool", 0);
            service.pull("pull", "pulled/*", "wake/pool", LEASE);
            service.webhook("hook", "pushed/*", receiver, LEASE);
            service.create("pulled/a", 1);
            Service.Reply claim = service.claim("pull", "worker");
            service.worker("pull", "ack", claim, Service.ack("pulled/a", 1) + ",\"done\":true");
            service.create("pushed/a", 1);
            service.until("hook", reply -> reply.acked("pushed/a").equals(Service.offset(1)));
            await().until(() -> {
                clock.advance(Duration.ofMinutes(1)); // leases and pauses run out
                look(service);
                return clock.pending() == 0;
            });
            Map<String, String> files = await().until(
                            () -> {
                                Map<String, String> before = FileStamps.of(folder);
                                look(service);
                                look(service); // upkeep comes with one of the next batches
                                return FileStamps.of(folder).equals(before) ? before : Map.of();
                            },
                            stamps -> !stamps.isEmpty());
            long timers = clock.timersMade();
            for (int day = 0; day < 30; day++) {
                clock.advance(Duration.ofDays(1));
                look(service);
            }

            assertThat(FileStamps.of(folder)).isEqualTo(files);
            assertThat(clock.timersMade()).isEqualTo(timers);
            assertThat(receiver.wakes()).hasSize(1);
            service.append("pushed/a", 1);
            service.until("hook", reply -> reply.acked("pushed/a").equals(Service.offset(2)));
        }
    }
}
