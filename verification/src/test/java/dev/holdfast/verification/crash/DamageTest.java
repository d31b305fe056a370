package dev.holdfast.verification.crash;

import static dev.holdfast.verification.rig.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.error.HoldfastException.StoreDamaged;
import dev.holdfast.error.HoldfastException.StoreLocked;
import dev.holdfast.session.AttachmentDraft;
import dev.holdfast.session.Attachments;
import dev.holdfast.stream.AppendRequest;
import dev.holdfast.stream.AppendResult;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.verification.rig.Child;
import dev.holdfast.verification.rig.Instance;
import dev.holdfast.verification.rig.Reading;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Damaged files are refused with a clear error and left as they are; what a crash tears off is not damage. */
final class DamageTest {

    private static final int CHUNKS = 12;
    private static final AttachmentDraft PICTURE = new AttachmentDraft("image/png", null);
    private static final int WAL_HEADER_BYTES = 32;
    private static final int PAGE_BYTES = 4096;
    private static final int FRAME_BYTES = 24 + PAGE_BYTES;

    @TempDir
    Path scratch;

    @TempDir
    Path folder;

    private Path database() {
        return folder.resolve("holdfast.db");
    }

    private void write() {
        try (Holdfast holdfast = Holdfast.open(folder)) {
            StreamWriter writer = holdfast.streams().open("s");
            for (int i = 0; i < CHUNKS; i++) {
                writer.append("chunk " + i);
            }
            StreamWriter sealed = holdfast.streams().open("sealed");
            sealed.append("in a block");
            sealed.settle(Settlement.completed());
            for (int i = 0; i < 3; i++) {
                sealed.checkpoint("none"); // upkeep seals with one of the next batches
            }
        }
    }

