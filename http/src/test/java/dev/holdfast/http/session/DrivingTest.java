package dev.holdfast.http.session;

import static dev.holdfast.http.session.Wire.command;
import static dev.holdfast.http.session.Wire.sending;
import static dev.holdfast.http.session.Wire.watching;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.Patience;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/** Who drives a session, and what hidden pages and closed sessions mean for that; over both transports. */
@ParameterizedClass
@EnumSource
final class DrivingTest extends BothTransports {

    DrivingTest(Way way) {
        super(way);
    }

    @Test
    void while_a_page_is_hidden_nothing_comes_and_then_all_of_it_M47_M58() throws Exception {
        wire.there.create("s");
        try (Line line = connect()) {
            line.done(watching("s", null));
            line.next("attached");
            line.done(command("suspend"));
            line.done(command("suspend")); // as browsers tell it twice
            wire.there.append("s", "m", "{}");
            line.done(command("probe").put("nonce", "n"));
            assertThat(Line.type(line.next())).isEqualTo("probe");
            line.done(command("resume"));
            assertThat(Line.type(line.next())).isEqualTo("events");
        }
    }

    @Test
    void the_driver_is_who_sent_last_and_the_one_before_is_told_M52() throws Exception {
        try (Line phone = connectAs("phone");
                Line desk = connectAs("desk")) {
            phone.done(sending("s", "m1"));
            phone.done(watching("s", null));
            assertThat(phone.next("attached").get("driver").stringValue()).isEqualTo("you");
            desk.done(watching("s", null));
            assertThat(desk.next("attached").get("driver").stringValue()).isEqualTo("other");
            desk.done(sending("s", "m2"));
            JsonNode displaced = phone.next("driver");
            assertThat(displaced.get("driver").stringValue()).isEqualTo("other");
            assertThat(displaced.get("displaced").booleanValue()).isTrue();
            assertThat(desk.next("driver").get("driver").stringValue()).isEqualTo("you");
        }
    }

    @Test
    void who_comes_back_gets_the_seat_if_its_driver_is_gone_and_who_only_watches_does_not_M43_M44_M45()
            throws Exception {
        try (Line desk = connectAs("desk")) {
            try (Line phone = connectAs("phone")) {
                phone.done(sending("s", "m1"));
                desk.done(reconnecting("s", null));
                assertThat(desk.next("attached").get("driver").stringValue()).isEqualTo("other"); // its driver is there
            }
            assertThat(desk.next("driver").get("driver").stringValue()).isEqualTo("none");
            desk.done(watching("s", null));
            assertThat(desk.next("attached").get("driver").stringValue()).isEqualTo("none");
            desk.done(reconnecting("s", null));
            assertThat(desk.next("attached").get("driver").stringValue()).isEqualTo("you");
        }
    }

    @Test
    void a_device_that_reconnects_takes_its_seat_from_its_own_stale_connection() throws Exception {
        try (Line stale = connectAs("phone");
                Line fresh = connectAs("phone")) {
            stale.done(sending("s", "m1"));
            fresh.done(reconnecting("s", null));
            assertThat(fresh.next("attached").get("driver").stringValue()).isEqualTo("you");
            stale.vanish(); // late, and it changes nothing
            Patience.await()
                    .untilAsserted(() -> assertThat(wire.there.connections()).isEqualTo(1));
            fresh.done(watching("s", null));
            assertThat(fresh.next("attached").get("driver").stringValue()).isEqualTo("you");
        }
    }

    @Test
    void its_driver_closes_a_session_and_nobody_drives_it_until_someone_sends_M46_M53_M59() throws Exception {
        try (Line phone = connectAs("phone");
                Line desk = connectAs("desk")) {
            phone.done(sending("s", "m1"));
            JsonNode refused = desk.done(command("close").put("session", "s"));
            assertThat(refused.get("accepted").booleanValue()).isFalse();
            Applied applied = desk.watch("s");
            assertThat(phone.done(command("close").put("session", "s").put("reason", "bedtime"))
                            .get("accepted")
                            .booleanValue())
                    .isTrue();
            desk.follow(applied, "turn-ended");
            assertThat(applied.last("session-closed")
                            .orElseThrow()
                            .get("reason")
                            .stringValue())
                    .isEqualTo("bedtime");
            phone.done(reconnecting("s", null));
            JsonNode attached = phone.next("attached");
            assertThat(attached.get("closed").booleanValue()).isTrue();
            assertThat(attached.get("driver").stringValue()).isEqualTo("none");
            desk.done(sending("s", "m2"));
            desk.follow(applied, "session-reopened");
        }
    }
}
