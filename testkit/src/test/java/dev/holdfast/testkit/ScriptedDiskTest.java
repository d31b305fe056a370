package dev.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.StoreBusy;
import dev.holdfast.error.HoldfastException.StoreDamaged;
import dev.holdfast.error.HoldfastException.StoreFailed;
import dev.holdfast.error.HoldfastException.StoreFull;
import dev.holdfast.error.HoldfastException.StorePoisoned;
import dev.holdfast.store.StoreTransaction;
import dev.holdfast.testkit.ScriptedDisk.Fault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the scripted disk does to a store, so that the simulator's verdicts can be trusted. */
final class ScriptedDiskTest {

    private final ScriptedDisk disk = new ScriptedDisk();
    private final SimTime time = new SimTime();
    private SimStore store = new SimStore(disk, time);

    private void write(long key) {
        StoreTransaction transaction = store.begin();
        try {
            transaction.insertStream(Samples.stream(key, "s" + key));
            transaction.commit();
        } catch (HoldfastException e) {
            transaction.rollback();
            throw e;
        }
    }

    private boolean has(long key) {
        return has(store, key);
    }

    private static boolean has(SimStore where, long key) {
        return where.read(reads -> reads.stream(key)).isPresent();
    }

    private void restart(int survivingPerMille) {
        store.close();
        disk.restart(survivingPerMille);
        store = new SimStore(disk, time);
    }

    @ParameterizedTest
    @EnumSource(names = {"FULL", "BUSY", "REFUSED"})
    void a_failure_of_known_fate_leaves_the_store_as_it_was_and_usable(Fault fault) {
        write(1);
        disk.plan(fault, 1);

        assertThatThrownBy(() -> write(2)).isInstanceOfAny(StoreFull.class, StoreBusy.class, StoreFailed.class);

        assertThat(has(1)).isTrue();
        assertThat(has(2)).isFalse();
        write(2);
        assertThat(has(2)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 500, 999, 1000})
    void after_a_failed_sync_nothing_more_is_written_and_a_restart_finds_all_of_the_transaction_or_none_FAIL_STOP(
            int survivingPerMille) {
        write(1);
        disk.plan(Fault.SYNC_FAILS, 1);

        assertThatExceptionOfType(StorePoisoned.class).isThrownBy(() -> write(2));
        assertThatExceptionOfType(StorePoisoned.class).isThrownBy(() -> store.begin());
        assertThat(has(1)).isTrue();
        assertThat(has(2)).isFalse();
        restart(survivingPerMille);

        assertThat(has(1)).isTrue();
        assertThat(has(2)).isEqualTo(survivingPerMille == 1000);
        write(3);
        restart(0);
        assertThat(has(3)).isTrue();
    }

    @Test
    void a_dead_process_does_no_further_step_even_if_it_caught_the_crash() {
        for (int steps = 1; steps < 12; steps++) {
            disk.plan(Fault.CRASH, steps);
            long key = steps;
            try {
                write(key);
                disk.heal();
                assertThat(has(key)).isTrue();
                return;
            } catch (SimulatedCrash e) {
                assertThatExceptionOfType(SimulatedCrash.class).isThrownBy(() -> has(key));
                SimStore dead = store;
                restart(1000);
                assertThatExceptionOfType(SimulatedCrash.class).isThrownBy(dead::begin);
            }
        }
        throw new AssertionError("no commit got through");
    }

    @Test
    void damage_in_the_last_transaction_drops_it_and_damage_before_it_is_refused() {
        write(1);
        int end = disk.length();
        write(2);

        ScriptedDisk torn = disk.copy();
        torn.damage(end + 20);
        SimStore opened = new SimStore(torn, time);
        assertThat(has(opened, 2)).isFalse();
        assertThat(has(opened, 1)).isTrue();

        for (int offset = 0; offset < end; offset += 7) {
            ScriptedDisk damaged = disk.copy();
            damaged.damage(offset);
            assertThatExceptionOfType(StoreDamaged.class).isThrownBy(() -> new SimStore(damaged, time));
        }
    }
}
