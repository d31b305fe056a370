package dev.holdfast.verification.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.LimitExceeded;
import dev.holdfast.error.HoldfastException.PreconditionFailed;
import dev.holdfast.error.HoldfastException.SessionNotFound;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.session.FeedEvent;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.session.Properties;
import dev.holdfast.session.Property;
import dev.holdfast.session.PropertyDeletion;
import dev.holdfast.session.PropertyPage;
import dev.holdfast.session.PropertyWrite;
import dev.holdfast.session.PropertyWrite.Condition;
import dev.holdfast.session.PropertyWrite.Notice;
import dev.holdfast.session.Session;
import dev.holdfast.session.SessionLimits;
import dev.holdfast.store.Command;
import dev.holdfast.store.FeedRow.Kind;
import dev.holdfast.store.PropertyRow;
import dev.holdfast.store.PropertyRow.Owner;
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

final class PropertiesTest {

    @TempDir
    Path folder;

    private Opened opened;
    private Properties properties;

    @BeforeEach
    void open() {
        opened = new Opened(folder);
        properties = tenant("tenant");
    }

    @AfterEach
    void close() {
        opened.close();
    }

    private Properties tenant(String name) {
        return new Properties(opened.engine, new Owner.Tenant(name));
    }

    @Test
    void a_property_is_written_read_and_deleted_and_each_change_has_a_version() {
        assertThat(properties.get("p")).isEmpty();
        assertThat(properties.put("p", "one")).isEqualTo(1);
        assertThat(properties.put("p", "two")).isEqualTo(2);
        assertThat(properties.get("p").orElseThrow()).satisfies(p -> {
            assertThat(p.text()).isEqualTo("two");
            assertThat(p.version()).isEqualTo(2);
            assertThat(p.expiresAt()).isEmpty();
        });
        assertThat(properties.delete("p")).isTrue();
        assertThat(properties.delete("p")).isFalse();
        assertThat(properties.get("p")).isEmpty();
    }

    @Test
    void changes_made_together_are_all_made_in_one_commit_and_each_tells_its_version() {
        properties.put("kept", "one");
        properties.put("gone", "x");

        List<Long> versions = properties.change(List.of(
                PropertyWrite.of("kept", "two").ifVersion(1),
                PropertyWrite.of("new", "n").ifAbsent(),
                PropertyDeletion.of("gone").ifVersion(1),
                PropertyDeletion.of("never there")));

        assertThat(versions).containsExactly(2L, 1L, 0L, 0L);
        assertThat(properties.get("kept").orElseThrow().text()).isEqualTo("two");
        assertThat(properties.get("new")).isPresent();
        assertThat(properties.get("gone")).isEmpty();
    }

    @Test
    void changes_made_together_are_not_made_at_all_if_one_condition_does_not_hold() {
        properties.put("p", "one");

        assertThatThrownBy(() -> properties.change(List.of(
                        PropertyWrite.of("first", "x"),
                        PropertyDeletion.of("p"),
                        PropertyWrite.of("last", "x").ifVersion(7))))
                .isInstanceOf(PreconditionFailed.class);

        assertThat(properties.get("first")).isEmpty();
        assertThat(properties.get("p").orElseThrow().text()).isEqualTo("one");
    }

    @Test
    void changes_made_together_are_bounded_and_name_each_property_once() {
        List<PropertyWrite> many = IntStream.rangeClosed(0, SessionLimits.MAX_PROPERTY_CHANGES)
                .mapToObj(i -> PropertyWrite.of("p" + i, "x"))
                .toList();
        byte[] large = new byte[SessionLimits.MAX_PROPERTY_BYTES];
        List<PropertyWrite> heavy = IntStream.rangeClosed(
                        0, SessionLimits.MAX_PROPERTY_CHANGES_BYTES / SessionLimits.MAX_PROPERTY_BYTES)
                .mapToObj(i -> PropertyWrite.of("p" + i, large))
                .toList();

        assertThatThrownBy(() -> properties.change(many)).isInstanceOf(LimitExceeded.class);
        assertThatThrownBy(() -> properties.change(heavy)).isInstanceOf(LimitExceeded.class);
        assertThatThrownBy(() -> properties.change(List.of(PropertyWrite.of("p", "x"), PropertyDeletion.of("p"))))
                .isInstanceOf(InvalidArgument.class);
        assertThat(properties.list("", 10).properties()).isEmpty();
        assertThat(properties.change(many.subList(0, SessionLimits.MAX_PROPERTY_CHANGES)))
                .hasSize(SessionLimits.MAX_PROPERTY_CHANGES);
    }

    @Test
    void a_life_longer_than_any_timer_waits_is_refused_and_the_longest_one_is_fine() {
        properties.put(PropertyWrite.of("long", "x").expiresAfter(SessionLimits.MAX_PROPERTY_LIFE));

        assertThatThrownBy(() -> properties.put(
                        PropertyWrite.of("longer", "x").expiresAfter(SessionLimits.MAX_PROPERTY_LIFE.plusDays(1))))
                .isInstanceOf(LimitExceeded.class);
        assertThat(properties.get("long")).isPresent();
    }

