package dev.holdfast.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.store.MessageRow;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.WordQuery;
import dev.holdfast.store.WordsRow;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Messages of a version without a search are named, a bounded number at a time, until all were passed over. */
final class EarlierMessagesTest {

    private static final byte[] CONTENT = {1};

    private static void write(Shard shard) {
        shard.commit(t -> {
            for (long session = 1; session <= 3; session++) {
                t.insertSession(new SessionRow(session, "tenant", "s" + session, false, 1, 2, 3));
                for (long seq = 1; seq <= 4; seq++) {
                    t.insertMessage(
                            new MessageRow(session, seq, "m" + seq, seq - 1, "user", CONTENT.length, 7, 8), CONTENT);
                }
            }
            t.putWords(new WordsRow(2, 4, 7, "new"));
        });
    }

    @Test
    void they_are_named_youngest_session_first_and_each_once() throws Exception {
        try (Shard shard = new Shard()) {
            write(shard);
            assertThat(shard.store()
                            .<Integer>read(reads -> reads.withoutWords(100).size()))
                    .isZero();
            shard.run("INSERT INTO @unsearched (shard, session, seq) VALUES (0, 9223372036854775807, 0)");

            List<String> named = new ArrayList<>();
            List<MessageRow> page;
            do {
                page = shard.store().read(reads -> reads.withoutWords(5));
                for (MessageRow row : page) {
                    named.add(row.sessionKey() + "." + row.seq());
                }
                List<MessageRow> taken = page;
                if (!taken.isEmpty()) {
                    shard.commit(t -> {
                        taken.forEach(row -> t.putWords(new WordsRow(row.sessionKey(), row.seq(), 7, "old")));
                        t.passedOver(taken.getLast());
                    });
                }
                shard.reopen();
            } while (!page.isEmpty());

            assertThat(named)
                    .containsExactly("3.4", "3.3", "3.2", "3.1", "2.3", "2.2", "2.1", "1.4", "1.3", "1.2", "1.1");
            WordQuery old = new WordQuery("tenant", List.of("old"), List.of(), Long.MAX_VALUE, 100);
            assertThat(shard.store().<Integer>read(reads -> reads.find(old).size()))
                    .isEqualTo(11);
        }
    }
}
