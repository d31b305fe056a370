package dev.holdfast.verification.streams;

import static dev.holdfast.verification.rig.Reading.allTexts;
import static dev.holdfast.verification.rig.Reading.chunks;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.OrderConflict;
import dev.holdfast.error.HoldfastException.Overloaded;
import dev.holdfast.error.HoldfastException.PreconditionFailed;
import dev.holdfast.error.HoldfastException.ProducerGap;
import dev.holdfast.error.HoldfastException.StaleProducer;
import dev.holdfast.error.HoldfastException.StreamClosed;
import dev.holdfast.error.HoldfastException.StreamConflict;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.store.Committer;
import dev.holdfast.stream.AppendRequest;
import dev.holdfast.stream.AppendResult;
import dev.holdfast.stream.CreateResult;
import dev.holdfast.stream.Producer;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamCreation;
import dev.holdfast.stream.StreamLimits;
import dev.holdfast.stream.StreamOptions;
import dev.holdfast.stream.StreamState;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.verification.rig.Instance;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Creating and appending without a writer: one commit each, and a fixed order of checks. */
final class ByNameTest extends StreamsFixture {

    private static final StreamOptions TEXT = StreamOptions.DEFAULTS.withContentType("text/plain");

    private static AppendRequest text(String... texts) {
        return AppendRequest.of(chunks(texts));
    }

    private static AppendRequest nothing() {
        return AppendRequest.of(List.of());
    }

    private AppendResult append(AppendRequest request) {
        return streams.append("s", request);
    }

    private void create() {
        streams.create("s", StreamCreation.of(TEXT));
    }

    @Test
    void a_stream_is_created_with_its_first_chunks_and_its_end_in_one_commit() throws Exception {
        StreamCreation creation = StreamCreation.of(TEXT).with(chunks("a", "b")).settling();
        AtomicReference<CreateResult> answer = new AtomicReference<>();

        assertThat(instance.commitsOf(() -> answer.set(streams.create("s", creation))))
                .isEqualTo(1);
        CreateResult result = answer.get();
        assertThat(result.created()).isTrue();
        assertThat(result.status().settled()).isTrue();
        assertThat(result.status().tail()).isEqualTo(2);
        restart();
        assertThat(streams.status("s").orElseThrow().state()).isEqualTo(StreamState.COMPLETED);
        assertThat(allTexts(streams, "s")).containsExactly("a", "b");
    }

    /** ONE-WRITER */
    @Test
    void who_resumes_a_live_stream_is_its_only_writer_and_no_stream_is_made_for_who_finds_none() throws Exception {
        assertThatThrownBy(() -> streams.resume("s")).isInstanceOf(StreamNotFound.class);
        assertThat(streams.status("s")).isEmpty();
        StreamWriter before = streams.open("s", TEXT.withTag("t"));
        before.append("a");

        StreamWriter now = streams.resume("s");

        assertThatThrownBy(() -> before.append("b")).isInstanceOf(HoldfastException.StaleEpoch.class);
        now.append("c");
        restart();
        assertThat(allTexts(streams, "s")).containsExactly("a", "c");
        assertThat(streams.settle("s", Settlement.completed()).settled()).isTrue();
        assertThatThrownBy(() -> streams.resume("s")).isInstanceOf(StreamClosed.class);
        streams.delete("s");
        assertThatThrownBy(() -> streams.resume("s")).isInstanceOf(StreamNotFound.class);
    }

    @Test
    void a_stream_that_expired_is_not_resumed() throws Exception {
        streams.open("s", TEXT.withTimeToLive(Duration.ofMinutes(1)));
        instance.clock().advance(Duration.ofMinutes(2));
        assertThatThrownBy(() -> streams.resume("s")).isInstanceOf(StreamNotFound.class);
        assertThat(streams.status("s")).isEmpty();
    }

    @Test
    void a_stream_is_begun_with_its_writer_in_one_commit_and_only_if_there_is_none() throws Exception {
        StreamCreation creation = StreamCreation.of(TEXT).with(chunks("a"));
        AtomicReference<StreamWriter> answer = new AtomicReference<>();

        assertThat(instance.commitsOf(() -> answer.set(streams.begin("s", creation))))
                .isEqualTo(1);

        answer.get().append("b");
        assertThatThrownBy(() -> streams.begin("s", creation)).isInstanceOf(StreamConflict.class);
        assertThat(streams.takeOver("s", TEXT).epoch())
                .isGreaterThan(answer.get().epoch());
        assertThatThrownBy(() -> answer.get().append("c")).isInstanceOf(HoldfastException.StaleEpoch.class);
        restart();
        assertThat(allTexts(streams, "s")).containsExactly("a", "b");
    }

