package dev.holdfast.verification.session;

import static dev.holdfast.verification.session.Opened.append;
import static dev.holdfast.verification.session.Opened.user;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.SessionNotFound;
import dev.holdfast.session.FeedWatch;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.session.Session;
import dev.holdfast.session.SessionInfo;
import dev.holdfast.session.SessionLimits;
import dev.holdfast.session.Sessions;
import dev.holdfast.store.StoreReads;
import dev.holdfast.stream.StreamOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LifeOfSessionsTest {

    @TempDir
    Path folder;

    private Opened opened;
    private Sessions sessions;

    @BeforeEach
    void open() {
        opened = new Opened(folder);
        sessions = opened.sessions;
    }

    @AfterEach
    void close() {
        opened.close();
    }

    @Test
    void creating_a_session_again_finds_it_and_writes_nothing() {
        Session first = sessions.create("chat");
        append(first, "a");
        opened.store.takeWrites();
        assertThat(sessions.create("chat").count()).isEqualTo(1);
        assertThat(opened.store.takeWrites()).isEmpty();
        assertThat(sessions.get("chat").id()).isEqualTo("chat");
    }

    @Test
    void generated_ids_differ() {
        assertThat(sessions.create().id())
                .hasSize(32)
                .isNotEqualTo(sessions.create().id());
    }

    @Test
    void a_session_that_was_never_created_is_not_there() {
        assertThat(sessions.find("chat")).isEmpty();
        assertThat(sessions.delete("chat")).isFalse();
        assertThatThrownBy(() -> sessions.get("chat")).isInstanceOf(SessionNotFound.class);
    }

    @Test
    void tenants_do_not_see_each_others_sessions() {
        sessions.create("chat");
        Sessions others = new Sessions(opened.engine, "another");
        assertThat(others.find("chat")).isEmpty();
        assertThat(others.list(10)).isEmpty();
        assertThat(others.delete("chat")).isFalse();
    }

    @Test
    void sessions_are_listed_newest_activity_first_in_pages() {
        for (String id : List.of("a", "b", "c", "d", "e")) {
            sessions.create(id);
            opened.time.advance(Duration.ofSeconds(1));
        }
        append(sessions.get("b"), "m");
        sessions.delete("d");
        List<String> listed = new ArrayList<>();
        List<SessionInfo> page = sessions.list(2);
        while (!page.isEmpty()) {
            page.forEach(info -> listed.add(info.id()));
            page = sessions.list(page.getLast().position(), 2);
        }
        assertThat(listed).containsExactly("b", "e", "c", "a");
        assertThatThrownBy(() -> sessions.list(0)).isInstanceOf(InvalidArgument.class);
        assertThatThrownBy(() -> sessions.list(SessionLimits.MAX_PAGE + 1)).isInstanceOf(InvalidArgument.class);
    }

    @Test
    void reading_is_no_activity() {
        Session session = sessions.create("chat");
        SessionInfo before = session.info();
        opened.time.advance(Duration.ofSeconds(1));
        session.recent(10);
        session.feed().read(0, 10);
        assertThat(session.info()).isEqualTo(before);
    }

    @Test
    void a_deleted_session_is_gone_at_once_with_its_streams_and_its_id_is_free() {
        Session session = fullSession("chat");
        try (FeedWatch watch = watch(session)) {
            assertThat(sessions.delete("chat")).isTrue();
            assertThat(watch.gone()).isTrue();
        }
        assertThat(opened.streams().status("answer")).isEmpty();
        assertThat(sessions.find("chat")).isEmpty();
        assertThatThrownBy(session::info).isInstanceOf(SessionNotFound.class);
        assertThatThrownBy(session::count).isInstanceOf(SessionNotFound.class);
        assertThatThrownBy(() -> session.append(user("late"))).isInstanceOf(SessionNotFound.class);
        assertThatThrownBy(() -> session.feed().next()).isInstanceOf(SessionNotFound.class);
        assertThatThrownBy(() -> session.properties().put("p", "late")).isInstanceOf(SessionNotFound.class);
        Session anew = sessions.create("chat");
        assertThat(anew.count()).isZero();
        assertThat(anew.feed().next()).isZero();
        assertThat(anew.properties().get("p0")).isEmpty();
        assertThatThrownBy(() -> session.append(user("late"))).isInstanceOf(SessionNotFound.class);
    }

    @Test
    void whoever_registered_for_deletions_is_told_after_the_commit() {
        Session session = sessions.create("chat");
        List<Long> told = new ArrayList<>();
        opened.engine.onDeleted(told::add);
        long key = key(session);
        sessions.delete("chat");
        assertThat(told).containsExactly(key);
    }

    @Test
    void deleting_costs_the_same_whatever_the_session_holds() {
        fullSession("chat");
        Opened quiet = reopenedWithoutCommitter();
        quiet.committer.submit(Opened.of(scope -> {
            quiet.engine.delete(scope, quiet.engine.require(scope, Opened.TENANT, "chat"));
            return true;
        }));
        quiet.store.takeWrites();
        quiet.committer.step();
        assertThat(quiet.store.takeWrites()).containsExactly("updateSession", "purgeProperties", "deleteStream");
    }

    @Test
    void the_rows_of_a_deleted_session_are_removed_in_bounded_steps_also_after_a_crash_in_between() {
        long key = key(fullSession("chat"));
        fullSession("other");
        Opened quiet = reopenedWithoutCommitter();
        quiet.committer.submit(Opened.of(scope -> {
            quiet.engine.delete(scope, quiet.engine.require(scope, Opened.TENANT, "chat"));
            return true;
        }));
        quiet.committer.step();
        quiet.committer.step(); // one step of the removal, then the process ends
        assertThat(rowsOf(quiet, key)).isBetween(1L, 1499L);
        quiet.store.close();
        opened = new Opened(folder);
        opened.upkeepUntil(reads -> reads.session(key).isEmpty());
        assertThat(rowsOf(opened, key)).isZero();
        assertThat(opened.sessions.get("other").count()).isEqualTo(600);
        assertThat(opened.sessions.get("other").properties().list("", 1000).properties())
                .hasSize(300);
    }

    @Test
    void once_a_deleted_session_is_removed_nothing_is_due_and_no_timer_waits() {
        long key = key(fullSession("chat"));
        sessions.delete("chat");
        opened.upkeepUntil(reads -> reads.session(key).isEmpty());
        long commits = opened.committer.commits();
        Boolean unused = opened.command(scope -> true);
        assertThat(opened.committer.commits()).isEqualTo(commits);
        assertThat(opened.engine.upkeep().due(true)).isEmpty();
        assertThat(opened.time.waitingTimers()).isZero();
    }

    @Test
    void a_session_survives_a_restart() {
        append(sessions.create("chat"), "a", "b");
        opened.close();
        opened = new Opened(folder);
        Session session = opened.sessions.get("chat");
        assertThat(session.leaf().orElseThrow().id()).isEqualTo("b");
        append(session, "c");
        assertThat(session.leaf().orElseThrow().parentId()).contains("b");
    }

    @Test
    void an_opened_instance_offers_sessions_and_properties() {
        opened.close();
        try (Holdfast holdfast = Holdfast.open(folder)) {
            Session session = holdfast.sessions().create("chat");
            session.append(MessageDraft.of("a", "user", "hello"));
            session.properties().put("title", "Greetings");
            holdfast.properties().put("theme", "dark");
        }
        try (Holdfast holdfast = Holdfast.open(folder)) {
            Session session = holdfast.sessions().get("chat");
            assertThat(session.leaf().orElseThrow().text()).isEqualTo("hello");
            assertThat(session.properties().get("title").orElseThrow().text()).isEqualTo("Greetings");
            assertThat(holdfast.properties().get("theme").orElseThrow().text()).isEqualTo("dark");
            assertThat(holdfast.sessions("another").list(10)).isEmpty();
        }
        opened = new Opened(folder);
    }

    private Session fullSession(String id) {
        Session session = sessions.create(id);
        opened.command(scope -> {
            IntStream.range(0, 600).forEach(i -> opened.engine.put(scope, opened.row(scope, session), user("m" + i)));
            return opened.streams.open(
                    scope,
                    Opened.TENANT,
                    id.equals("chat") ? "answer" : "other",
                    StreamOptions.DEFAULTS,
                    opened.row(scope, session).key(),
                    false);
        });
        IntStream.range(0, 300).forEach(i -> session.properties().put("p" + i, "x"));
        return session;
    }

    private FeedWatch watch(Session session) {
        return opened.command(scope -> opened.engine.watch(opened.row(scope, session)));
    }

    private long key(Session session) {
        return opened.command(scope -> opened.row(scope, session).key());
    }

    private Opened reopenedWithoutCommitter() {
        opened.close();
        opened = new Opened(folder, SessionLimits.defaults(), new SteppedTime());
        return opened;
    }

    private static long rowsOf(Opened opened, long key) {
        return opened.store.read((StoreReads reads) -> reads.messageCount(key)
                + reads.feedNext(key)
                - reads.feedFirst(key)
                + reads.properties("s:" + key, "", "", 1000).size());
    }
}
