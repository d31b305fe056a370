package dev.holdfast.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.HoldfastException;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.util.PSQLException;
import org.postgresql.util.PSQLState;

/** The outcome table: what an error means before the commit, and what it means in it. */
final class SqlFailuresTest {

    private final SqlFailures failures = new SqlFailures("The database");

    @ParameterizedTest
    @CsvSource({
        "53100, StoreFull,    StoreFull",
        "53200, StoreFull,    StoreFull",
        "53300, StoreBusy,    StoreBusy",
        "40001, StoreBusy,    StoreBusy",
        "40P01, StoreBusy,    StoreBusy",
        "40003, StoreBusy,    unknown",
        "55P03, StoreBusy,    StoreBusy",
        "57014, StoreBusy,    unknown",
        "57P01, StoreBusy,    unknown",
        "57P02, StoreBusy,    unknown",
        "57P03, StoreBusy,    unknown",
        "08000, StoreBusy,    unknown",
        "08006, StoreBusy,    unknown",
        "25P03, StoreBusy,    unknown",
        "25P04, StoreBusy,    unknown",
        "25006, StoreBusy,    StoreBusy",
        "25P02, StoreFailed,  StoreFailed",
        "23505, StoreFailed,  StoreFailed",
        "22021, StoreFailed,  StoreFailed",
        "22012, StoreFailed,  StoreFailed",
        "42P01, StoreFailed,  StoreFailed",
        "XX000, StoreFailed,  unknown",
        "XX001, StoreDamaged, unknown",
        "XX002, StoreDamaged, unknown",
        "58030, StoreFailed,  unknown",
        "'',    StoreFailed,  unknown",
    })
    void each_error_has_one_meaning_before_the_commit_and_one_in_it(String state, String before, String in) {
        SQLException error = new SQLException("it failed", state);
        assertMeaning(failures.ofStatement(error), before, error);
        if (in.equals("unknown")) {
            assertThat(failures.ofCommit(error)).isEmpty();
        } else {
            assertMeaning(failures.ofCommit(error).orElseThrow(), in, error);
        }
    }

    private static void assertMeaning(HoldfastException meaning, String expected, SQLException cause) {
        assertThat(meaning.getClass().getSimpleName()).isEqualTo(expected);
        assertThat(meaning).hasCause(cause).hasMessageContaining("database");
    }

    @Test
    void a_message_does_not_name_the_host_of_the_database() {
        PSQLException refused =
                new PSQLException("Connection to 10.1.2.3:5432 refused", PSQLState.CONNECTION_UNABLE_TO_CONNECT);
        assertThat(failures.ofStatement(refused))
                .hasMessageNotContaining("10.1.2.3")
                .hasCause(refused);
    }

    @Test
    void an_error_of_the_driver_itself_in_a_commit_is_of_unknown_fate() {
        assertThat(failures.ofCommit(new SQLException("closed"))).isEmpty();
        assertThat(SqlFailures.breaks(new SQLException("closed"))).isTrue();
    }
}
