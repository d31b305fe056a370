package dev.holdfast.verification.session;

import static dev.holdfast.verification.session.Opened.append;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.session.FeedEvent;
import dev.holdfast.session.LiveTurn;
import dev.holdfast.session.LiveTurn.LiveStream;
import dev.holdfast.session.Message;
import dev.holdfast.session.Session;
import dev.holdfast.session.SessionAttach;
import dev.holdfast.session.SessionCursor;
import dev.holdfast.session.SessionLimits;
import dev.holdfast.session.SessionSnapshot;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.TurnRow;
import dev.holdfast.stream.StreamEngine;
import dev.holdfast.stream.StreamOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** EXPLICIT-CURSOR: each cursor of a session gets a named answer. */
final class AttachTest {

    private static final long SNAPSHOT_BYTES = 1 << 20;

    @TempDir
    Path folder;

    private Opened opened;
    private Session session;

    @BeforeEach
    void open() {
        opened = new Opened(folder, SessionLimits.defaults().withFeedRetained(10));
        session = opened.sessions.create("chat");
    }

    @AfterEach
    void close() {
        opened.close();
    }

    private SessionCursor cursor() {
        return session.feed().snapshot(SNAPSHOT_BYTES).cursor();
    }

    private SessionAttach attach(SessionCursor cursor) {
        return opened.sessions.attach("chat", SessionCursor.parse(cursor.token()), SNAPSHOT_BYTES);
    }

    private static SessionAttach.Ok ok(SessionAttach answer) {
        assertThat(answer).isInstanceOf(SessionAttach.Ok.class);
        return (SessionAttach.Ok) answer;
    }

    @Test
    void a_cursor_that_stands_goes_on_exactly_there() {
        append(session, "a");
        SessionCursor cursor = cursor();
        append(session, "b", "c");
        SessionAttach.Ok answer = ok(attach(cursor));
        try (var reader = answer.reader()) {
            assertThat(reader.read(10)).extracting(FeedEvent::message).containsExactly("b", "c");
        }
        assertThat(answer.cursor()).isEqualTo(cursor);
        assertThat(answer.live()).isEmpty();
    }

    @Test
    void a_cursor_whose_events_were_trimmed_away_gets_a_snapshot_to_start_from() {
        SessionCursor cursor = cursor();
        IntStream.range(0, 100).forEach(i -> append(session, "m" + i));
        SessionAttach answer = attach(cursor);
        assertThat(answer).isInstanceOf(SessionAttach.TooOld.class);
        SessionSnapshot snapshot = ((SessionAttach.TooOld) answer).snapshot();
        assertThat(snapshot.recent().messages())
                .extracting(Message::id)
                .hasSize(100)
                .endsWith("m99");
        append(session, "next");
        try (var reader = ok(attach(snapshot.cursor())).reader()) {
            assertThat(reader.read(10)).extracting(FeedEvent::message).containsExactly("next");
        }
    }

    @Test
    void a_cursor_beyond_the_end_is_told_so_with_a_snapshot() {
        append(session, "a");
        assertThat(attach(cursor().withFeed(2)))
                .isInstanceOfSatisfying(
                        SessionAttach.Ahead.class,
                        ahead -> assertThat(ahead.snapshot().cursor()).isEqualTo(cursor()));
    }

    @Test
    void a_cursor_of_another_session_is_refused_whatever_the_id() {
        SessionCursor cursor = cursor();
        opened.sessions.create("other");
        assertThat(opened.sessions.attach("other", cursor, 0)).isEqualTo(new SessionAttach.WrongSession());
        opened.sessions.delete("chat");
        assertThat(attach(cursor)).isEqualTo(new SessionAttach.Gone());
        opened.sessions.create("chat");
        assertThat(attach(cursor)).isEqualTo(new SessionAttach.WrongSession());
    }

    @Test
    void live_streams_go_on_where_the_cursor_left_them_and_others_from_their_beginning() {
        StreamEngine.Opened known = turn("t1", "s1");
        StreamEngine.Opened unknown = turn("t2", "s2");
        SessionCursor cursor =
                cursor().withStream(known.writer().tail().incarnation(), 17).withStream(99, 3);
        SessionAttach.Ok answer = ok(attach(cursor));
        answer.reader().close();
        assertThat(answer.live())
                .extracting(LiveTurn::stream)
                .containsExactly(
                        new LiveStream("s1", known.writer().tail().incarnation(), 17),
                        new LiveStream("s2", unknown.writer().tail().incarnation(), 0));
        assertThat(answer.cursor().streams())
                .containsExactly(
                        new SessionCursor.StreamPosition(known.writer().tail().incarnation(), 17));
        assertThat(session.feed().snapshot(0).live())
                .extracting(LiveTurn::turnId)
                .containsExactly("t1", "t2");
    }

    @Test
    void a_turn_without_a_live_stream_is_live_without_one() {
        turn("t1", "s1");
        opened.streams().delete("s1");
        assertThat(session.feed().snapshot(0).live()).singleElement().satisfies(turn -> {
            assertThat(turn.state()).isEqualTo(TurnRow.State.STREAMING);
            assertThat(turn.streamNow()).isEmpty();
        });
    }

    private StreamEngine.Opened turn(String id, String stream) {
        return opened.command(scope -> {
            SessionRow row = opened.row(scope, session);
            StreamEngine.Opened open =
                    opened.streams.open(scope, Opened.TENANT, stream, StreamOptions.DEFAULTS, row.key(), false);
            long now = scope.now() + opened.streams.time().monotonicNanos();
            scope.writes()
                    .insertTurn(new TurnRow(
                            row.key(),
                            id,
                            TurnRow.State.STREAMING,
                            "agent",
                            new byte[0],
                            new byte[0],
                            null,
                            "answer-" + id,
                            open.key(),
                            stream,
                            null,
                            1,
                            1,
                            0,
                            false,
                            null,
                            now,
                            now,
                            0));
            return open;
        });
    }

    @Test
    void a_snapshot_holds_at_least_the_active_leaf() {
        append(session, "a", "b");
        assertThat(session.feed().snapshot(0).recent()).satisfies(recent -> {
            assertThat(recent.messages()).extracting(Message::id).containsExactly("b");
            assertThat(recent.truncated()).isTrue();
        });
        assertThat(List.of(session.feed().snapshot(0).cursor().feedNext())).containsExactly(2L);
    }
}
