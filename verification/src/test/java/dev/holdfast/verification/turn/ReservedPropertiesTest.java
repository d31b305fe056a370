package dev.holdfast.verification.turn;

import static dev.holdfast.verification.turn.TurnFixture.SESSION;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.session.Properties;
import dev.holdfast.session.PropertyDeletion;
import dev.holdfast.store.PropertyRow;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What Holdfast keeps with a session is no business of applications. */
final class ReservedPropertiesTest {

    @Test
    void applications_neither_see_nor_change_what_holdfast_keeps_for_itself() {
        try (Sim sim = new Sim(new Stage())) {
            var unused = sim.turns().stop(SESSION, "not-there-yet", null);
            List<PropertyRow> kept = KeptProperties.of(sim.store(), "");
            assertThat(kept).hasSize(1);
            String name = kept.getFirst().name();

            Properties properties = sim.session().properties();
            assertThat(properties.get(name)).isEmpty();
            assertThat(properties.list("", 10).properties()).isEmpty();
            for (ThrowingCallable each : List.<ThrowingCallable>of(
                    () -> properties.put(name, "mine"),
                    () -> properties.delete(name),
                    () -> properties.change(List.of(PropertyDeletion.of(name))))) {
                assertThatThrownBy(each).isInstanceOf(InvalidArgument.class).hasMessageContaining("holdfast/");
            }
            assertThat(KeptProperties.of(sim.store(), "")).hasSize(1);
        }
    }
}
