package dev.holdfast.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.StoreDamaged;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The scan of the write-ahead log, on logs that SQLite itself wrote: what a crash can leave is accepted, what loses commits is not. */
final class WalScanTest {

    private static final int HEADER = 32;
    private static final int FRAME_HEADER = 24;
    private static final int FRAME = FRAME_HEADER + 4096;

    /** The fields of a frame's header and its page, as offsets of a bit to flip; the low byte of each number. */
    private static final int[] FRAME_REGIONS = {3, 7, 11, 15, 19, 23, 24, 24 + 2048, FRAME - 1};

    @TempDir
    Path folder;

    private Path database;
    private Path wal;
    private Connection writer;

    @BeforeEach
    void createDatabase() throws SQLException {
        Path live = folder.resolve("live.db");
        writer = DriverManager.getConnection("jdbc:sqlite:" + live);
        execute(
                "PRAGMA journal_mode = WAL",
                "PRAGMA wal_autocheckpoint = 0",
                "CREATE TABLE t (id INTEGER PRIMARY KEY, data BLOB)");
        execute("PRAGMA wal_checkpoint(TRUNCATE)");
        database = folder.resolve("copy.db");
        wal = folder.resolve("copy.db-wal");
    }

    private void execute(String... statements) throws SQLException {
        try (Statement statement = writer.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private void commit(int bytes) throws SQLException {
        try (PreparedStatement insert = writer.prepareStatement("INSERT INTO t (data) VALUES (?)")) {
            insert.setBytes(1, Rows.random(bytes, bytes));
            insert.executeUpdate();
        }
    }

    /** The files as a crash at this moment leaves them. */
    private byte[] crash() throws IOException {
        Files.write(database, Files.readAllBytes(folder.resolve("live.db")));
        byte[] bytes = Files.readAllBytes(folder.resolve("live.db-wal"));
        Files.write(wal, bytes);
        return bytes;
    }

    private void write(byte[] bytes) throws IOException {
        Files.write(wal, bytes);
    }

    private static byte[] flipped(byte[] bytes, int at) {
        byte[] copy = bytes.clone();
        copy[at] ^= 1;
        return copy;
    }

    private static int frame(int index) {
        return HEADER + (index - 1) * FRAME;
    }

    private static List<Integer> commitFrames(byte[] bytes) {
        List<Integer> commits = new ArrayList<>();
        for (int index = 1; frame(index) < bytes.length; index++) {
            if (ByteBuffer.wrap(bytes).getInt(frame(index) + 4) != 0) {
                commits.add(index);
            }
        }
        return commits;
    }

    private void assertAccepted() {
        assertThatCode(() -> WalScan.check(database)).doesNotThrowAnyException();
    }

    private void assertRefused(String description) {
        assertThatThrownBy(() -> WalScan.check(database)).as(description).isInstanceOf(StoreDamaged.class);
    }

    private long rowsThatSqliteFinds() throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + database);
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SELECT count(*) FROM t")) {
            return result.getLong(1);
        }
    }

    @Test
    void a_log_as_a_crash_leaves_it_is_accepted_and_so_is_none() throws Exception {
        for (int i = 0; i < 6; i++) {
            commit(100 + i * 5000);
        }
        crash();
        assertAccepted();
        Files.delete(wal);
        assertAccepted();
        write(new byte[0]);
        assertAccepted();
    }

    @Test
    void sqlite_itself_loses_commits_in_silence() throws Exception {
        for (int i = 0; i < 6; i++) {
            commit(100);
        }
        byte[] good = crash();
        write(flipped(good, frame(2) + 2000));
        assertRefused("the danger that this test is about");
        assertThat(rowsThatSqliteFinds()).isEqualTo(1);
    }

    @Test
    void a_flipped_bit_anywhere_before_the_last_commit_is_damage() throws Exception {
        for (int i = 0; i < 6; i++) {
            commit(100 + i * 3000);
        }
        byte[] good = crash();
        List<Integer> commits = commitFrames(good);
        int before = commits.get(commits.size() - 2);
        assertThat(before).isGreaterThan(8);
        for (int index = 1; index <= before; index++) {
            for (int region : FRAME_REGIONS) {
                write(flipped(good, frame(index) + region));
                assertRefused("frame " + index + " of " + commits + ", byte " + region);
            }
        }
        write(good);
        assertAccepted();
    }

    @Test
    void a_flipped_bit_in_the_header_is_damage_when_commits_follow() throws Exception {
        commit(100);
        commit(9000);
        byte[] good = crash();
        for (int at = 3; at < HEADER; at += 4) {
            write(flipped(good, at));
            assertRefused("header byte " + at);
        }
    }

    @Test
    void a_torn_last_commit_is_what_a_crash_leaves() throws Exception {
        commit(100);
        commit(100);
        commit(9000);
        byte[] good = crash();
        List<Integer> commits = commitFrames(good);
        int firstOfLast = commits.get(commits.size() - 2) + 1;
        int last = commits.getLast();
        assertThat(last - firstOfLast).isGreaterThanOrEqualTo(2);
        for (int index = firstOfLast; index <= last; index++) {
            for (int region : FRAME_REGIONS) {
                if (region == 7 || region == 11 || region == 15) {
                    continue; // no torn write turns a frame into a commit, or changes the salt of a frame that is
                    // otherwise right
                }
                write(flipped(good, frame(index) + region));
                assertAccepted();
            }
        }
        for (int length = frame(firstOfLast); length < good.length; length += 1111) {
            write(Arrays.copyOf(good, length));
            assertAccepted();
        }
    }

    @Test
    void pages_of_the_last_commit_may_reach_the_disk_in_any_order() throws Exception {
        commit(100);
        commit(20_000);
        byte[] good = crash();
        int firstOfLast = commitFrames(good).getFirst() + 1;
        int last = commitFrames(good).getLast();
        for (int lost = firstOfLast; lost <= last; lost++) {
            byte[] torn = good.clone();
            Arrays.fill(torn, frame(lost), frame(lost) + FRAME, (byte) 0);
            write(torn);
            assertAccepted();
        }
    }

    @Test
    void frames_of_a_former_round_behind_the_log_are_no_damage_and_protect_nothing() throws Exception {
        for (int i = 0; i < 10; i++) {
            commit(100);
        }
        execute("PRAGMA wal_checkpoint(RESTART)");
        commit(100);
        commit(100);
        commit(100);
        byte[] good = crash();
        assertThat(good.length).isGreaterThan(frame(10));
        assertAccepted();
        List<Integer> commits = commitFrames(good);
        write(flipped(good, frame(commits.get(1)) + 1000));
        assertRefused("a commit of this round follows");
        write(flipped(good, frame(7) + 1000));
        assertAccepted();
        write(flipped(good, frame(3) + 1000));
        assertAccepted();
    }

    @Test
    void frames_of_a_transaction_that_was_rolled_back_are_no_damage() throws Exception {
        commit(100);
        execute("PRAGMA cache_size = 5", "BEGIN");
        for (int i = 0; i < 40; i++) {
            commit(8000);
        }
        execute("ROLLBACK");
        long spilled = Files.size(folder.resolve("live.db-wal"));
        commit(100);
        commit(100);
        byte[] bytes = crash();
        assertThat(bytes.length).isEqualTo((int) spilled).isGreaterThan(frame(20));
        assertAccepted();
        assertThat(rowsThatSqliteFinds()).isEqualTo(3);
    }

    @Test
    void a_lost_region_of_many_frames_is_damage_when_two_commits_follow_it() throws Exception {
        for (int i = 0; i < 12; i++) {
            commit(100);
        }
        byte[] bytes = crash();
        Arrays.fill(bytes, frame(3) + 100, frame(8) + 50, (byte) 0);
        write(bytes);
        assertRefused("commits follow");
    }

    @Test
    void a_log_with_commits_whose_database_is_missing_or_empty_is_damage() throws Exception {
        commit(100);
        crash();
        Files.write(database, new byte[0]);
        assertRefused("empty database");
        Files.delete(database);
        assertRefused("no database");
    }

    @Test
    void a_log_that_was_created_and_never_used_is_no_damage() throws Exception {
        commit(100);
        byte[] good = crash();
        write(Arrays.copyOf(good, HEADER - 5));
        assertAccepted();
        write(new byte[HEADER + 3 * FRAME]);
        assertAccepted();
        write(Arrays.copyOf(flipped(good, 30), HEADER + 100));
        assertAccepted();
    }

    @Test
    void a_store_with_a_damaged_log_is_not_opened_and_not_changed() throws Exception {
        Path storeFolder = folder.resolve("store");
        try (OpenStore store = new OpenStore(storeFolder)) {
            for (int i = 0; i < 5; i++) {
                int n = i;
                store.commit(tx -> tx.append(Rows.append(1, n, "chunk")));
            }
            Files.createDirectories(folder.resolve("crashed"));
            for (String name : List.of("holdfast.db", "holdfast.db-wal")) {
                Files.copy(storeFolder.resolve(name), folder.resolve("crashed").resolve(name));
            }
        }
        Path crashedWal = folder.resolve("crashed/holdfast.db-wal");
        byte[] damaged = flipped(Files.readAllBytes(crashedWal), frame(2) + 500);
        Files.write(crashedWal, damaged);
        for (int attempt = 0; attempt < 2; attempt++) {
            assertThatThrownBy(() -> SqliteStore.open(folder.resolve("crashed"), Rows.settings()))
                    .isInstanceOf(StoreDamaged.class)
                    .hasMessageContaining("frame 2")
                    .hasMessageContaining("backup");
        }
        assertThat(Files.readAllBytes(crashedWal)).isEqualTo(damaged);
    }
}