    @Test
    void a_property_belongs_to_its_owner_alone() {
        Session session = opened.sessions.create("chat");
        tenant("a").put("p", "of a");
        session.properties().put("p", "of the session");
        assertThat(tenant("b").get("p")).isEmpty();
        assertThat(tenant("a").get("p").orElseThrow().text()).isEqualTo("of a");
        assertThat(session.properties().get("p").orElseThrow().text()).isEqualTo("of the session");
    }

    @Test
    void a_write_whose_condition_does_not_hold_writes_nothing() {
        opened.store.takeWrites();
        assertThatThrownBy(() -> properties.put(PropertyWrite.of("p", "x").ifVersion(1)))
                .isInstanceOf(PreconditionFailed.class);
        assertThat(opened.store.takeWrites()).isEmpty();
        properties.put(PropertyWrite.of("p", "x").ifAbsent());
        assertThatThrownBy(() -> properties.put(PropertyWrite.of("p", "y").ifAbsent()))
                .isInstanceOf(PreconditionFailed.class);
        assertThatThrownBy(() -> properties.put(PropertyWrite.of("p", "y").ifVersion(2)))
                .isInstanceOf(PreconditionFailed.class);
        assertThat(properties.put(PropertyWrite.of("p", "y").ifVersion(1))).isEqualTo(2);
        assertThatThrownBy(() -> properties.delete("p", new Condition.Version(1), Notice.SILENT))
                .isInstanceOf(PreconditionFailed.class);
        assertThat(properties.get("p").orElseThrow().text()).isEqualTo("y");
        assertThat(properties.delete("p", new Condition.Version(2), Notice.SILENT))
                .isTrue();
    }

    @Test
    void of_many_writers_that_want_it_absent_one_wins() {
        List<Integer> winners = IntStream.range(0, 50)
                .parallel()
                .filter(i -> {
                    try {
                        return properties.put(
                                        PropertyWrite.of("p", "writer " + i).ifAbsent())
                                == 1;
                    } catch (PreconditionFailed e) {
                        return false;
                    }
                })
                .boxed()
                .toList();
        assertThat(winners).hasSize(1);
        assertThat(properties.get("p").orElseThrow().text()).isEqualTo("writer " + winners.getFirst());
    }

    @Test
    void an_expired_property_is_invisible_from_its_deadline_on_and_counts_as_absent() {
        Opened quiet = withoutCommitter();
        quiet.committer.submit(put(quiet, PropertyWrite.of("p", "x").expiresAfter(Duration.ofSeconds(10))));
        quiet.committer.step();
        Properties mine = new Properties(quiet.engine, new Owner.Tenant("tenant"));
        quiet.time.advance(Duration.ofMillis(9_999));
        assertThat(mine.get("p")).isPresent();
        quiet.time.advance(Duration.ofMillis(1));
        assertThat(mine.get("p")).isEmpty();
        assertThat(mine.list("", 10).properties()).isEmpty();
        var again = quiet.committer.submit(put(quiet, PropertyWrite.of("p", "y").ifAbsent()));
        quiet.committer.step();
        assertThat(again.await()).isEqualTo(2); // the version goes on: the expired row was still there
        assertThat(mine.get("p").orElseThrow().text()).isEqualTo("y");
    }

    private static Command<Long> put(Opened quiet, PropertyWrite write) {
        return Opened.of(scope -> quiet.engine.properties().put(scope, new Owner.Tenant("tenant"), write));
    }

    private Opened withoutCommitter() {
        opened.close();
        opened = new Opened(folder, SessionLimits.defaults(), new SteppedTime());
        return opened;
    }

    @Test
    void expired_properties_are_deleted_by_one_timer_for_the_earliest_of_them() {
        assertThat(opened.time.waitingTimers()).isZero();
        properties.put(PropertyWrite.of("late", "x").expiresAfter(Duration.ofHours(2)));
        properties.put(PropertyWrite.of("soon", "x").expiresAfter(Duration.ofHours(1)));
        properties.put(PropertyWrite.of("later", "x").expiresAfter(Duration.ofHours(3)));
        properties.put("never", "x");
        assertThat(opened.time.waitingTimers()).isEqualTo(1);
        opened.time.advance(Duration.ofHours(1));
        opened.upkeepUntil(reads -> reads.property("t:tenant", "soon").isEmpty());
        assertThat(properties.list("", 10).properties())
                .extracting(Property::name)
                .containsExactly("late", "later", "never");
        opened.time.advance(Duration.ofHours(2));
        opened.upkeepUntil(reads -> reads.nextPropertyExpiry() == 0);
        assertThat(properties.list("", 10).properties())
                .extracting(Property::name)
                .containsExactly("never");
        assertThat(opened.time.waitingTimers()).isZero();
        assertThat(opened.engine.upkeep().due(true)).isEmpty();
    }

