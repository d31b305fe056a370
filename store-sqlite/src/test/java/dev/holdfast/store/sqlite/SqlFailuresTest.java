package dev.holdfast.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.StorePoisoned;
import dev.holdfast.store.FailStop;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** The outcome table: what an error means before the commit, and what it means in it. */
final class SqlFailuresTest {

    private final FailStop failStop = new FailStop();
    private final SqlFailures failures = new SqlFailures("the store", failStop);

    @ParameterizedTest
    @CsvSource({
        "SQLITE_FULL,                  StoreFull,     StoreFull",
        "SQLITE_BUSY,                  StoreBusy,     StoreBusy",
        "SQLITE_BUSY_SNAPSHOT,         StoreBusy,     StoreBusy",
        "SQLITE_LOCKED,                StoreBusy,     StoreBusy",
        "SQLITE_CORRUPT,               StoreDamaged,  StoreDamaged",
        "SQLITE_NOTADB,                StoreDamaged,  StoreDamaged",
        "SQLITE_CONSTRAINT_UNIQUE,     StoreFailed,   StoreFailed",
        "SQLITE_CONSTRAINT_PRIMARYKEY, StoreFailed,   StoreFailed",
        "SQLITE_TOOBIG,                StoreFailed,   StoreFailed",
        "SQLITE_READONLY,              StoreFailed,   StoreFailed",
        "SQLITE_MISUSE,                StoreFailed,   StoreFailed",
        "SQLITE_ERROR,                 StoreFailed,   StorePoisoned",
        "SQLITE_NOMEM,                 StoreFailed,   StorePoisoned",
        "SQLITE_INTERRUPT,             StoreFailed,   StorePoisoned",
        "SQLITE_IOERR_READ,            StoreFailed,   StorePoisoned",
        "SQLITE_IOERR_WRITE,           StoreFailed,   StorePoisoned",
        "SQLITE_IOERR_TRUNCATE,        StoreFailed,   StorePoisoned",
        "SQLITE_IOERR_SHMSIZE,         StoreFailed,   StorePoisoned",
        "SQLITE_IOERR_SHMMAP,          StoreFailed,   StorePoisoned",
        "SQLITE_IOERR_FSYNC,           StorePoisoned, StorePoisoned",
        "SQLITE_IOERR_DIR_FSYNC,       StorePoisoned, StorePoisoned",
        "UNKNOWN_ERROR,                StoreFailed,   StorePoisoned",
    })
    void each_error_has_one_meaning_before_the_commit_and_one_in_it(SQLiteErrorCode code, String before, String in) {
        SQLiteException error = new SQLiteException("it failed", code);
        assertMeaning(failures.ofStatement(error), before, error);
        assertMeaning(new SqlFailures("the store", new FailStop()).ofCommit(error), in, error);
        assertThat(failStop.isPoisoned()).isEqualTo(before.equals("StorePoisoned"));
    }

    private static void assertMeaning(HoldfastException meaning, String expected, SQLException cause) {
        assertThat(meaning.getClass().getSimpleName()).isEqualTo(expected);
        assertThat(meaning).hasCause(cause).hasMessageContaining("the store");
    }

    @Test
    void an_error_of_the_driver_itself_in_a_commit_is_of_unknown_fate() {
        assertThat(failures.ofCommit(new SQLException("closed"))).isInstanceOf(StorePoisoned.class);
    }

    @Test
    void a_poisoned_store_keeps_telling_the_first_cause_FAIL_STOP() {
        SQLException first = new SQLException("first");
        StorePoisoned unused = failStop.poison(first);
        assertThat(failStop.poison(new SQLException("second"))).isInstanceOf(StorePoisoned.class);
        assertThatThrownBy(failStop::check).isInstanceOf(StorePoisoned.class).hasCause(first);
    }
}
