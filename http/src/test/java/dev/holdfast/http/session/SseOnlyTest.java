package dev.holdfast.http.session;

import static dev.holdfast.http.session.Wire.command;
import static dev.holdfast.http.session.Wire.json;
import static dev.holdfast.http.session.Wire.sending;
import static dev.holdfast.http.session.Wire.watching;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.Patience;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What a connection of server-sent events does: keys, silence, rotation, the end of the process, and clients that do not read. */
@ParameterizedClass
@EnumSource
final class SseOnlyTest {

    private static final String ALICE = "secret-of-alice-1234567890";
    private static final String BOB = "secret-of-bob-12345678901234";

    private final Where where;

    @TempDir
    private Path folder;

    SseOnlyTest(Where where) {
        this.where = where;
    }

    @Test
    void a_connection_belongs_to_the_key_that_opened_it() throws Exception {
        try (Wire wire = Wire.open(where, folder, Plan.plain().withKeys(ALICE, BOB))) {
            assertThat(wire.http.get(SessionTransport.PATH).statusCode()).isEqualTo(401);
            String[] alice = {"Authorization", "Bearer " + ALICE};
            String[] bob = {"Authorization", "Bearer " + BOB};
            try (Line line = wire.connect(alice)) {
                String probe = command("probe").put("nonce", "n").toString();
                assertThat(wire.post(line.id(), probe).statusCode()).isEqualTo(401);
                HttpResponse<String> foreign = wire.post(line.id(), probe, bob);
                assertThat(foreign.statusCode()).isEqualTo(403);
                assertThat(json(foreign.body()).get("type").stringValue()).endsWith("not-your-connection");
                assertThat(wire.post(line.id(), probe, alice).statusCode()).isEqualTo(200);
                assertThat(Line.type(line.next())).isEqualTo("probe");
            }
        }
    }

    @Test
    void a_device_of_another_key_is_another_device() throws Exception {
        try (Wire wire = Wire.open(where, folder, Plan.plain().withKeys(ALICE, BOB));
                Line alice = SseLine.open(wire, "d", "Authorization", "Bearer " + ALICE);
                Line bob = SseLine.open(wire, "d", "Authorization", "Bearer " + BOB)) {
            alice.done(sending("s", "m1"));
            ObjectNode reconnect = command("reconnect");
            reconnect.putArray("sessions").addObject().put("session", "s");
            bob.done(reconnect);
            assertThat(bob.next("attached").get("driver").stringValue()).isEqualTo("other");
        }
    }

    @Test
    void a_right_is_asked_for_at_each_attach_and_one_that_was_taken_away_ends_with_the_next() throws Exception {
        try (Wire wire = Wire.open(where, folder);
                Line line = wire.connect()) {
            wire.there.create("secret");
            line.done(watching("secret", null));
            JsonNode attached = line.next("attached");
            wire.there.forbid("secret");
            JsonNode refused =
                    line.command(watching("secret", attached.get("cursor").stringValue()));
            assertThat(refused.get("status").intValue()).isEqualTo(403);
        }
    }

    @Test
    void a_command_of_a_connection_that_nobody_knows_says_so() throws Exception {
        try (Wire wire = Wire.open(where, folder)) {
            HttpResponse<String> answer =
                    wire.post("conn-nobody", command("bye").toString());
            assertThat(answer.statusCode()).isEqualTo(404);
            assertThat(json(answer.body()).get("type").stringValue()).endsWith("connection-not-found");
            Line line = wire.connect();
            line.done(command("bye"));
            line.next("goodbye");
            assertThat(line.read()).isEmpty(); // a clean end
            Patience.await()
                    .untilAsserted(() -> assertThat(
                                    wire.post(line.id(), command("bye").toString())
                                            .statusCode())
                            .isEqualTo(404));
        }
    }

    @Test
    void a_device_has_a_short_plain_name() throws Exception {
        try (Wire wire = Wire.open(where, folder)) {
            assertThat(wire.http.get(SessionTransport.PATH + "?device=a%20b").statusCode())
                    .isEqualTo(400);
        }
    }

    @Test
    void the_first_bytes_say_when_to_come_back_and_a_beacon_is_a_command_like_any_other() throws Exception {
        try (Wire wire = Wire.open(where, folder);
                Socket socket = wire.http.connect()) {
            socket.getOutputStream()
                    .write("GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
                            .formatted(SessionTransport.PATH)
                            .getBytes(StandardCharsets.US_ASCII));
            String head = read(socket.getInputStream(), "rotateAfterMillis");
            assertThat(head)
                    .contains("retry: 2000")
                    .contains("X-Accel-Buffering: no")
                    .containsIgnoringCase("Cache-Control: no-store");
        }
    }

    static String read(InputStream in, String until) throws IOException {
        StringBuilder text = new StringBuilder();
        while (text.indexOf(until) < 0) {
            int c = in.read();
            if (c < 0) {
                throw new AssertionError("It ended after " + text);
            }
            text.append((char) c);
        }
        return text.toString();
    }

