package dev.holdfast.http.durablestreams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.http.HttpProblem;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Offsets are written in one way and read in no other. */
final class StreamOffsetTest {

    @Test
    void offsets_sort_as_text_and_come_back() {
        List<Long> positions = List.of(0L, 1L, 9L, 10L, 99L, 4096L, 1L << 40, 9_999_999_999_999_999L);
        assertThat(positions.stream().map(StreamOffset::of)).isSorted().doesNotHaveDuplicates();
        for (long seq : positions) {
            assertThat(StreamOffset.of(seq)).hasSize(33).startsWith("0000000000000000_");
            assertThat(StreamOffset.parse(StreamOffset.of(seq))).isEqualTo(seq);
        }
    }

    @Test
    void the_two_words_are_understood() {
        assertThat(StreamOffset.parse("-1")).isEqualTo(StreamOffset.START);
        assertThat(StreamOffset.parse("now")).isEqualTo(StreamOffset.NOW);
        assertThat(StreamOffset.parse("0_7")).isEqualTo(7);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "0",
                "-1 ",
                "-2",
                "NOW",
                "0_",
                "_0",
                "0_-1",
                "0_+1",
                "0_1_2",
                "1_0",
                "0 1",
                "0,1",
                "0/1",
                "..",
                "0_1\u0000",
                "0_1\r\n",
                "0_\u0661",
                "9999999999999999_9999999999999999",
                "0_99999999999999999999"
            })
    void everything_else_is_refused(String text) {
        assertThatThrownBy(() -> StreamOffset.parse(text)).isInstanceOf(HttpProblem.class);
    }
}
