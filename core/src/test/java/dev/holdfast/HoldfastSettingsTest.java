package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.store.StoreSettings;
import dev.holdfast.store.Time;
import dev.holdfast.store.Timers;
import org.junit.jupiter.api.Test;

final class HoldfastSettingsTest {

    @Test
    void an_instance_and_its_embedded_store_go_by_one_clock_whichever_was_set_first() {
        Time clock = new StandingTime();
        HoldfastSettings settings = HoldfastSettings.defaults().withTime(clock, Timers::system);
        assertThat(settings.store().time()).isSameAs(clock);
        assertThat(settings.withStore(StoreSettings.defaults()).store().time()).isSameAs(clock);
    }

    private static final class StandingTime implements Time {
        @Override
        public long wallMillis() {
            return 0;
        }

        @Override
        public long monotonicNanos() {
            return 0;
        }

        @Override
        public long randomLong() {
            return 0;
        }
    }
}
