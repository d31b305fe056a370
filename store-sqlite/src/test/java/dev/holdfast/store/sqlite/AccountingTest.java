package dev.holdfast.store.sqlite;

import static dev.holdfast.store.sqlite.Rows.NOW;
import static dev.holdfast.store.sqlite.Rows.append;
import static dev.holdfast.store.sqlite.Rows.block;
import static dev.holdfast.store.sqlite.Rows.bytes;
import static dev.holdfast.store.sqlite.Rows.event;
import static dev.holdfast.store.sqlite.Rows.message;
import static dev.holdfast.store.sqlite.Rows.random;
import static dev.holdfast.store.sqlite.Rows.session;
import static dev.holdfast.store.sqlite.Rows.stream;
import static dev.holdfast.store.sqlite.Rows.turn;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.store.AppendRecord;
import dev.holdfast.store.PropertyRow;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.StoreTransaction;
import dev.holdfast.store.StreamRow;
import dev.holdfast.store.StreamRow.State;
import dev.holdfast.store.TurnRow;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What each operation costs: frames of the write-ahead log per commit, counted exactly. A frame is one page of 4,096 bytes that the
 * operation touched, and 24 more. A change of these numbers is a change of what every user's disk has to write.
 */
final class AccountingTest {

    @TempDir
    Path folder;

    private OpenStore store;
    private Connection observer;
    private final StringBuilder costs = new StringBuilder();

    @BeforeEach
    void openAndFillALittle() throws SQLException {
        store = new OpenStore(folder);
        observer = Sql.connect(folder);
        store.commit(tx -> {
            long unused = tx.reserveKeys(1000);
            for (int i = 100; i < 110; i++) {
                tx.insertStream(stream(i, "other " + i, State.LIVE, null, i, NOW, 0));
                tx.insertSession(session(i, "other " + i, NOW));
                tx.insertMessage(message(i, 1, 0, 0), random(300, i));
                tx.appendFeed(event(i, 0));
                tx.insertTurn(turn(i, "t", TurnRow.State.COMPLETED, NOW, bytes("in")));
                tx.putProperty(new PropertyRow("s:" + i, "p", 1, bytes("v"), 0));
            }
            tx.append(append(100, 0, "x"));
        });
    }

    @AfterEach
    void close() throws SQLException {
        observer.close();
        store.close();
    }

