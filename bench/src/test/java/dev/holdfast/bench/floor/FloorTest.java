package dev.holdfast.bench.floor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.bench.load.ClosedLoop;
import dev.holdfast.bench.load.Sample;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FloorTest {

    private static final Duration SHORT = Duration.ofMillis(100);

    @Test
    void a_floor_runs_under_the_store_s_own_settings(@TempDir Path folder) throws SQLException {
        FloorFile file = FloorFile.in(folder);

        try (Connection connection = file.connect()) {
            for (var pragma : file.pragmas().entrySet()) {
                assertThat(FloorFile.value(connection, pragma.getKey()))
                        .as(pragma.getKey())
                        .isEqualTo(pragma.getValue());
            }
        }
        assertThat(file.pragmas()).containsEntry("synchronous", "2").containsEntry("journal_mode", "wal");
    }

    @Test
    void a_row_per_append_holds_as_many_rows_as_were_acknowledged(@TempDir Path folder)
            throws SQLException, InterruptedException {
        Sample sample;
        try (Floor floor = Floor.rowPerAppend(folder)) {
            sample = new ClosedLoop(floor, 4, 3, 100).run(Duration.ZERO, SHORT);
        }

        assertThat(number(folder, "SELECT count(*) FROM log")).isGreaterThanOrEqualTo(sample.appends());
        assertThat(number(folder, "SELECT count(DISTINCT stream) FROM log")).isEqualTo(3);
    }

    @Test
    void a_row_per_commit_holds_all_that_was_acknowledged(@TempDir Path folder)
            throws SQLException, InterruptedException {
        Sample sample;
        try (Floor floor = Floor.rowPerCommit(folder)) {
            sample = new ClosedLoop(floor, 4, 3, 100).run(Duration.ZERO, SHORT);
        }

        long perAppend = 100 + 2;
        assertThat(number(folder, "SELECT sum(length(data)) FROM log"))
                .isGreaterThanOrEqualTo(perAppend * sample.appends());
        assertThat(number(folder, "SELECT count(*) FROM log")).isPositive();
    }

    private static long number(Path folder, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("floor.db"));
                var statement = connection.createStatement();
                var row = statement.executeQuery(sql)) {
            return row.getLong(1);
        }
    }
}
