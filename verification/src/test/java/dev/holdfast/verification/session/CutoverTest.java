package dev.holdfast.verification.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.CallbackFailed;
import dev.holdfast.session.FeedEvent;
import dev.holdfast.session.FeedWatch;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.session.Session;
import dev.holdfast.store.Command;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.FeedRow.Kind;
import dev.holdfast.store.SessionRow;
import dev.holdfast.stream.Callbacks;
import dev.holdfast.stream.CommitCallback;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamOptions;
import dev.holdfast.stream.StreamState;
import dev.holdfast.stream.StreamWriter;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** NEVER-BOTH: message, feed event, the end of the stream and the application's own rows are one transaction. */
final class CutoverTest {

    @TempDir
    Path folder;

    private Opened opened;
    private Session session;
    private long streamKey;

    @BeforeEach
    void open() {
        opened = new Opened(folder);
        session = opened.sessions.create("chat");
        StreamWriter writer = opened.command(scope -> {
            var open = opened.streams.open(
                    scope,
                    Opened.TENANT,
                    "answer",
                    StreamOptions.DEFAULTS,
                    opened.row(scope, session).key(),
                    false);
            streamKey = open.key();
            return open.writer();
        });
        writer.append("Hello");
    }

    @AfterEach
    void close() {
        opened.close();
    }

    private final class Cutover extends Command<Long> {
        private final CommitCallback callback;

        Cutover(CommitCallback callback) {
            this.callback = callback;
        }

        @Override
        protected boolean exclusive() {
            return true;
        }

        @Override
        protected Long decide(CommitScope scope) {
            SessionRow row = opened.row(scope, session);
            opened.engine.put(
                    scope, row, MessageDraft.of("answer", "assistant", "Hello").inTurn("turn"));
            opened.streams.settle(scope, streamKey, 0, Settlement.completed().discard());
            long seq = opened.engine.feed(scope, row, Kind.TURN_ENDED, "answer", "turn", "completed");
            Callbacks.run(scope, callback, opened.streams.limits(), opened.streams.timers());
            return seq;
        }
    }

    @Test
    void a_cutover_writes_all_of_it_and_then_tells_those_who_wait() {
        List<String> seen = new CopyOnWriteArrayList<>();
        FeedWatch watch = opened.command(scope -> opened.engine.watch(opened.row(scope, session)));
        watch.onChange(watch.version(), () -> seen.add("woken"));
        long seq = opened.committer.execute(new Cutover(handle -> seen.add("callback")));
        assertThat(seq).isEqualTo(1);
        assertThat(seen).containsExactly("callback", "woken");
        assertThat(session.leaf().orElseThrow().text()).isEqualTo("Hello");
        assertThat(opened.streams().status("answer")).isEmpty();
        assertThat(session.feed().read(0, 10))
                .extracting(FeedEvent::kind)
                .containsExactly(Kind.MESSAGE_ADDED, Kind.TURN_ENDED);
        watch.close();
    }

    @Test
    void a_callback_that_throws_rolls_back_all_of_it_and_wakes_nobody() {
        List<String> woken = new CopyOnWriteArrayList<>();
        try (FeedWatch watch = opened.command(scope -> opened.engine.watch(opened.row(scope, session)))) {
            long before = watch.version();
            watch.onChange(before, () -> woken.add("woken"));
            assertThatThrownBy(() -> opened.committer.execute(new Cutover(handle -> {
                        throw new IllegalStateException("on purpose");
                    })))
                    .isInstanceOf(CallbackFailed.class);
            assertThat(watch.version()).isEqualTo(before);
        }
        assertThat(woken).isEmpty();
        assertThat(session.count()).isZero();
        assertThat(session.feed().next()).isZero();
        assertThat(opened.streams().status("answer").orElseThrow()).satisfies(status -> {
            assertThat(status.state()).isEqualTo(StreamState.LIVE);
            assertThat(status.tail()).isEqualTo(1);
        });
        opened.streams().open("answer").append(" world");
        long unused = opened.committer.execute(new Cutover(handle -> {}));
        assertThat(session.count()).isEqualTo(1);
    }

    @Test
    void the_applications_own_rows_share_the_fate_of_the_message() {
        CommitCallback insert = handle -> {
            try (Statement sql = handle.unwrap(Connection.class).orElseThrow().createStatement()) {
                sql.execute("CREATE TABLE IF NOT EXISTS mine (x INTEGER)");
                sql.execute("INSERT INTO mine VALUES (1)");
            }
        };
        assertThatThrownBy(() -> opened.committer.execute(new Cutover(handle -> {
                    insert.run(handle);
                    throw new IllegalStateException("on purpose");
                })))
                .isInstanceOf(CallbackFailed.class);
        long unused = opened.committer.execute(new Cutover(insert));
        AtomicLong rows = new AtomicLong();
        opened.committer.execute(new Command<Boolean>() {
            @Override
            protected boolean exclusive() {
                return true;
            }

            @Override
            protected Boolean decide(CommitScope scope) {
                Callbacks.run(
                        scope,
                        handle -> {
                            try (Statement sql = handle.unwrap(Connection.class)
                                            .orElseThrow()
                                            .createStatement();
                                    var result = sql.executeQuery("SELECT count(*) FROM mine")) {
                                result.next();
                                rows.set(result.getLong(1));
                            }
                        },
                        opened.streams.limits(),
                        opened.streams.timers());
                return true;
            }
        });
        assertThat(rows).hasValue(1);
    }
}