    private long frames() {
        try (Statement statement = observer.createStatement();
                ResultSet result = statement.executeQuery("PRAGMA wal_checkpoint(NOOP)")) {
            return result.getLong(2);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private void cost(String what, Consumer<StoreTransaction> work) {
        long before = frames();
        store.commit(work);
        costs.append("%-50s %d%n".formatted(what, frames() - before));
    }

    private void assertCosts(String expected) {
        assertThat(costs.toString().trim()).isEqualToNormalizingNewlines(expected.trim());
    }

    private static Consumer<StoreTransaction> appends(int streams, int bytes) {
        return tx -> {
            for (int i = 1; i <= streams; i++) {
                tx.append(AppendRecord.of(i, 1, 0, List.of(random(bytes, i))));
            }
        };
    }

    @Test
    void an_append_costs_its_bytes_and_one_page_whatever_number_of_streams_it_belongs_to() {
        cost("nothing", tx -> {});
        ten("1 stream x 200 B", 1, 200);
        ten("1 stream x 2,000 B", 1, 2_000);
        ten("64 streams x 100 B", 64, 100);
        ten("50 streams x 200 B", 50, 200);
        ten("500 streams x 200 B", 500, 200);
        ten("50 streams x 2,000 B", 50, 2_000);
        assertCosts("""
                nothing                                            0
                10 commits of 1 stream x 200 B                     10
                10 commits of 1 stream x 2,000 B                   21
                10 commits of 64 streams x 100 B                   40
                10 commits of 50 streams x 200 B                   50
                10 commits of 500 streams x 200 B                  273
                10 commits of 50 streams x 2,000 B                 270
                """);
    }

    private void ten(String what, int streams, int bytes) {
        long before = frames();
        for (int i = 0; i < 10; i++) {
            store.commit(appends(streams, bytes));
        }
        costs.append("%-50s %d%n".formatted("10 commits of " + what, frames() - before));
    }

    @Test
    void the_life_of_a_stream_touches_few_pages() {
        StreamRow live = stream(1, "s", State.LIVE, null, 0, NOW, 0);
        cost("open", tx -> tx.insertStream(live));
        cost(
                "open with tag, owner and expiry",
                tx -> tx.insertStream(stream(2, "t", State.LIVE, "tag", 100, NOW, NOW)));
        cost("seal a block of 256 KiB", tx -> {
            tx.insertBlock(block(1, 0, 100, 2620));
            tx.updateStream(live);
        });
        cost("settle", tx -> tx.updateStream(stream(1, "s", State.COMPLETED, null, 0, NOW, 0)));
        cost("extend the expiry", tx -> tx.updateStream(stream(2, "t", State.LIVE, "tag", 100, NOW, NOW + 5)));
        cost("discard", tx -> tx.updateStream(stream(1, "s", State.DISCARDED, null, 0, NOW, 0)));
        cost("delete its block", tx -> assertThat(tx.deleteBlocks(1, 100, 10)).isEqualTo(1));
        cost("delete", tx -> tx.deleteStream(1));
        cost("release a log entry", tx -> assertThat(tx.releaseLog(1)).isEqualTo(1));
        cost("reserve keys", tx -> assertThat(tx.reserveKeys(100)).isPositive());
        assertCosts("""
                open                                               3
                open with tag, owner and expiry                    6
                seal a block of 256 KiB                            67
                settle                                             1
                extend the expiry                                  2
                discard                                            4
                delete its block                                   4
                delete                                             2
                release a log entry                                2
                reserve keys                                       1
                """);
    }

    @Test
    void a_short_turn_costs_a_handful_of_small_commits_and_no_block() {
        store.commit(tx -> tx.insertSession(session(1, "s", NOW)));
        TurnRow running = turn(1, "t1", TurnRow.State.STREAMING, NOW, bytes("what is the weather?"));
        long before = frames();
        cost("start: user message, feed, turn, stream", tx -> {
            tx.insertMessage(message(1, 1, 0, 0), random(200, 1));
            tx.appendFeed(event(1, 0));
            tx.insertTurn(running);
            tx.insertStream(stream(1, "turn-1", State.LIVE, null, 1, NOW, 0));
            tx.updateSession(new SessionRow(1, "tenant", "s", false, NOW, NOW + 1, 1));
        });
        for (int i = 0; i < 20; i++) {
            int n = i;
            store.commit(tx -> tx.append(AppendRecord.of(1, 1, n, List.of(random(150, n)))));
        }
        cost("finish: message, feed, turn, stream discarded", tx -> {
            tx.insertMessage(message(1, 2, 1, 0), random(2_500, 2));
            tx.appendFeed(event(1, 1));
            tx.updateTurn(turn(1, "t1", TurnRow.State.COMPLETED, NOW, running.input()));
            tx.updateStream(stream(1, "turn-1", State.DISCARDED, null, 1, NOW, 0));
            tx.updateSession(new SessionRow(1, "tenant", "s", false, NOW, NOW + 2, 1));
        });
        cost("afterwards: the stream's row and log are deleted", tx -> {
            tx.deleteStream(1);
            assertThat(tx.releaseLog(Long.MAX_VALUE)).isPositive();
        });
        costs.append("%-50s %d%n".formatted("all of it, with 20 appends of 150 B", frames() - before));
        assertCosts("""
                start: user message, feed, turn, stream            14
                finish: message, feed, turn, stream discarded      18
                afterwards: the stream's row and log are deleted   4
                all of it, with 20 appends of 150 B                56
                """);
    }

    @Test
    void messages_feed_and_properties_cost_their_page_and_those_of_their_indexes() {
        cost("session", tx -> tx.insertSession(session(1, "s", NOW)));
        cost("message of 300 B", tx -> tx.insertMessage(message(1, 1, 0, 0), random(300, 1)));
        cost("message of 1 MiB", tx -> tx.insertMessage(message(1, 2, 1, 0), random(1 << 20, 1)));
        cost("update of the message of 300 B", tx -> tx.updateMessage(message(1, 1, 0, 0), random(301, 2)));
        cost("feed event", tx -> tx.appendFeed(event(1, 0)));
        cost("activity of the session", tx -> tx.updateSession(session(1, "s", NOW + 1)));
        cost("property", tx -> tx.putProperty(new PropertyRow("s:1", "p", 1, bytes("v"), 0)));
        cost("property that expires", tx -> tx.putProperty(new PropertyRow("s:1", "q", 1, bytes("v"), 5)));
        cost("turn", tx -> tx.insertTurn(turn(1, "t", TurnRow.State.ACCEPTED, NOW, bytes("in"))));
        cost("turn goes on", tx -> tx.updateTurn(turn(1, "t", TurnRow.State.STREAMING, NOW, bytes("in"))));
        cost("turn ends", tx -> tx.updateTurn(turn(1, "t", TurnRow.State.COMPLETED, NOW, bytes("in"))));
        assertCosts("""
                session                                            3
                message of 300 B                                   4
                message of 1 MiB                                   263
                update of the message of 300 B                     2
                feed event                                         1
                activity of the session                            2
                property                                           1
                property that expires                              2
                turn                                               4
                turn goes on                                       1
                turn ends                                          3
                """);
    }
}