    private void sql(String statement) {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + database());
                Statement runs = connection.createStatement()) {
            assertThat(runs.executeUpdate(statement)).isEqualTo(1);
        } catch (SQLException e) {
            throw new AssertionError(statement, e);
        }
    }

    private void assertRefused(String... words) {
        for (int attempt = 0; attempt < 2; attempt++) {
            assertThatThrownBy(() -> Holdfast.open(folder).close())
                    .isInstanceOf(StoreDamaged.class)
                    .hasMessageContainingAll(words);
        }
    }

    @Test
    void a_log_entry_with_a_flipped_bit_is_refused_and_named() {
        write();
        sql("UPDATE holdfast_journal SET data = CAST(substr(data, 1, length(data) - 1) || x'00' AS BLOB) WHERE id = 5");
        assertRefused("Log entry 5", "checksum", "backup");
    }

    @Test
    void a_hole_in_the_log_is_refused_and_named() {
        write();
        sql("DELETE FROM holdfast_journal WHERE id = 4");
        assertRefused("hole", "entry 4", "backup");
    }

    @Test
    void a_log_whose_end_is_missing_after_a_clean_close_is_refused() {
        write();
        sql("DELETE FROM holdfast_journal WHERE id = (SELECT max(id) FROM holdfast_journal)");
        assertRefused("once held entry", "backup");
    }

    @Test
    void a_log_whose_beginning_is_missing_is_refused() {
        write();
        sql("DELETE FROM holdfast_journal WHERE id = 1");
        assertRefused("entry 1", "backup");
    }

    @Test
    void a_damaged_block_is_named_when_it_is_read_and_other_streams_go_on() {
        write();
        sql("UPDATE holdfast_blocks SET body = CAST(substr(body, 1, length(body) - 1) || x'00' AS BLOB)");
        try (Holdfast holdfast = Holdfast.open(folder)) {
            assertThatThrownBy(() -> holdfast.streams().read("sealed", 0, 100))
                    .isInstanceOf(StoreDamaged.class)
                    .hasMessageContaining("Block 0..1");
            assertThat(Reading.allTexts(holdfast.streams(), "s")).hasSize(CHUNKS);
        }
    }

    @Test
    void a_damaged_attachment_is_named_however_it_is_read_and_the_rest_is_served() throws IOException {
        byte[] bytes = new byte[3 << 20];
        String damaged;
        String other;
        try (Holdfast holdfast = Holdfast.open(folder)) {
            Attachments attachments = holdfast.sessions().create("s").attachments();
            damaged = attachments.put(PICTURE, new ByteArrayInputStream(bytes)).id();
            other = attachments
                    .put(PICTURE, new ByteArrayInputStream(bytes, 0, 2 << 20))
                    .id();
        }
        sql("""
                UPDATE holdfast_blob_pieces SET data = CAST(x'01' || substr(data, 2) AS BLOB)
                WHERE id = (SELECT min(id) FROM holdfast_blob_pieces)""");
        try (Holdfast holdfast = Holdfast.open(folder)) {
            Attachments attachments = holdfast.sessions().get("s").attachments();
            InputStream whole = attachments.open(damaged);
            assertThat(whole.readNBytes(2 << 20)).hasSize(2 << 20); // nobody knows yet
            assertThatThrownBy(whole::read)
                    .isInstanceOf(StoreDamaged.class)
                    .hasMessageContainingAll(damaged, "session \"s\"", "backup");
            assertThatThrownBy(whole::read).isInstanceOf(StoreDamaged.class);
            InputStream part = attachments.open(damaged, bytes.length - 1, bytes.length);
            assertThatThrownBy(part::read).isInstanceOf(StoreDamaged.class);
            assertThatThrownBy(part::read).isInstanceOf(StoreDamaged.class); // nor later
            assertThat(holdfast.intact()).isFalse();
            assertThat(attachments.open(other).readAllBytes()).hasSize(2 << 20);
            assertThat(attachments.open(other, 5, 10).readAllBytes()).hasSize(5);
        }
    }

    @Test
    void an_attachment_without_one_of_its_pieces_is_named_too() throws IOException {
        String id;
        try (Holdfast holdfast = Holdfast.open(folder)) {
            id = holdfast.sessions()
                    .create("s")
                    .attachments()
                    .put(PICTURE, new ByteArrayInputStream(new byte[3 << 20]))
                    .id();
        }
        sql("DELETE FROM holdfast_blob_pieces WHERE id = (SELECT max(id) FROM holdfast_blob_pieces)");
        try (Holdfast holdfast = Holdfast.open(folder)) {
            InputStream bytes = holdfast.sessions().get("s").attachments().open(id);
            assertThatThrownBy(bytes::readAllBytes)
                    .isInstanceOf(StoreDamaged.class)
                    .hasMessageContainingAll(id, "piece 2 is missing");
        }
    }

    /** Writes nonsense over the page where a table begins. */
    private void overwriteRootOf(String table) throws IOException {
        long root;
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + database());
                Statement runs = connection.createStatement();
                ResultSet row = runs.executeQuery("SELECT rootpage FROM sqlite_master WHERE name = '" + table + "'")) {
            root = row.getLong(1);
        } catch (SQLException e) {
            throw new AssertionError(table, e);
        }
        byte[] nonsense = new byte[PAGE_BYTES];
        Arrays.fill(nonsense, (byte) 0xa5);
        try (FileChannel channel = FileChannel.open(database(), StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(nonsense), (root - 1) * PAGE_BYTES);
        }
    }

    @Test
    void damage_that_a_change_meets_refuses_it_turns_health_red_and_leaves_the_rest_of_its_batch_alone()
            throws IOException {
        write();
        overwriteRootOf("holdfast_properties"); // a stream's properties go with it
        try (Instance instance = new Instance(folder)) {
            StreamWriter writer = instance.streams().open("s");
            assertThat(instance.committer().damage()).isEmpty();
            CountDownLatch batch = instance.hold();
            CompletableFuture<AppendResult> before = writer.appendAsync(AppendRequest.of(Reading.chunks("before")));
            long queued = instance.committer().queuedBytes();
            CompletableFuture<Boolean> deletion =
                    CompletableFuture.supplyAsync(() -> instance.streams().delete("sealed"));
            await().until(() -> instance.committer().queuedBytes() > queued);
            CompletableFuture<AppendResult> after = writer.appendAsync(AppendRequest.of(Reading.chunks("after")));
            batch.countDown();

            assertThat(before.join().nextSeq()).isEqualTo(CHUNKS + 1);
            assertThatThrownBy(deletion::join)
                    .hasCauseInstanceOf(StoreDamaged.class)
                    .hasMessageContaining("backup");
            assertThat(after.join().nextSeq()).isEqualTo(CHUNKS + 2);
            assertThat(instance.committer().damage()).isPresent();
            assertThat(instance.committer().poison()).isNull();
        }
        try (Holdfast holdfast = Holdfast.open(folder)) {
            assertThat(holdfast.intact()).isTrue();
            assertThatThrownBy(() -> holdfast.streams().delete("sealed")).isInstanceOf(StoreDamaged.class);
            assertThat(holdfast.intact()).isFalse();
            assertThat(holdfast.healthy()).isTrue();
            assertThat(Reading.allTexts(holdfast.streams(), "sealed")).containsExactly("in a block");
            assertThat(holdfast.streams().open("s").append("goes on").firstSeq())
                    .isEqualTo(CHUNKS + 2);
        }
    }

    /** A store as a kill leaves it: with everything still in the write-ahead log. */
    private Path killed() throws IOException {
        try (Instance instance = new Instance(folder)) {
            StreamWriter writer = instance.streams().open("s");
            for (int i = 0; i < CHUNKS; i++) {
                writer.append("chunk " + i);
            }
            instance.settleDown();
            return copy(folder, "killed");
        }
    }

    private Path copy(Path from, String name) throws IOException {
        Path to = Files.createTempDirectory(scratch, name);
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.filter(f -> !f.toString().endsWith("-shm")).toList()) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
        }
        return to;
    }

    private static Path wal(Path store) {
        return store.resolve("holdfast.db-wal");
    }

    private static void flipBit(Path file, long at) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            channel.read(one, at);
            one.put(0, (byte) (one.get(0) ^ 0x10)).rewind();
            channel.write(one, at);
        }
    }

    private static Map<String, List<Byte>> contents(Path store) throws IOException {
        Map<String, List<Byte>> all = new TreeMap<>();
        for (String name : List.of("holdfast.db", "holdfast.db-wal")) {
            List<Byte> bytes = new ArrayList<>();
            for (byte b : Files.readAllBytes(store.resolve(name))) {
                bytes.add(b);
            }
            all.put(name, bytes);
        }
        return all;
    }

    @Test
    void a_flipped_bit_in_the_write_ahead_log_before_later_commits_is_refused_and_nothing_is_changed()
            throws IOException {
        Path killed = killed();
        long frames = (Files.size(wal(killed)) - WAL_HEADER_BYTES) / FRAME_BYTES;
        assertThat(frames).isGreaterThan(CHUNKS);
        for (long frame = frames - CHUNKS; frame < frames - 3; frame += 2) {
            for (int offset : new int[] {0, 5, 20, 24, 2000, FRAME_BYTES - 1}) {
                Path damaged = copy(killed, "damaged");
                flipBit(wal(damaged), WAL_HEADER_BYTES + frame * FRAME_BYTES + offset);
                Map<String, List<Byte>> before = contents(damaged);
                assertThatThrownBy(() -> Holdfast.open(damaged).close())
                        .as("frame %d, byte %d", frame, offset)
                        .isInstanceOf(StoreDamaged.class)
                        .hasMessageContaining("backup");
                assertThat(contents(damaged)).isEqualTo(before);
            }
        }
    }

    @Test
    void a_last_commit_that_a_crash_tore_is_dropped_and_everything_before_it_is_there_EXACT_PREFIX()
            throws IOException {
        Path killed = killed();
        long size = Files.size(wal(killed));
        for (int cut : new int[] {1, 24, 2000, FRAME_BYTES - 1}) {
            Path torn = copy(killed, "torn");
            try (FileChannel channel = FileChannel.open(wal(torn), StandardOpenOption.WRITE)) {
                channel.truncate(size - cut);
            }
            assertPrefix(torn, CHUNKS - 1);
        }
        for (int offset : new int[] {0, 24, 3000}) {
            Path torn = copy(killed, "torn");
            flipBit(wal(torn), size - FRAME_BYTES + offset);
            assertPrefix(torn, CHUNKS - 1);
        }
    }

    @Test
    void what_a_crash_left_behind_the_last_commit_is_ignored() throws IOException {
        Path killed = killed();
        Path longer = copy(killed, "longer");
        Files.write(wal(longer), new byte[FRAME_BYTES + 100], StandardOpenOption.APPEND);
        assertPrefix(longer, CHUNKS);
    }

    private static void assertPrefix(Path store, int count) {
        try (Holdfast holdfast = Holdfast.open(store)) {
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                expected.add("chunk " + i);
            }
            assertThat(Reading.allTexts(holdfast.streams(), "s")).isEqualTo(expected);
            assertThat(holdfast.streams().open("s").append("goes on").firstSeq())
                    .isEqualTo(count);
        }
    }

    @Test
    void a_store_that_another_process_has_open_is_refused_until_that_process_is_gone() {
        try (Child child = Child.start(scratch, PointMain.class, folder.toString(), Point.AFTER_APPEND_COMMIT.name())) {
            child.readUntil(line -> line.startsWith("AT "), line -> {});
            assertThatThrownBy(() -> Holdfast.open(folder).close())
                    .isInstanceOf(StoreLocked.class)
                    .hasMessageContaining("another process");
            child.kill(line -> {});
        }
        try (Holdfast holdfast = Holdfast.open(folder)) {
            assertThat(holdfast.streams().status("s").orElseThrow().tail()).isEqualTo(11);
        }
    }
}
