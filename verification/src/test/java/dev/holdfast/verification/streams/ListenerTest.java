package dev.holdfast.verification.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.holdfast.error.HoldfastException.CallbackFailed;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamCreation;
import dev.holdfast.stream.StreamListener.Change;
import dev.holdfast.stream.StreamListener.Kind;
import dev.holdfast.stream.StreamOptions;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.stream.Streams;
import dev.holdfast.verification.rig.Instance;
import dev.holdfast.verification.rig.ManualClock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Listeners hear of what is durable, before whoever asked for it is answered (VISIBLE-IS-DURABLE). */
final class ListenerTest {

    @TempDir
    Path folder;

    private final ManualClock clock = new ManualClock();
    private final List<Change> heard = new CopyOnWriteArrayList<>();
    private Instance instance;
    private Streams streams;

    @BeforeEach
    void open() {
        instance = new Instance(folder, Instance.Setup.defaults(), clock);
        streams = instance.streams();
    }

    @AfterEach
    void close() {
        instance.close();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void each_change_is_heard_by_the_time_its_caller_is_answered_S22() {
        streams.listen(heard::add);

        StreamWriter writer = streams.open("s");
        long incarnation = streams.status("s").orElseThrow().incarnation();
        assertThat(heard).containsExactly(new Change(Kind.CREATED, "s", incarnation, 0));
        writer.append("a");
        assertThat(heard.getLast()).isEqualTo(new Change(Kind.APPENDED, "s", incarnation, 1));
        writer.settle(Settlement.completed().append(List.of(bytes("b"))));
        assertThat(heard.getLast()).isEqualTo(new Change(Kind.SETTLED, "s", incarnation, 2));
        streams.delete("s");
        assertThat(heard.getLast()).isEqualTo(new Change(Kind.GONE, "s", incarnation, 2));
        assertThat(heard).hasSize(4);
    }

    @Test
    void a_stream_created_with_its_chunks_is_told_once_with_its_tail() {
        streams.listen(heard::add);

        streams.create("s", StreamCreation.of(StreamOptions.DEFAULTS).with(List.of(bytes("a"), bytes("b"))));

        assertThat(heard).extracting(Change::kind, Change::tail).containsExactly(tuple(Kind.CREATED, 2L));
    }

    @Test
    void an_expired_stream_is_gone_before_another_takes_its_name() {
        streams.open("s", StreamOptions.DEFAULTS.withTimeToLive(Duration.ofSeconds(1)));
        streams.listen(heard::add);
        clock.advance(Duration.ofSeconds(1));

        streams.open("s");

        assertThat(heard).extracting(Change::kind).containsExactly(Kind.GONE, Kind.CREATED);
        assertThat(heard.get(0).incarnation()).isNotEqualTo(heard.get(1).incarnation());
    }

    @Test
    void what_is_rolled_back_and_what_repeats_is_not_told_S22() {
        StreamWriter writer = streams.open("s");
        streams.listen(heard::add);

        streams.open("s");
        assertThatThrownBy(() -> writer.settle(Settlement.completed().commit(handle -> {
                    throw new IllegalStateException("no");
                })))
                .isInstanceOf(CallbackFailed.class);

        assertThat(heard).isEmpty();
    }

    @Test
    void a_listener_hears_its_own_tenant_until_it_ends_and_a_failing_one_harms_nobody_S30() {
        streams.listen(change -> {
            throw new IllegalStateException("a listener's own failure");
        });
        Runnable end = streams.listen(heard::add);

        instance.streams("other").open("s");
        assertThat(heard).isEmpty();
        StreamWriter writer = streams.open("s");
        assertThat(heard).hasSize(1);
        end.run();
        end.run();
        writer.append("a");

        assertThat(heard).hasSize(1);
    }
}
