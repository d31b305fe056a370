package dev.holdfast.http.chat;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class RunIdTest {

    @Test
    void a_token_says_again_what_it_was_made_of() {
        RunId run = new RunId("chat \u00e4", "turn", 7, 6, true);
        assertThat(RunId.parse(run.token())).contains(run);
        assertThat(run.token()).matches("[A-Za-z0-9._-]+");
    }

    @Test
    void everything_else_is_the_id_of_a_chat() {
        String token = new RunId("chat", "turn", 7, 6, false).token();
        for (String other : List.of(
                "",
                "chat",
                "run.",
                "run.!",
                "run.AAAA",
                token.substring(0, token.length() - 2),
                token + "AAAA",
                token.replace(token.charAt(10), token.charAt(10) == 'x' ? 'y' : 'x'))) {
            assertThat(RunId.parse(other)).as(other).isEmpty();
        }
    }
}