    @Test
    void a_creation_that_is_repeated_alike_changes_nothing_and_is_told_so() {
        StreamCreation wanted = StreamCreation.of(StreamOptions.DEFAULTS
                        .withContentType("Text/Plain; charset=utf-8")
                        .withTimeToLive(Duration.ofMinutes(1)))
                .with(chunks("first"));
        long incarnation = streams.create("s", wanted).status().incarnation();
        append(text("second"));

        CreateResult repeated = streams.create("s", StreamCreation.of(TEXT.withTimeToLive(Duration.ofMinutes(1))));

        assertThat(repeated.created()).isFalse();
        assertThat(repeated.status().incarnation()).isEqualTo(incarnation);
        assertThat(repeated.status().contentType()).isEqualTo("Text/Plain; charset=utf-8");
        assertThat(repeated.status().ttl()).isEqualTo(Duration.ofMinutes(1));
        assertThat(allTexts(streams, "s")).containsExactly("first", "second");
    }

    @Test
    void a_creation_that_differs_in_anything_is_a_conflict() {
        Instant expiry = Instant.ofEpochMilli(instance.clock().wallMillis()).plusSeconds(60);
        streams.create("plain", StreamCreation.of(StreamOptions.DEFAULTS));
        streams.create("sliding", StreamCreation.of(TEXT.withTimeToLive(Duration.ofMinutes(1))));
        streams.create("fixed", StreamCreation.of(TEXT.withExpiresAt(expiry)));
        streams.create("settled", StreamCreation.of(TEXT).settling());

        conflict("plain", StreamCreation.of(TEXT));
        conflict("plain", StreamCreation.of(StreamOptions.DEFAULTS).settling());
        conflict("sliding", StreamCreation.of(TEXT.withTimeToLive(Duration.ofMinutes(2))));
        conflict("sliding", StreamCreation.of(TEXT));
        conflict("fixed", StreamCreation.of(TEXT.withExpiresAt(expiry.plusSeconds(1))));
        conflict("fixed", StreamCreation.of(TEXT));
        conflict("settled", StreamCreation.of(TEXT));
        assertThat(streams.create("fixed", StreamCreation.of(TEXT.withExpiresAt(expiry)))
                        .created())
                .isFalse();
    }

    private void conflict(String name, StreamCreation wanted) {
        assertThatThrownBy(() -> streams.create(name, wanted)).isInstanceOf(StreamConflict.class);
    }

    @Test
    void an_expired_stream_is_replaced_by_whatever_is_created() {
        streams.create(
                "s",
                StreamCreation.of(TEXT.withTimeToLive(Duration.ofSeconds(1))).with(chunks("old")));
        CountDownLatch release = instance.hold();
        instance.clock().advance(Duration.ofSeconds(1));
        release.countDown();

        assertThat(streams.create("s", StreamCreation.of(StreamOptions.DEFAULTS))
                        .created())
                .isTrue();
        assertThat(allTexts(streams, "s")).isEmpty();
    }

    @Test
    void an_append_by_name_needs_a_stream_and_no_writer() {
        assertThatThrownBy(() -> append(text("x"))).isInstanceOf(StreamNotFound.class);
        create();
        StreamWriter fenced = streams.open("s");
        streams.takeOver("s", StreamOptions.DEFAULTS);

        assertThat(append(text("a", "b")).nextSeq()).isEqualTo(2);
        assertThat(append(text("c")).firstSeq()).isEqualTo(2);
        assertThatThrownBy(() -> fenced.append("x")).isInstanceOf(HoldfastException.StaleEpoch.class);
        assertThat(allTexts(streams, "s")).containsExactly("a", "b", "c");
    }

