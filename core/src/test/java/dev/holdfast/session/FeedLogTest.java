package dev.holdfast.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** BOUNDED: what an event says beside its ids has a limit. */
final class FeedLogTest {

    @Test
    void a_detail_within_the_limit_is_kept_as_it_is() {
        String detail = "x".repeat(SessionLimits.MAX_DETAIL_BYTES);
        assertThat(FeedLog.shortened(detail)).isEqualTo(detail);
        assertThat(FeedLog.shortened(null)).isNull();
    }

    @Test
    void a_longer_detail_is_cut_and_never_through_a_character() {
        String cut = FeedLog.shortened("xyz" + "\uD83D\uDE00".repeat(2000));
        assertThat(cut).isNotNull();
        assertThat(cut.getBytes(StandardCharsets.UTF_8)).hasSize(3 + 4 * 1023);
        assertThat(cut).endsWith("\uD83D\uDE00");
    }
}
