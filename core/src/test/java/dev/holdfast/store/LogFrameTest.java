package dev.holdfast.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.StoreDamaged;
import dev.holdfast.store.AppendRecord.ProducerMark;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Parts of an entry: what a store writes that keeps the log by stream. */
final class LogFrameTest {

    private static final long POSITION = 7;
    private static final long AT = 1_700_000_000_000L;

    private static final AppendRecord FIRST = append(1, 0, "a", "");
    private static final AppendRecord SECOND =
            new AppendRecord(1, 3, 2, List.of(), new ProducerMark("p", 4, 5), "order");
    private static final AppendRecord OTHER = append(1L << 41, 9, "ü".repeat(300));

    private static AppendRecord append(long stream, long firstSeq, String... chunks) {
        List<byte[]> bytes = new ArrayList<>();
        for (String chunk : chunks) {
            bytes.add(chunk.getBytes(StandardCharsets.UTF_8));
        }
        return AppendRecord.of(stream, 3, firstSeq, bytes);
    }

    @Test
    void parts_that_are_joined_are_the_entry_that_was_written_whole() {
        List<AppendRecord> all = List.of(FIRST, SECOND, OTHER);
        LogEntry joined = LogFrame.join(
                List.of(
                        LogFrame.encodePart(List.of(FIRST, SECOND), POSITION, AT),
                        LogFrame.encodePart(List.of(OTHER), POSITION, AT)),
                POSITION,
                AT);

        assertThat(joined.position()).isEqualTo(POSITION);
        assertThat(joined.committedAt()).isEqualTo(AT);
        assertThat(joined.records())
                .usingRecursiveFieldByFieldElementComparator()
                .isEqualTo(all);
        LogEntry whole = LogFrame.decode(POSITION, LogFrame.encode(all, AT));
        assertThat(joined.bytes()).isEqualTo(whole.bytes()).isEqualTo(LogFrame.sizeOf(all));
    }

    @Test
    void a_part_with_any_byte_changed_or_at_another_place_is_damage() {
        byte[] part = LogFrame.encodePart(List.of(FIRST), POSITION, AT);
        for (int i = 0; i < part.length; i++) {
            byte[] changed = part.clone();
            changed[i] ^= 1;
            assertThatThrownBy(() -> LogFrame.join(List.of(changed), POSITION, AT))
                    .isInstanceOf(StoreDamaged.class);
        }
        assertThatThrownBy(() -> LogFrame.join(List.of(part), POSITION + 1, AT)).isInstanceOf(StoreDamaged.class);
        assertThatThrownBy(() -> LogFrame.join(List.of(part), POSITION, AT + 1)).isInstanceOf(StoreDamaged.class);
        assertThatThrownBy(() -> LogFrame.join(List.of(new byte[3]), POSITION, AT))
                .isInstanceOf(StoreDamaged.class);
    }
}
