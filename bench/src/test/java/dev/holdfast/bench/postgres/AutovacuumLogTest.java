package dev.holdfast.bench.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

final class AutovacuumLogTest {

    private static final String LOG = """
            2026-11-30 23:44:05.471 UTC [7] LOG:  automatic vacuum of table "postgres.mine.holdfast_segments": index scans: 1
            \tpages: 0 removed, 120 remain, 120 scanned (100.00% of total)
            \tsystem usage: CPU: user: 0.02 s, system: 0.01 s, elapsed: 0.25 s
            2026-11-30 23:44:05.480 UTC [7] LOG:  automatic analyze of table "postgres.mine.holdfast_segments"
            \tsystem usage: CPU: user: 5.00 s, system: 5.00 s, elapsed: 5.00 s
            2026-11-30 23:44:06.471 UTC [8] LOG:  automatic vacuum of table "postgres.other.holdfast_segments": index scans: 1
            \tsystem usage: CPU: user: 7.00 s, system: 7.00 s, elapsed: 7.00 s
            2026-11-30 23:44:07.471 UTC [9] LOG:  automatic aggressive vacuum of table "postgres.mine.holdfast_streams": index scans: 0
            \tsystem usage: CPU: user: 0.10 s, system: 0.00 s, elapsed: 1.00 s
            """;

    @Test
    void only_vacuums_of_the_schema_are_counted() {
        AutovacuumLog log = AutovacuumLog.of(LOG.lines().toList(), "mine");

        assertThat(log.runs()).isEqualTo(2);
        assertThat(log.seconds()).isEqualTo(1.25, within(1e-9));
        assertThat(log.cpuSeconds()).isEqualTo(0.13, within(1e-9));
    }

    @Test
    void a_log_without_vacuums_has_none() {
        assertThat(AutovacuumLog.of(List.of("LOG:  checkpoint starting: wal"), "mine"))
                .isEqualTo(new AutovacuumLog(0, 0, 0));
    }
}
