package dev.holdfast.verification.session;

import static dev.holdfast.verification.rig.Patience.await;
import static dev.holdfast.verification.session.Opened.append;
import static dev.holdfast.verification.session.Opened.user;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.Closed;
import dev.holdfast.error.HoldfastException.CursorAhead;
import dev.holdfast.error.HoldfastException.CursorTooOld;
import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.SessionNotFound;
import dev.holdfast.session.FeedEvent;
import dev.holdfast.session.FeedListener;
import dev.holdfast.session.FeedReader;
import dev.holdfast.session.FeedStep;
import dev.holdfast.session.FeedSubscription;
import dev.holdfast.session.Session;
import dev.holdfast.session.SessionLimits;
import dev.holdfast.store.FeedRow.Kind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(600)
final class FeedTest {

    @TempDir
    Path folder;

    private Opened opened;
    private Session session;
    private final List<FeedEvent> heard = new CopyOnWriteArrayList<>();
    private final List<FeedSubscription> subscriptions = new ArrayList<>();

    @BeforeEach
    void open() {
        opened = new Opened(folder);
        session = opened.sessions.create("chat");
    }

    @AfterEach
    void close() {
        subscriptions.forEach(FeedSubscription::close);
        opened.close();
    }

    private static void until(Callable<Boolean> condition) {
        await().until(condition);
    }

    private void listen(FeedListener listener) {
        subscriptions.add(session.feed().listen(listener));
    }

    private void reopenRetaining(int events) {
        opened.close();
        opened = new Opened(folder, SessionLimits.defaults().withFeedRetained(events));
        session = opened.sessions.get("chat");
    }

    @Test
    @Tag("M73")
    void events_are_numbered_densely_and_read_from_any_position_S44() {
        append(session, "a", "b", "c");
        assertThat(session.feed().read(1, 10)).extracting(FeedEvent::seq).containsExactly(1L, 2L);
        assertThat(session.feed().read(1, 10)).extracting(FeedEvent::message).containsExactly("b", "c");
        assertThat(session.feed().read(0, 2)).hasSize(2);
        assertThat(session.feed().read(3, 10)).isEmpty();
        assertThat(session.feed().next()).isEqualTo(3);
    }

    @Test
    void a_step_has_the_messages_of_its_instant_as_far_as_they_are_wanted() {
        append(session, "a", "b", "c");
        try (FeedReader reader = session.feed().open(0)) {
            FeedStep step = reader.step(10, 100, 1_000);
            assertThat(step.events()).hasSize(3);
            assertThat(step.messages()).containsOnlyKeys("a", "b", "c");
            assertThat(step.atEnd()).isTrue();
            assertThat(reader.hasChanged()).isFalse();
            append(session, "d");
            assertThat(reader.hasChanged()).isTrue();
            assertThat(reader.step(10, 0, 1_000)).satisfies(later -> {
                assertThat(later.events()).extracting(FeedEvent::message).containsExactly("d");
                assertThat(later.messages()).isEmpty(); // larger than is wanted
            });
        }
    }

    @Test
    void a_step_ends_behind_the_message_that_is_enough_and_says_that_there_is_more() {
        append(session, "a", "b", "c");
        try (FeedReader reader = session.feed().open(0)) {
            for (String id : List.of("a", "b")) {
                FeedStep step = reader.step(10, 100, 1);
                assertThat(step.events()).extracting(FeedEvent::message).containsExactly(id);
                assertThat(step.atEnd()).isFalse();
            }
            assertThat(reader.step(10, 100, 1).atEnd()).isTrue();
        }
    }

