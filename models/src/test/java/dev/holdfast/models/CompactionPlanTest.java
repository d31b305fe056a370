package dev.holdfast.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.models.CompactionPlan.Entry;
import dev.holdfast.models.CompactionPlan.Range;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What of a conversation is folded. Written as letters: u and a are messages of 10 tokens, t a tool's result, S a summary. */
final class CompactionPlanTest {

    private static final Compaction COMPACTION = new Compaction(100, 2, 30);

    private static String folded(String conversation) {
        return folded(conversation, COMPACTION);
    }

    private static String folded(String conversation, Compaction compaction) {
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < conversation.length(); i++) {
            char letter = conversation.charAt(i);
            String role = switch (letter) {
                case 'u', 'S' -> "user";
                case 't' -> "tool";
                default -> "assistant";
            };
            entries.add(new Entry(role, letter == 'S', 10));
        }
        return CompactionPlan.of(entries, compaction)
                .map((Range range) -> conversation.substring(0, range.from()) + "("
                        + conversation.substring(range.from(), range.to()) + ")" + conversation.substring(range.to()))
                .orElse("nothing");
    }

    @Test
    @Tag("S45")
    void a_conversation_within_its_tokens_stays() {
        assertThat(folded("uauauauaua")).isEqualTo("nothing");
    }

    @Test
    @Tag("S45")
    void the_beginning_and_the_newest_tokens_stay() {
        assertThat(folded("uauauauauaua")).isEqualTo("ua(uauauau)aua");
    }

    @Test
    @Tag("S45")
    void a_summary_is_folded_into_the_next_one_wherever_it_begins() {
        assertThat(folded("uaSuauauauaua")).isEqualTo("ua(Suauauau)aua");
        assertThat(folded("Suauauauauaua")).isEqualTo("(Suauauauau)aua");
    }

    @Test
    @Tag("S45")
    void a_result_is_never_parted_from_its_call() {
        assertThat(folded("uauauauauatttt")).isEqualTo("ua(uauauau)atttt");
        assertThat(folded("uatuauauauaua")).isEqualTo("uat(uauauau)aua");
    }

    @Test
    @Tag("S45")
    void what_is_folded_fits_whoever_sums_it_up() {
        assertThat(folded("ua" + "ua".repeat(20))).startsWith("ua(uauauauaua)u");
    }

    @Test
    void two_messages_stay_however_long_they_are_and_a_summary_alone_is_not_summed_up_again() {
        Compaction tight = new Compaction(15, 0, 1);
        assertThat(folded("uaua", tight)).isEqualTo("(ua)ua");
        assertThat(folded("Sua", tight)).isEqualTo("nothing");
        assertThat(folded("ua", tight)).isEqualTo("nothing");
    }

    @Test
    void settings_that_would_fold_nothing_are_refused() {
        assertThatThrownBy(() -> new Compaction(10, 0, 10)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Compaction(0, 0, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThat(Compaction.after(1_000)).isEqualTo(new Compaction(1_000, 3, 200));
        assertThat(Compaction.after(200_000).keepTokens()).isEqualTo(20_000);
    }
}
