package dev.holdfast.verification.streams;

import static dev.holdfast.verification.rig.Reading.allTexts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.StorePoisoned;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamLimits;
import dev.holdfast.stream.StreamReader;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.verification.rig.Fault;
import dev.holdfast.verification.rig.Fault.When;
import dev.holdfast.verification.rig.Instance;
import dev.holdfast.verification.rig.Instance.Setup;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Streams that left memory, and readers that are cut because they hold too much of it. */
final class ForgottenTest {

    private static final StreamLimits KEEPS_NONE = StreamLimits.defaults().withMaxCachedStreams(0);

    @TempDir
    Path folder;

    private final Fault fault = new Fault();

    @Test
    void a_writer_goes_on_though_its_stream_left_memory_in_between() {
        try (Instance instance = new Instance(folder, Setup.defaults().withStreams(KEEPS_NONE))) {
            StreamWriter writer = instance.streams().open("s");
            instance.settleDown();

            writer.append("first");

            assertThat(writer.tail().seq()).isEqualTo(1);
            assertThat(allTexts(instance.streams(), "s")).containsExactly("first");
        }
    }

    @Test
    void a_stream_that_is_not_in_memory_can_be_read_after_a_failed_sync_FAIL_STOP() {
        Setup setup = Setup.defaults().withStreams(KEEPS_NONE).withObserver(fault);
        try (Instance instance = new Instance(folder, setup)) {
            StreamWriter writer = instance.streams().open("s");
            writer.append("acknowledged");
            writer.settle(Settlement.completed());
            instance.settleDown();
            StreamWriter other = instance.streams().open("other");
            fault.arm(
                    "commit",
                    When.BEFORE,
                    0,
                    () -> new StorePoisoned("injected: the fsync failed", new IOException("injected")));
            assertThatThrownBy(() -> other.append("lost")).isInstanceOf(StorePoisoned.class);

            assertThat(allTexts(instance.streams(), "s")).containsExactly("acknowledged");
            assertThat(instance.streams().status("s")).isPresent();
            assertThat(instance.streams().status("nobody")).isEmpty();
        }
    }

    @Test
    void a_reader_of_a_discarded_stream_is_cut_when_what_it_holds_is_too_much_BOUNDED() {
        Setup setup = Setup.defaults().withStreams(StreamLimits.defaults().withMaxLingerBytes(1_000));
        try (Instance instance = new Instance(folder, setup)) {
            StreamWriter small = instance.streams().open("small");
            small.append("fits");
            StreamWriter large = instance.streams().open("large");
            large.append(new byte[2_000]);
            try (StreamReader ofSmall = instance.streams().tail("small", 0);
                    StreamReader ofLarge = instance.streams().tail("large", 0)) {
                small.settle(Settlement.completed().discard());
                assertThat(ofSmall.read(100).chunks()).hasSize(1);

                large.settle(Settlement.completed().discard());

                assertThatThrownBy(() -> ofLarge.read(100)).isInstanceOf(StreamNotFound.class);
            }
        }
    }
}
