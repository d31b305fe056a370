package dev.holdfast.session;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.PreconditionFailed;
import dev.holdfast.session.PropertyWrite.Condition;
import dev.holdfast.store.PropertyRow;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Whether a change of a property may be made, by what is there. */
final class PropertyConditionTest {

    private static final Optional<PropertyRow> THERE = Optional.of(new PropertyRow("t:x", "p", 3, new byte[0], 0));
    private static final Optional<PropertyRow> ABSENT = Optional.empty();

    @Test
    void without_a_condition_a_change_is_always_made() {
        assertHolds(Condition.ALWAYS, THERE);
        assertHolds(Condition.ALWAYS, ABSENT);
    }

    @Test
    void absent_holds_only_while_nothing_is_there() {
        assertHolds(Condition.ABSENT, ABSENT);
        assertFails(Condition.ABSENT, THERE);
    }

    @Test
    void a_version_holds_only_for_the_very_version() {
        assertHolds(new Condition.Version(3), THERE);
        assertFails(new Condition.Version(2), THERE);
        assertFails(new Condition.Version(4), THERE);
        assertFails(new Condition.Version(3), ABSENT);
        assertFails(new Condition.Version(0), ABSENT);
    }

    private static void assertHolds(Condition condition, Optional<PropertyRow> stored) {
        assertThatCode(() -> PropertyEngine.check("p", condition, stored)).doesNotThrowAnyException();
    }

    private static void assertFails(Condition condition, Optional<PropertyRow> stored) {
        assertThatThrownBy(() -> PropertyEngine.check("p", condition, stored)).isInstanceOf(PreconditionFailed.class);
    }
}