    @Test
    void many_expired_properties_are_deleted_in_bounded_steps_also_after_a_restart() {
        for (int i = 0; i < 600; i++) {
            properties.put(PropertyWrite.of("p" + i, "x").expiresAfter(Duration.ofSeconds(1)));
        }
        withoutCommitter();
        opened.time.advance(Duration.ofHours(1));
        opened.store.takeWrites();
        opened.committer.step();
        assertThat(opened.store.takeWrites()).hasSize(256).containsOnly("deleteProperty");
        opened.start();
        opened.upkeepUntil(reads -> reads.nextPropertyExpiry() == 0);
        assertThat(opened.store.takeWrites()).hasSize(600 - 256);
    }

    @Test
    void properties_are_listed_by_prefix_in_pages() {
        IntStream.range(0, 25).forEach(i -> properties.put("a/%02d".formatted(i), "x"));
        properties.put("b", "x");
        properties.put(PropertyWrite.of("a/00x", "x").expiresAfter(Duration.ofMillis(1)));
        List<String> names = new ArrayList<>();
        PropertyPage page = properties.list("a/", 10);
        page.properties().forEach(p -> names.add(p.name()));
        while (page.nextPage().isPresent()) {
            page = properties.list("a/", page.nextPage().orElseThrow(), 10);
            page.properties().forEach(p -> names.add(p.name()));
        }
        assertThat(names).hasSize(26).isSorted().allMatch(name -> name.startsWith("a/"));
        assertThatThrownBy(() -> properties.list("", 0)).isInstanceOf(InvalidArgument.class);
    }

    @Test
    void a_value_or_name_beyond_the_limit_is_refused() {
        properties.put("p", new byte[SessionLimits.MAX_PROPERTY_BYTES]);
        assertThatThrownBy(() -> properties.put("p", new byte[SessionLimits.MAX_PROPERTY_BYTES + 1]))
                .isInstanceOfSatisfying(
                        LimitExceeded.class, e -> assertThat(e.limit()).isEqualTo("MAX_PROPERTY_BYTES"));
        assertThatThrownBy(() -> properties.put("", "x")).isInstanceOf(InvalidArgument.class);
        assertThatThrownBy(() -> PropertyWrite.of("p", "x").expiresAfter(Duration.ZERO))
                .isInstanceOf(InvalidArgument.class);
    }

    @Test
    void the_feed_tells_of_a_change_of_a_sessions_property_if_asked_to() {
        Session session = opened.sessions.create("chat");
        session.properties().put("silent", "x");
        session.properties().put(PropertyWrite.of("told", "x").inFeed());
        session.properties().delete("told", Condition.ALWAYS, Notice.IN_FEED);
        session.properties().delete("told", Condition.ALWAYS, Notice.IN_FEED);
        List<FeedEvent> events = session.feed().read(0, 10);
        assertThat(events).extracting(FeedEvent::kind).containsExactly(Kind.PROPERTY_CHANGED, Kind.PROPERTY_CHANGED);
        assertThat(events).extracting(FeedEvent::detail).containsOnly("told");
        assertThatThrownBy(() -> properties.put(PropertyWrite.of("p", "x").inFeed()))
                .isInstanceOf(InvalidArgument.class);
    }

    @Test
    void an_owner_that_is_gone_takes_no_properties_and_leaves_none() {
        assertThatThrownBy(() -> new Properties(opened.engine, new Owner.Session(99)).put("p", "x"))
                .isInstanceOf(SessionNotFound.class);
        long key = stream("s");
        Owner owner = new Owner.Stream(key);
        Properties ofStream = new Properties(opened.engine, owner);
        IntStream.range(0, 200).forEach(i -> ofStream.put("p" + i, "x"));
        opened.streams().delete("s");
        assertThatThrownBy(() -> ofStream.put("p", "x")).isInstanceOf(StreamNotFound.class);
        opened.upkeepUntil(reads -> reads.stream(key).isEmpty());
        List<PropertyRow> left = opened.store.read(reads -> reads.properties(owner.encoded(), "", "", 10));
        assertThat(left).isEmpty();
    }

    private long stream(String name) {
        return opened.command(scope -> opened.streams
                .open(scope, Opened.TENANT, name, StreamOptions.DEFAULTS, 0, false)
                .key());
    }

    @Test
    void a_property_and_a_message_are_written_together_or_not_at_all() {
        Session session = opened.sessions.create("chat");
        Owner owner = new Owner.Tenant("tenant");
        opened.command(scope -> opened.engine.properties().put(scope, owner, PropertyWrite.of("receipt", "1")));
        assertThatThrownBy(() -> opened.command(scope -> {
                    opened.engine.put(scope, opened.row(scope, session), MessageDraft.of("a", "user", "x"));
                    return opened.engine
                            .properties()
                            .put(scope, owner, PropertyWrite.of("receipt", "2").ifAbsent());
                }))
                .isInstanceOf(PreconditionFailed.class);
        assertThat(session.count()).isZero();
        assertThat(properties.get("receipt").orElseThrow().text()).isEqualTo("1");
    }
}
