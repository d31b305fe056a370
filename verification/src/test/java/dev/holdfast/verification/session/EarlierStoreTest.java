package dev.holdfast.verification.session;

import static dev.holdfast.verification.rig.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.session.SearchHit;
import dev.holdfast.session.Session;
import dev.holdfast.session.Sessions;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store of schema version 1, from before titles and the search: its messages are taken up after the start, a step at a time. */
final class EarlierStoreTest {

    private static final int SESSIONS = 5;
    private static final int MESSAGES = 40;

    @TempDir
    private Path folder;

    /** Takes away what version 2 added. */
    private void downgrade() throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("holdfast.db"));
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("DROP TABLE holdfast_search");
            statement.executeUpdate("DROP TABLE holdfast_words");
            statement.executeUpdate("DROP TABLE holdfast_unsearched");
            statement.executeUpdate("DROP TABLE holdfast_blobs");
            statement.executeUpdate("DROP TABLE holdfast_blob_pieces");
            statement.executeUpdate("DROP TABLE holdfast_names");
            statement.executeUpdate("ALTER TABLE holdfast_sessions DROP COLUMN title");
            statement.executeUpdate("UPDATE holdfast_meta SET value = 1 WHERE name = 'schema_version'");
        }
    }

    private void fill() {
        try (Holdfast holdfast = Holdfast.open(folder)) {
            for (int s = 0; s < SESSIONS; s++) {
                Session session = holdfast.sessions().create("s" + s);
                for (int m = 0; m < MESSAGES; m++) {
                    session.append(MessageDraft.of(
                            "m" + m, m % 2 == 0 ? "user" : "assistant", "old bread %d of %d".formatted(m, s)));
                }
            }
        }
    }

    private static List<SearchHit> find(Sessions sessions, String question) {
        return sessions.search(question, null, 1000).hits();
    }

    @Test
    void its_messages_are_found_and_its_sessions_have_titles() throws Exception {
        fill();
        downgrade();

        try (Holdfast holdfast = Holdfast.open(folder)) {
            holdfast.sessions().get("s3").append(MessageDraft.of("new", "assistant", "new bread"));
            await().until(() -> find(holdfast.sessions(), "bread").size() == SESSIONS * MESSAGES + 1);
        }
        try (Holdfast holdfast = Holdfast.open(folder)) {
            assertThat(find(holdfast.sessions(), "bread")).hasSize(SESSIONS * MESSAGES + 1);
            assertThat(find(holdfast.sessions(), "new").getFirst().messageId()).isEqualTo("new");
            assertThat(holdfast.sessions().list(10))
                    .allSatisfy(session -> assertThat(session.title())
                            .isEqualTo("old bread 0 of " + session.id().charAt(1)));
        }
    }
}