    @Test
    void orders_must_grow_bytewise_also_over_a_restart_and_after_the_log_is_gone() {
        create();
        append(text("a").ordered("10"));
        append(text("b").ordered("2"));
        assertThatThrownBy(() -> append(text("x").ordered("2"))).isInstanceOf(OrderConflict.class);
        assertThatThrownBy(() -> append(text("x").ordered("10")))
                .isInstanceOfSatisfying(
                        OrderConflict.class, e -> assertThat(e.current()).isEqualTo("2"));
        append(text("c").ordered("B"));
        append(text("d").ordered("a"));
        assertThatThrownBy(() -> append(text("x").ordered("Z"))).isInstanceOf(OrderConflict.class);
        append(text("e"));

        restart();

        assertThatThrownBy(() -> append(text("x").ordered("a"))).isInstanceOf(OrderConflict.class);
        append(text("\uFF5E").ordered("\uFF5E"));
        append(text("higher as bytes, lower as UTF-16").ordered("\uD83D\uDE00"));
        append(AppendRequest.of(List.of(new byte[StreamLimits.MAX_BLOCK_BYTES])));
        instance.settleDown();
        restart();

        assertThatThrownBy(() -> append(text("x").ordered("\uFF5E"))).isInstanceOf(OrderConflict.class);
        assertThat(streams.status("s").orElseThrow().tail()).isEqualTo(8);
    }

    @Test
    void an_order_is_stored_in_the_commit_of_its_chunks_or_not_at_all() {
        create();
        assertThatThrownBy(() -> append(text("x").ordered("1").at(7))).isInstanceOf(PreconditionFailed.class);
        assertThat(append(text("a").ordered("1")).nextSeq()).isEqualTo(1);
    }

    @Test
    void appending_and_settling_is_one_step() throws Exception {
        create();
        AtomicReference<AppendResult> answer = new AtomicReference<>();

        assertThat(instance.commitsOf(() -> answer.set(append(text("last").settling()))))
                .isEqualTo(1);
        AppendResult result = answer.get();
        assertThat(result.settled()).isTrue();
        assertThat(result.duplicate()).isFalse();
        assertThatThrownBy(() -> append(text("x")))
                .isInstanceOfSatisfying(
                        StreamClosed.class, e -> assertThat(e.tail()).isEqualTo(1));
        assertThatThrownBy(() -> append(text("last").settling())).isInstanceOf(StreamClosed.class);
        restart();
        assertThat(streams.status("s").orElseThrow().settled()).isTrue();
        assertThat(allTexts(streams, "s")).containsExactly("last");
    }

    @Test
    void settling_with_nothing_to_append_can_be_repeated_and_ignores_who_settled_it() {
        create();
        append(text("a"));
        assertThat(append(nothing().settling()).duplicate()).isFalse();
        AppendResult repeated = append(nothing().settling());

        assertThat(repeated.duplicate()).isTrue();
        assertThat(repeated.settled()).isTrue();
        assertThat(repeated.nextSeq()).isEqualTo(1);
    }

    @Test
    void by_name_a_settled_stream_knows_only_the_append_that_settled_it() {
        create();
        append(text("a").from(new Producer("p", 3, 0)));
        append(text("z").from(new Producer("p", 3, 1)).settling());

        for (int i = 0; i < 3; i++) {
            AppendResult repeated =
                    append(text("z").from(new Producer("p", 3, 1)).settling());
            assertThat(repeated.duplicate()).isTrue();
            assertThat(repeated.settled()).isTrue();
            assertThat(repeated.producerSeq()).hasValue(1);
            for (Producer other : List.of(
                    new Producer("p", 3, 0),
                    new Producer("p", 3, 2),
                    new Producer("p", 2, 1),
                    new Producer("q", 3, 1))) {
                assertThatThrownBy(() -> append(text("z").from(other).settling()))
                        .isInstanceOf(StreamClosed.class);
            }
            instance.settleDown();
            restart();
        }
    }

    @Test
    void settling_takes_part_in_a_producers_sequence() {
        create();
        Producer first = new Producer("p", 0, 0);
        assertThatThrownBy(() -> append(nothing().settling().from(new Producer("p", 0, 1))))
                .isInstanceOf(ProducerGap.class);
        append(text("a").from(first));
        assertThat(append(nothing().settling().from(first)))
                .isEqualTo(new AppendResult(1, 1, true, false, OptionalLong.of(0)));
        assertThat(streams.status("s").orElseThrow().settled()).isFalse();

        assertThat(append(nothing().settling().from(new Producer("p", 0, 1))).settled())
                .isTrue();
        restart();
        assertThat(append(nothing().settling().from(new Producer("p", 0, 1))).duplicate())
                .isTrue();
    }

