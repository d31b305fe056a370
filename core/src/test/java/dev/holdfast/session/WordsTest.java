package dev.holdfast.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How texts are taken apart into words, and how a snippet shows them. */
final class WordsTest {

    @ParameterizedTest
    @CsvSource({
        "'Bread, and BREAD!', 'bread and'",
        "'Crème brûlée', 'creme brulee'",
        "'cre\u0300me', 'creme'",
        "'foo-bar_baz 3.14', 'foo bar baz 3 14'",
        "'東京へ行く', '東 京 へ 行 く'",
        "'한국어', '한국어'",
        "'ﬁne Ⅷ', 'fine'",
        "'\uD835\uDD04 \uD83D\uDE00', 'a'",
        "'--- \" * ( ) :', ''"
    })
    void case_accents_and_separators_do_not_count(String text, String words) {
        assertThat(Words.toIndex(text)).isEqualTo(words);
    }

    @Test
    void of_a_long_text_only_the_beginning_counts() {
        String text = "a ".repeat(SessionLimits.MAX_SEARCHED_CHARS / 2) + "behind";

        assertThat(Words.toIndex(text)).isEqualTo("a");
        assertThat(Words.toIndex("x".repeat(1000)))
                .hasSize(64)
                .isEqualTo(Words.ofQuestion("x".repeat(900)).getFirst());
    }

    @Test
    void what_folding_makes_longer_stays_within_the_limit() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; text.length() < SessionLimits.MAX_SEARCHED_CHARS; i++) {
            text.append("ﷺ").append(i).append(' ');
        }

        assertThat(Words.toIndex(text.toString())).hasSizeLessThan(2 * SessionLimits.MAX_SEARCHED_CHARS);
    }

    @Test
    void a_question_has_a_bounded_number_of_words() {
        assertThat(Words.ofQuestion("a b a c")).containsExactly("a", "b", "c");
        StringBuilder many = new StringBuilder();
        for (int i = 0; i < 100; i++) {
            many.append(i).append(' ');
        }
        assertThat(Words.ofQuestion(many.toString())).hasSize(SessionLimits.MAX_QUESTION_WORDS);
    }

    private static String marked(String text, Predicate<String> wanted) {
        StringBuilder shown = new StringBuilder();
        Snippet.of(text, wanted).forEach(part -> shown.append(part.match() ? "[" + part.text() + "]" : part.text()));
        return shown.toString();
    }

    @Test
    void a_snippet_of_a_short_text_is_the_text_with_its_matches() {
        assertThat(marked("Crème, bread and crèmes.", word -> word.startsWith("creme")))
                .isEqualTo("[Crème], bread and [crèmes].");
        assertThat(marked("nothing", word -> false)).isEqualTo("nothing");
        assertThat(marked("", word -> false)).isEmpty();
    }

    @Test
    void a_snippet_of_a_long_text_lies_around_the_first_match() {
        String text = "word ".repeat(100) + "bread " + "word ".repeat(100);

        String shown = marked(text, "bread"::equals);

        assertThat(shown).startsWith("…word").contains(" [bread] ").endsWith("…");
        assertThat(shown.length()).isLessThanOrEqualTo(SessionLimits.SNIPPET_CHARS + 10);
    }

    @Test
    void a_snippet_never_cuts_a_code_point() {
        for (int before = 0; before < 4; before++) {
            String text = "x".repeat(before) + "\uD83D\uDE00".repeat(300) + " bread " + "\uD83D\uDE00".repeat(300);
            for (SearchHit.Part part : Snippet.of(text, "bread"::equals)) {
                assertThat(part.text())
                        .isEqualTo(new String(
                                part.text().getBytes(java.nio.charset.StandardCharsets.UTF_8),
                                java.nio.charset.StandardCharsets.UTF_8));
            }
        }
    }

    @Test
    void a_title_is_whole_words_of_at_most_eighty_characters() {
        assertThat(Titles.of("  a\n\n b\t")).isEqualTo("a b");
        assertThat(Titles.of(" \n ")).isNull();
        assertThat(Titles.of("x".repeat(100))).isEqualTo("x".repeat(80));
        assertThat(Titles.of("y".repeat(79) + " z")).isEqualTo("y".repeat(79));
        assertThat(Titles.of("y".repeat(78) + " z more")).isEqualTo("y".repeat(78) + " z");
        assertThat(List.of(Titles.of("\uD800 a"))).containsExactly("\uFFFD a");
    }
}
