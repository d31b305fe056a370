package dev.holdfast.http.durablestreams.subscriptions;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class GlobTest {

    @ParameterizedTest
    @CsvSource({
        "events/*, events/a, true",
        "events/*, events, false",
        "events/*, events/a/b, false",
        "*, events, true",
        "*, events/a, false",
        "**, events, true",
        "**, events/a/b/c, true",
        "events/**, events, true",
        "events/**, events/a/b, true",
        "events/**, other/a, false",
        "**/tail, tail, true",
        "**/tail, a/b/tail, true",
        "**/tail, a/b/tails, false",
        "a/**/z, a/z, true",
        "a/**/z, a/b/c/z, true",
        "a/**/z, a/b/c/y, false",
        "a/**/m/**/z, a/1/m/2/3/z, true",
        "a/**/m/**/z, a/1/2/3/z, false",
        "**/*/**, a, true",
        "a*, ab, false",
        "a*, a*, true",
        "a/%2A, a/*, true",
        "a/%2a, a/b, false",
        "/events/*/, events/a, true"
    })
    void a_star_is_one_segment_and_two_are_any_number(String pattern, String name, boolean matches) {
        assertThat(Glob.parse(pattern).matches(name)).isEqualTo(matches);
    }

    /** Backtracking over every two-star would take more steps here than there are atoms. */
    @Test
    void the_worst_pattern_takes_no_longer_than_its_length_times_the_names() {
        String pattern = "**/a/".repeat(50) + "b";
        String name = "a/".repeat(120) + "c";

        assertThat(Glob.parse(pattern).matches(name)).isFalse();
        assertThat(Glob.parse(pattern).matches(name.replace("c", "b"))).isTrue();
    }
}