    @Test
    void a_gap_at_the_start_of_a_higher_epoch_is_told_apart_from_a_missing_append() {
        create();
        assertThatThrownBy(() -> append(text("x").from(new Producer("p", 5, 1))))
                .isInstanceOfSatisfying(
                        ProducerGap.class, e -> assertThat(e.startsEpoch()).isFalse());
        append(text("a").from(new Producer("p", 5, 0)));
        assertThatThrownBy(() -> append(text("x").from(new Producer("p", 6, 1))))
                .isInstanceOfSatisfying(
                        ProducerGap.class, e -> assertThat(e.startsEpoch()).isTrue());
    }

    @Test
    void the_first_check_that_fails_is_the_answer() {
        AppendRequest allWrong = text("x")
                .as("image/png")
                .from(new Producer("p", 0, 9))
                .ordered("0")
                .at(99);
        refused(StreamNotFound.class, allWrong);
        create();
        append(text("a").from(new Producer("p", 1, 0)).ordered("5"));

        refused(StreamConflict.class, allWrong);
        refused(StaleProducer.class, allWrong.as("TEXT/plain;charset=x"));
        AppendRequest typed = allWrong.as("text/plain");
        refused(ProducerGap.class, typed.from(new Producer("p", 1, 9)));
        assertThat(append(typed.from(new Producer("p", 1, 0))).duplicate()).isTrue();
        AppendRequest next = typed.from(new Producer("p", 1, 1));
        refused(OrderConflict.class, next);
        refused(PreconditionFailed.class, next.ordered("6"));
        append(next.ordered("6").at(1));
        streams.settle("s", Settlement.completed());
        refused(StreamClosed.class, allWrong);
        streams.delete("s");
        refused(StreamNotFound.class, allWrong);
    }

    /** By {@code check} as by {@code append}, and nothing moves. */
    private void refused(Class<? extends HoldfastException> error, AppendRequest request) {
        assertThatThrownBy(() -> streams.check("s", request)).isInstanceOf(error);
        assertThatThrownBy(() -> append(request)).isInstanceOf(error);
    }

    @Test
    void a_check_answers_as_the_append_would_and_writes_nothing() throws Exception {
        create();
        AppendRequest request =
                text("a", "b").from(new Producer("p", 0, 0)).ordered("1").settling();
        AtomicReference<AppendResult> answer = new AtomicReference<>();

        assertThat(instance.commitsOf(() -> answer.set(streams.check("s", request))))
                .isZero();
        AppendResult foretold = answer.get();
        assertThat(streams.status("s").orElseThrow().tail()).isZero();
        assertThat(append(request)).isEqualTo(foretold);
    }

    @Test
    void touching_and_appending_by_name_prolong_a_sliding_life_and_looking_does_not() {
        streams.create("s", StreamCreation.of(TEXT.withTimeToLive(Duration.ofSeconds(10))));
        instance.clock().advance(Duration.ofSeconds(9));
        streams.touch("s");
        instance.clock().advance(Duration.ofSeconds(9));
        assertThatThrownBy(() -> append(text("x").at(5))).isInstanceOf(PreconditionFailed.class);
        instance.clock().advance(Duration.ofSeconds(9));
        append(nothing().settling());
        instance.clock().advance(Duration.ofSeconds(9));
        assertThat(streams.status("s")).isPresent();
        instance.clock().advance(Duration.ofSeconds(1));
        assertThat(streams.status("s")).isEmpty();
        assertThatThrownBy(() -> streams.touch("s")).isInstanceOf(StreamNotFound.class);
    }

    @Test
    void beyond_the_bound_of_queued_bytes_an_append_by_name_is_refused_at_once_BOUNDED() {
        instance.close();
        instance = new Instance(
                folder.resolve("small"), Instance.Setup.defaults().withCommitter(new Committer.Limits(1000, 1000)));
        streams = instance.streams();
        create();
        StreamWriter writer = streams.open("other");
        CountDownLatch release = instance.hold();
        var queued = writer.appendAsync(AppendRequest.of(List.of(new byte[2000])));

        assertThatThrownBy(() -> append(text("x"))).isInstanceOf(Overloaded.class);
        assertThatThrownBy(() -> streams.create("t", StreamCreation.of(TEXT))).isInstanceOf(Overloaded.class);

        release.countDown();
        assertThat(queued.join().nextSeq()).isEqualTo(1);
        assertThat(append(text("a")).nextSeq()).isEqualTo(1);
    }
}
