package dev.holdfast.http.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.access.Authorizer;
import dev.holdfast.access.Principal;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.NoExchange;
import dev.holdfast.http.session.Drivers.Standing;
import dev.holdfast.http.sse.SseSettings;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Seats: who gets them, who keeps them, and how many there are. */
@InProcess("It plays with the seats alone, and there is no server")
final class DriversTest {

    private static final SessionKey SESSION = new SessionKey("default", "s");

    @TempDir
    private Path folder;

    private final Drivers drivers = new Drivers();
    private Holdfast holdfast;
    private Transport transport;

    @BeforeEach
    void open() {
        holdfast = Holdfast.open(folder);
        transport = new Transport(
                holdfast,
                Authorizer.allowAll(),
                TransportSettings.of(SseSettings.defaults(), HttpLimits.defaults(), "default"));
    }

    @AfterEach
    void close() {
        holdfast.close();
    }

    private Connection connection(String device) {
        return connection(device, Principal.anonymous("default"));
    }

    private Connection connection(String device, Principal principal) {
        Outlet nowhere = new Outlet() {
            @Override
            public void add(byte[] json) {}

            @Override
            public boolean flush() {
                return false;
            }
        };
        return new Connection(transport, "conn-" + device, principal, device, new NoExchange(), nowhere);
    }

    @Test
    void who_sends_while_its_connection_ends_finds_the_seat_when_it_comes_back() {
        Connection other = connection("other");
        assertThat(drivers.take(SESSION, other)).containsExactly(SESSION);
        Connection phone = connection("phone");
        phone.close();
        assertThat(drivers.take(SESSION, phone)).containsExactly(SESSION); // it sent last, though it is gone
        assertThat(drivers.standing(SESSION, other)).isEqualTo(Standing.NONE);
        assertThat(other.seats()).isEmpty();
        Connection again = connection("phone");
        assertThat(drivers.takeOwnBack(SESSION, again)).containsExactly(SESSION);
        assertThat(drivers.standing(SESSION, again)).isEqualTo(Standing.YOU);
    }

    @Test
    void a_seat_that_another_device_took_meanwhile_does_not_come_back() {
        Connection hidden = connection("hidden");
        drivers.take(SESSION, hidden);
        assertThat(drivers.leave(hidden)).containsExactly(SESSION);
        Connection other = connection("other");
        assertThat(drivers.takeBack(SESSION, other)).containsExactly(SESSION);
        assertThat(drivers.takeOwnBack(SESSION, hidden)).isEmpty();
        drivers.leave(other);
        assertThat(drivers.takeOwnBack(SESSION, hidden)).isEmpty(); // it is the other one's by now
    }

    @Test
    void only_the_driver_closes_and_a_closed_seat_is_nobodys() {
        Connection driver = connection("driver");
        Connection other = connection("other");
        drivers.take(SESSION, driver);
        assertThat(drivers.close(SESSION, other)).isFalse();
        assertThat(drivers.close(SESSION, driver)).isTrue();
        assertThat(drivers.takeBack(SESSION, other)).isEmpty();
        assertThat(driver.seats()).isEmpty();
    }

    @Test
    void the_limit_MAX_SEATS_bounds_what_one_connection_drives() {
        Connection gateway = connection("gateway");
        for (int i = 0; i < TransportLimits.MAX_SEATS; i++) {
            drivers.take(new SessionKey("default", "s" + i), gateway);
        }
        assertThat(drivers.take(SESSION, gateway)).containsExactly(SESSION, new SessionKey("default", "s0"));
        assertThat(gateway.seats()).hasSize(TransportLimits.MAX_SEATS);
        assertThat(drivers.standing(new SessionKey("default", "s0"), gateway)).isEqualTo(Standing.NONE);
    }

    @Test
    void the_limit_MAX_VACANT_SEATS_is_a_tenants_own() {
        Connection first = connection("first", Principal.anonymous("quiet"));
        SessionKey quiet = new SessionKey("quiet", "s");
        drivers.take(quiet, first);
        drivers.leave(first);
        for (int i = 0; i <= TransportLimits.MAX_VACANT_SEATS; i++) {
            Connection passing = connection("passing");
            drivers.take(new SessionKey("default", "s" + i), passing);
            drivers.leave(passing);
        }
        Connection late = connection("late");
        assertThat(drivers.takeBack(new SessionKey("default", "s0"), late)).isEmpty(); // forgotten
        assertThat(drivers.takeBack(new SessionKey("default", "s1"), late)).isNotEmpty();
        assertThat(drivers.takeBack(quiet, first)).containsExactly(quiet);
    }
}
