package dev.holdfast.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.LimitExceeded;
import dev.holdfast.error.HoldfastException.WrongCursor;
import dev.holdfast.session.SessionCursor.StreamPosition;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;

/** EXPLICIT-CURSOR: a token is read back exactly, or refused. */
final class SessionCursorTest {

    private static final SessionCursor CURSOR =
            new SessionCursor(7, 1_700_000_000_000L, 42, List.of(new StreamPosition(-3, 5), new StreamPosition(9, 0)));

    @Test
    void a_token_is_read_back_exactly() {
        assertThat(SessionCursor.parse(CURSOR.token())).isEqualTo(CURSOR);
        SessionCursor empty = new SessionCursor(1, 0, 0, List.of());
        assertThat(SessionCursor.parse(empty.token())).isEqualTo(empty);
    }

    @Test
    void a_token_of_the_largest_cursor_stays_within_the_limit_and_needs_no_escaping_in_a_url() {
        List<StreamPosition> streams = new ArrayList<>();
        for (int i = 0; i < SessionLimits.MAX_CURSOR_STREAMS; i++) {
            streams.add(new StreamPosition(Long.MIN_VALUE + i, Long.MAX_VALUE));
        }
        SessionCursor largest = new SessionCursor(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE, streams);
        assertThat(largest.token())
                .hasSizeLessThanOrEqualTo(SessionCursor.MAX_TOKEN_CHARS)
                .matches("[A-Za-z0-9_-]+");
        assertThat(SessionCursor.parse(largest.token())).isEqualTo(largest);
        assertThatThrownBy(() -> largest.withStream(1, 1)).isInstanceOf(LimitExceeded.class);
    }

    @Test
    void a_token_with_any_bit_changed_is_refused() {
        byte[] bytes = Base64.getUrlDecoder().decode(CURSOR.token());
        for (int bit = 0; bit < bytes.length * 8; bit++) {
            byte[] changed = bytes.clone();
            changed[bit / 8] ^= (byte) (1 << bit % 8);
            String token = Base64.getUrlEncoder().withoutPadding().encodeToString(changed);
            assertThatThrownBy(() -> SessionCursor.parse(token)).isInstanceOf(WrongCursor.class);
        }
    }

    @Test
    void what_is_no_token_is_refused() {
        String token = CURSOR.token();
        for (String text : List.of("", "x", "%", "AAAA", token.substring(4), token + "AAAA", "A".repeat(5000))) {
            assertThatThrownBy(() -> SessionCursor.parse(text)).isInstanceOf(WrongCursor.class);
        }
    }

    @Test
    void a_cursor_moves_by_event_and_by_chunk() {
        SessionCursor moved = CURSOR.withFeed(43).withStream(-3, 6).withoutStream(9);
        assertThat(moved).isEqualTo(new SessionCursor(7, 1_700_000_000_000L, 43, List.of(new StreamPosition(-3, 6))));
        assertThat(moved.position(-3)).hasValue(6);
        assertThat(moved.position(9)).isEmpty();
    }
}