    @Test
    void a_position_beyond_the_end_is_refused() {
        append(session, "a");
        assertThatThrownBy(() -> session.feed().read(2, 10))
                .isInstanceOfSatisfying(
                        CursorAhead.class, e -> assertThat(e.tail()).isEqualTo(1));
        assertThatThrownBy(() -> session.feed().read(-1, 10)).isInstanceOf(InvalidArgument.class);
        assertThatThrownBy(() -> session.feed().read(0, 0)).isInstanceOf(InvalidArgument.class);
        assertThatThrownBy(() -> session.feed().read(0, SessionLimits.MAX_FEED_PAGE + 1))
                .isInstanceOf(InvalidArgument.class);
    }

    @Test
    void the_newest_events_are_kept_and_older_ones_are_refused_as_too_old() {
        reopenRetaining(100);
        IntStream.range(0, 300).forEach(i -> append(session, "m" + i));
        long next = session.feed().next();
        assertThat(next).isEqualTo(300);
        assertThatThrownBy(() -> session.feed().read(0, 10)).isInstanceOfSatisfying(CursorTooOld.class, e -> {
            assertThat(e.first()).isBetween(next - 100 - SessionLimits.FEED_TRIM_STEP, next - 100);
            assertThat(session.feed().read(e.first(), 1))
                    .extracting(FeedEvent::seq)
                    .containsExactly(e.first());
        });
        assertThat(session.feed().read(next - 100, 1000)).hasSize(100);
    }

    @Test
    void a_feed_that_is_far_too_long_is_trimmed_in_bounded_steps() {
        IntStream.range(0, 500).forEach(i -> append(session, "m" + i));
        reopenRetaining(10);
        IntStream.range(500, 576).forEach(i -> append(session, "m" + i));
        opened.store.read(reads -> {
            long key = reads.session(Opened.TENANT, "chat").orElseThrow().key();
            assertThat(reads.feedFirst(key)).isEqualTo(4L * SessionLimits.FEED_TRIM_STEP);
            return true;
        });
    }

