package dev.holdfast.testkit;

import static dev.holdfast.testkit.Samples.TENANT;
import static dev.holdfast.testkit.Samples.bytes;
import static dev.holdfast.testkit.Samples.deleted;
import static dev.holdfast.testkit.Samples.message;
import static dev.holdfast.testkit.Samples.session;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.store.SessionRow;
import dev.holdfast.store.WordQuery;
import dev.holdfast.store.WordQuery.Found;
import dev.holdfast.store.WordsRow;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Finding messages by their words. */
interface SearchContract extends ContractPart {

    private void make(long key, String tenant) {
        store().commit(t -> t.insertSession(new SessionRow(key, tenant, "s" + key, false, 1, 2, 3)));
    }

    private void add(long key, long seq, long at, String words) {
        store().commit(t -> {
            t.insertMessage(message(key, seq, 0, bytes("x")), bytes("x"));
            t.putWords(new WordsRow(key, seq, at, words));
        });
    }

    private List<String> find(String tenant, List<String> words, List<String> beginnings) {
        return places(reads().find(new WordQuery(tenant, words, beginnings, Long.MAX_VALUE, 100)));
    }

    private List<String> find(String... beginnings) {
        return find(TENANT, List.of(), List.of(beginnings));
    }

    private static List<String> places(List<Found> found) {
        return found.stream().map(f -> f.sessionKey() + "." + f.seq()).toList();
    }

    @Test
    default void messages_are_found_by_all_their_words_or_beginnings_youngest_first() {
        make(1, TENANT);
        make(2, TENANT);
        add(1, 1, 100, "bread and butter");
        add(2, 1, 300, "brown bread");
        add(1, 2, 200, "butter milk");

        store().restart();

        assertThat(find("br")).containsExactly("2.1", "1.1");
        assertThat(find("butter")).containsExactly("1.2", "1.1");
        assertThat(find("bu", "bre")).containsExactly("1.1");
        assertThat(find(TENANT, List.of("bread"), List.of("br"))).containsExactly("2.1", "1.1");
        assertThat(find(TENANT, List.of("brea"), List.of())).isEmpty();
        assertThat(find("read")).isEmpty();
    }

    @Test
    default void words_of_any_script_are_found() {
        make(1, TENANT);
        add(1, 1, 1, "gruß über naïve \u6771 \u4eac привет \ud835\udd04x 2024 and or not near");

        assertThat(find("gruß", "привет", "\ud835\udd04", "202")).containsExactly("1.1");
        assertThat(find(TENANT, List.of("\u6771", "and", "or", "not", "near"), List.of()))
                .containsExactly("1.1");
        assertThat(find("прив", "missing")).isEmpty();
    }

    @Test
    default void tenants_do_not_find_each_others_messages() {
        make(1, "a b\"*'");
        make(2, TENANT);
        add(1, 1, 1, "bread");
        add(2, 1, 2, "bread");

        assertThat(find("a b\"*'", List.of("bread"), List.of())).containsExactly("1.1");
        assertThat(find("bread")).containsExactly("2.1");
        assertThat(find("nobody", List.of("bread"), List.of())).isEmpty();
    }

    @Test
    default void pages_hold_each_match_once_also_of_one_millisecond() {
        make(1, TENANT);
        store().commit(t -> {
            for (int seq = 1; seq <= 50; seq++) {
                t.insertMessage(message(1, seq, 0, bytes("x")), bytes("x"));
                t.putWords(new WordsRow(1, seq, 1_700_000_000_000L + seq / 20, "bread n" + seq));
            }
        });

        List<Long> seqs = new ArrayList<>();
        long before = Long.MAX_VALUE;
        for (List<Found> page = page(before); !page.isEmpty(); page = page(before)) {
            page.forEach(found -> seqs.add(found.seq()));
            before = page.getLast().position();
            assertThat(page.getFirst().position()).isGreaterThanOrEqualTo(before);
        }

        assertThat(seqs).hasSize(50).doesNotHaveDuplicates();
    }

    private List<Found> page(long before) {
        return reads().find(new WordQuery(TENANT, List.of("bread"), List.of(), before, 7));
    }

    @Test
    default void other_words_take_the_place_of_those_before_and_keep_their_position() {
        make(1, TENANT);
        add(1, 1, 100, "bread");
        add(1, 2, 200, "bread");
        long position = reads().find(new WordQuery(TENANT, List.of("bread"), List.of(), Long.MAX_VALUE, 9))
                .getLast()
                .position();

        store().commit(t -> t.putWords(new WordsRow(1, 1, 100, "bread rolls")));

        assertThat(find("bread")).containsExactly("1.2", "1.1");
        assertThat(reads().find(new WordQuery(TENANT, List.of("rolls"), List.of(), Long.MAX_VALUE, 9)))
                .containsExactly(new Found(position, 1, 1));

        store().commit(t -> t.putWords(new WordsRow(1, 1, 100, "rolls")));
        assertThat(find("bread")).containsExactly("1.2");

        store().commit(t -> t.putWords(new WordsRow(1, 1, 100, "")));
        assertThat(find("rolls")).isEmpty();
    }

    @Test
    default void deleted_messages_and_sessions_are_not_found_from_that_commit_on() {
        make(1, TENANT);
        make(2, TENANT);
        for (int seq = 1; seq <= 3; seq++) {
            add(1, seq, seq, "bread");
            add(2, seq, 10 + seq, "bread");
        }

        store().commit(t -> t.deleteMessage(1, 2));
        assertThat(find("bread")).containsExactly("2.3", "2.2", "2.1", "1.3", "1.1");

        assertThat(alone().clearMessages(1, 10)).isEqualTo(2);
        assertThat(find("bread")).containsExactly("2.3", "2.2", "2.1");

        store().commit(t -> t.updateSession(deleted(new SessionRow(2, TENANT, "s2", false, 1, 2, 3))));
        assertThat(find("bread")).isEmpty();
        assertThat(alone().purgeSession(2, 100)).isEqualTo(3);
        store().commit(t -> t.deleteSession(2));
        assertThat(find("bread")).isEmpty();

        store().commit(t -> t.insertSession(session(3, "again")));
        add(3, 1, 11, "bread");
        assertThat(find("bread")).containsExactly("3.1");
    }

    @Test
    default void what_is_rolled_back_is_found_as_it_was_before() {
        make(1, TENANT);
        add(1, 1, 1, "bread");

        store().rollBack(t -> {
            t.putWords(new WordsRow(1, 1, 1, "milk"));
            t.insertMessage(message(1, 2, 0, bytes("x")), bytes("x"));
            t.putWords(new WordsRow(1, 2, 2, "bread"));
        });
        store().rollBack(t -> t.deleteMessage(1, 1));

        assertThat(find("bread")).containsExactly("1.1");
        assertThat(find("milk")).isEmpty();
    }

    @Test
    default void the_transaction_finds_what_it_wrote() {
        make(1, TENANT);
        List<Found> found = store().answer(t -> {
            t.insertMessage(message(1, 1, 0, bytes("x")), bytes("x"));
            t.putWords(new WordsRow(1, 1, 1, "bread"));
            return t.find(new WordQuery(TENANT, List.of("bread"), List.of(), Long.MAX_VALUE, 9));
        });

        assertThat(places(found)).containsExactly("1.1");
    }

    @Test
    default void a_store_of_this_version_has_no_messages_without_words() {
        make(1, TENANT);
        store().commit(t -> t.insertMessage(message(1, 1, 0, bytes("x")), bytes("x")));

        assertThat(reads().withoutWords(10)).isEmpty();
    }
}
