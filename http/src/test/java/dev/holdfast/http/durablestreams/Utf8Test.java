package dev.holdfast.http.durablestreams;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Where characters end. */
final class Utf8Test {

    @Test
    void a_cut_character_is_noticed_wherever_it_was_cut() {
        for (String character : new String[] {"é", "€", "😀"}) {
            byte[] whole = ("a" + character).getBytes(StandardCharsets.UTF_8);
            for (int length = 1; length <= whole.length; length++) {
                assertThat(Utf8.endsWithin(Arrays.copyOf(whole, length)))
                        .as("%d bytes of a%s", length, character)
                        .isEqualTo(length > 1 && length < whole.length);
            }
        }
        assertThat(Utf8.endsWithin(new byte[0])).isFalse();
        assertThat(Utf8.endsWithin(new byte[] {(byte) 0xff})).isFalse();
        assertThat(Utf8.endsWithin(new byte[] {(byte) 0x80, (byte) 0x80, (byte) 0x80, (byte) 0x80}))
                .isFalse();
    }
}