    @Test
    void silence_is_broken_by_a_heartbeat_that_a_script_can_see_and_no_timer_runs_without_a_connection()
            throws Exception {
        try (Wire wire = Wire.open(where, folder, Plan.plain().withMovedClock(Duration.ZERO))) {
            assertThat(wire.there.waitingTimers()).isZero();
            Line line = wire.connect();
            for (int i = 0; i < 3; i++) {
                Patience.await().until(() -> wire.there.waitingTimers() > 0);
                wire.there.advance(Duration.ofSeconds(15));
                assertThat(line.read().map(Line::type)).contains("heartbeat");
            }
            line.close();
            Patience.await().untilAsserted(() -> {
                wire.there.advance(
                        Duration.ofSeconds(15)); // a client that vanished is noticed when something is written
                assertThat(wire.there.connections()).isZero();
            });
            Patience.await()
                    .untilAsserted(() -> assertThat(wire.there.waitingTimers()).isZero());
        }
    }

    @Test
    void a_connection_is_ended_on_purpose_before_a_proxy_does_it_and_its_client_goes_on() throws Exception {
        try (Wire wire = Wire.open(where, folder, Plan.plain().withMovedClock(Duration.ofMinutes(5)))) {
            wire.there.create("s");
            Applied applied = new Applied("s");
            try (Line line = wire.connect()) {
                line.done(watching("s", null));
                applied.frame(line.next());
                wire.there.advance(Duration.ofMinutes(5));
                JsonNode rotate = line.next("rotate");
                assertThat(rotate.get("reason").stringValue()).isEqualTo("rotation");
                assertThat(line.read()).isEmpty();
            }
            wire.there.append("s", "m", "{}");
            try (Line line = wire.connect()) {
                line.done(watching("s", applied.cursor()));
                line.follow(applied, "message-added");
                assertThat(applied.snapshots()).isEqualTo(1);
            }
        }
    }

    @Test
    void a_process_that_ends_tells_its_clients_to_come_back() throws Exception {
        try (Wire wire = Wire.open(where, folder);
                Line line = wire.connect()) {
            wire.there.drain(Duration.ofMinutes(2));
            JsonNode rotate = line.next("rotate");
            assertThat(rotate.get("reason").stringValue()).isEqualTo("draining");
            assertThat(rotate.get("retryMillis").longValue()).isPositive();
            try (Line late = wire.connect()) {
                assertThat(late.next("rotate").get("reason").stringValue()).isEqualTo("draining");
            }
        }
    }

    @Test
    void a_seat_is_lost_by_who_stays_hidden_for_long_and_found_again_M58_M71() throws Exception {
        try (Wire wire = Wire.open(where, folder, Plan.plain().withMovedClock(Duration.ZERO));
                Line phone = wire.connectAs("phone")) {
            phone.done(sending("s", "m1"));
            phone.done(watching("s", null));
            assertThat(phone.next("attached").get("driver").stringValue()).isEqualTo("you");
            phone.done(command("suspend"));
            try (Line desk = wire.connectAs("desk")) {
                desk.done(watching("s", null));
                assertThat(desk.next("attached").get("driver").stringValue()).isEqualTo("other");
                Patience.await().until(() -> {
                    wire.there.advance(Duration.ofSeconds(15));
                    desk.done(watching("s", null));
                    return desk.next("attached").get("driver").stringValue().equals("none");
                });
                phone.done(command("resume"));
                Patience.await().until(() -> {
                    desk.done(watching("s", null));
                    return desk.next("attached").get("driver").stringValue().equals("other");
                });
            }
        }
    }

    @Test
    void a_client_that_takes_nothing_holds_up_nobody_M66() throws Exception {
        try (Wire wire = Wire.open(where, folder);
                Socket asleep = wire.http.connect();
                Line awake = wire.connect()) {
            asleep.setReceiveBufferSize(1024);
            asleep.getOutputStream()
                    .write("GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
                            .formatted(SessionTransport.PATH)
                            .getBytes(StandardCharsets.US_ASCII));
            String head = read(asleep.getInputStream(), "heartbeatMillis");
            String id = head.substring(head.indexOf("conn-"), head.indexOf("\",\"heartbeat"));
            wire.there.create("s");
            assertThat(wire.post(id, watching("s", null).toString()).statusCode())
                    .isEqualTo(200);
            awake.done(watching("s", null));
            Applied applied = new Applied("s");
            applied.frame(awake.next("attached"));
            String text = "x".repeat(100_000);
            for (int i = 0; i < 200; i++) {
                wire.there.append(
                        "s",
                        "m" + i,
                        "{\"id\":\"m%d\",\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"text\":\"%s\"}]}"
                                .formatted(i, text));
            }
            while (applied.events().size() < 200) {
                applied.frame(awake.next());
            }
            wire.post(id, command("probe").put("nonce", "still there").toString());
        }
    }

    @Test
    void many_connections_of_many_sessions_come_and_go_and_nothing_of_them_stays_M69() throws Exception {
        try (Wire wire = Wire.open(where, folder);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> clients = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                String session = "s" + i % 10;
                wire.there.create(session);
                clients.add(threads.submit(() -> {
                    try (Line line = wire.connect()) {
                        line.done(watching(session, null));
                        line.next("attached");
                        line.done(command("bye"));
                        line.next("goodbye");
                    }
                    return null;
                }));
            }
            for (Future<?> client : clients) {
                client.get();
            }
            Patience.await().untilAsserted(() -> {
                assertThat(wire.there.connections()).isZero();
                assertThat(wire.there.watchedSessions()).isZero();
                assertThat(wire.there.exchanges()).isZero();
            });
        }
    }
}
