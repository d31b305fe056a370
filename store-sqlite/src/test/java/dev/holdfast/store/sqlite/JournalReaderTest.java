package dev.holdfast.store.sqlite;

import static dev.holdfast.store.sqlite.Rows.NOW;
import static dev.holdfast.store.sqlite.Rows.random;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.store.AppendRecord;
import dev.holdfast.store.LogEntry;
import dev.holdfast.store.LogFrame;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
final class JournalReaderTest {

    /** Larger than a step, so that each entry is a hand-over of its own. */
    private static final int LARGE = 2 << 20;

    private static LogEntry entry(long position, int bytes) {
        AppendRecord record = new AppendRecord(1, 1, position, List.of(random(bytes, position)), null, null);
        return LogFrame.decode(position, LogFrame.encode(List.of(record), NOW));
    }

    private static List<Long> rest(JournalReader reader) throws SQLException {
        List<Long> positions = new ArrayList<>();
        for (List<LogEntry> step = reader.next(); !step.isEmpty(); step = reader.next()) {
            step.forEach(entry -> positions.add(entry.position()));
        }
        return positions;
    }

    private static List<Long> upTo(int count) {
        return LongStream.range(0, count).boxed().toList();
    }

    @Test
    void entries_of_all_sizes_come_in_order_and_then_an_empty_step() throws SQLException {
        int count = 5_000;
        try (JournalReader reader = new JournalReader(taker -> {
            for (int i = 0; i < count; i++) {
                taker.take(entry(i, i % 1_000 == 7 ? LARGE : 300));
            }
        })) {
            assertThat(rest(reader)).isEqualTo(upTo(count));
        }
    }

    @Test
    void a_failure_of_the_source_comes_after_the_entries_before_it() throws SQLException {
        int count = 10;
        SQLException failure = new SQLException("the disk is gone");
        try (JournalReader reader = new JournalReader(taker -> {
            for (int i = 0; i < count; i++) {
                taker.take(entry(i, LARGE));
            }
            throw failure;
        })) {
            for (long position : upTo(count)) {
                assertThat(reader.next())
                        .singleElement()
                        .extracting(LogEntry::position)
                        .isEqualTo(position);
            }
            assertThatThrownBy(reader::next).isSameAs(failure);
        }
    }

    @Test
    void a_taker_that_leaves_early_ends_the_reading() throws SQLException {
        CountDownLatch ended = new CountDownLatch(1);
        try (JournalReader reader = new JournalReader(taker -> {
            try {
                for (int i = 0; ; i++) {
                    taker.take(entry(i, LARGE));
                }
            } finally {
                ended.countDown();
            }
        })) {
            assertThat(reader.next()).hasSize(1);
        }
        assertThat(ended.getCount()).isZero();
    }
}