    @Test
    void a_reader_waits_for_the_next_event_and_goes_on_exactly_there() throws Exception {
        append(session, "a");
        try (FeedReader reader = session.feed().open(0)) {
            assertThat(reader.next(10)).extracting(FeedEvent::message).containsExactly("a");
            CountDownLatch waits = new CountDownLatch(1);
            CompletableFuture<List<FeedEvent>> answer = CompletableFuture.supplyAsync(() -> {
                waits.countDown();
                try {
                    return reader.next(10);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            waits.await();
            append(session, "b");
            assertThat(answer.get()).extracting(FeedEvent::message).containsExactly("b");
            assertThat(reader.position()).isEqualTo(2);
            assertThat(reader.next(10, Duration.ZERO)).isEmpty();
        }
    }

    @Test
    void a_reader_of_a_deleted_session_is_told_so_even_if_the_id_is_in_use_again() {
        try (FeedReader reader = session.feed().open(0)) {
            opened.sessions.delete("chat");
            append(opened.sessions.create("chat"), "a");
            assertThatThrownBy(() -> reader.next(10)).isInstanceOf(SessionNotFound.class);
        }
    }

    @Test
    void a_listener_hears_each_event_once_in_order_and_never_two_at_a_time_S44() {
        listen(heard::add);
        IntStream.range(0, 400).parallel().forEach(i -> session.append(user("m" + i)));
        until(() -> heard.size() >= 400);
        assertThat(heard)
                .extracting(FeedEvent::seq)
                .containsExactlyElementsOf(LongStream.range(0, 400).boxed().toList());
    }

    @Test
    void a_listener_hears_what_happens_after_it_began_to_listen() {
        append(session, "a");
        listen(heard::add);
        append(session, "b");
        until(() -> !heard.isEmpty());
        assertThat(heard).extracting(FeedEvent::message).containsExactly("b");
    }

    @Test
    void a_listener_is_called_off_the_committers_thread_and_can_write_itself() {
        List<String> threads = new CopyOnWriteArrayList<>();
        listen(event -> {
            threads.add(Thread.currentThread().getName());
            if ("a".equals(event.message())) {
                append(session, "b");
            }
            heard.add(event);
        });
        append(session, "a");
        until(() -> heard.size() == 2);
        assertThat(threads).isNotEmpty().noneMatch(name -> name.contains("committer"));
    }

    @Test
    void a_listener_that_throws_disturbs_nobody_and_hears_the_next_event_S44() {
        List<FeedEvent> others = new CopyOnWriteArrayList<>();
        listen(event -> {
            heard.add(event);
            throw new IllegalStateException("on purpose");
        });
        listen(others::add);
        append(session, "a", "b");
        until(() -> heard.size() == 2 && others.size() == 2);
    }

    @Test
    void a_listener_that_unsubscribes_while_it_is_called_hears_nothing_more_S44() {
        CompletableFuture<FeedSubscription> self = new CompletableFuture<>();
        List<FeedEvent> others = new CopyOnWriteArrayList<>();
        listen(others::add);
        self.complete(session.feed().listen(event -> {
            heard.add(event);
            self.join().close();
        }));
        append(session, "a", "b", "c");
        until(() -> others.size() == 3);
        assertThat(heard).extracting(FeedEvent::message).containsExactly("a");
    }

    @Test
    void a_listener_that_falls_behind_the_retention_is_told_what_it_missed() {
        reopenRetaining(10);
        CountDownLatch blocked = new CountDownLatch(1);
        List<String> told = new CopyOnWriteArrayList<>();
        listen(new FeedListener() {
            @Override
            public void event(FeedEvent event) {
                told.add("event " + event.seq());
                try {
                    blocked.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }

            @Override
            public void missed(long from, long to) {
                told.add("missed " + from + " to " + to);
            }
        });
        append(session, "first");
        until(() -> told.size() == 1);
        IntStream.range(1, 129).forEach(i -> append(session, "m" + i));
        blocked.countDown();
        until(() -> told.contains("event 128"));
        assertThat(told).startsWith("event 0", "missed 1 to 118", "event 118").hasSize(13);
    }

    @Test
    void a_listener_is_told_that_the_session_is_gone() {
        CompletableFuture<Boolean> gone = new CompletableFuture<>();
        FeedSubscription subscription = session.feed().listen(new FeedListener() {
            @Override
            public void event(FeedEvent event) {
                heard.add(event);
            }

            @Override
            public void gone() {
                gone.complete(true);
            }
        });
        opened.sessions.delete("chat");
        assertThat(gone.join()).isTrue();
        assertThat(heard).isEmpty();
        subscription.close();
    }

    @Test
    void an_event_of_a_command_that_is_rolled_back_is_never_seen_S44() {
        append(session, "a");
        listen(heard::add);
        assertThatThrownBy(() -> opened.command(scope -> {
                    opened.engine.put(scope, opened.row(scope, session), user("b"));
                    throw new InvalidArgument("on purpose");
                }))
                .isInstanceOf(InvalidArgument.class);
        append(session, "c");
        until(() -> !heard.isEmpty());
        assertThat(heard).extracting(FeedEvent::message).containsExactly("c");
        assertThat(session.feed().read(0, 10)).extracting(FeedEvent::kind).containsOnly(Kind.MESSAGE_ADDED);
        assertThat(session.feed().read(0, 10)).extracting(FeedEvent::message).containsExactly("a", "c");
    }

    @Test
    void a_reader_that_waits_is_told_when_the_instance_closes() throws Exception {
        CompletableFuture<Throwable> told = new CompletableFuture<>();
        FeedReader reader = session.feed().open(session.feed().next());
        Thread waiting = Thread.ofVirtual().start(() -> {
            try {
                List<FeedEvent> unused = reader.next(10);
            } catch (Throwable e) {
                told.complete(e);
            }
        });
        until(() -> waiting.getState() == Thread.State.WAITING);

        opened.engine.close();

        assertThat(told.get()).isInstanceOf(Closed.class);
    }
}
