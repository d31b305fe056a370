package dev.holdfast.http.durablestreams;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.holdfast.http.HttpProblem;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;

/**
 * Fuzz targets of what reads bytes of a client by hand: it understands them, or refuses them as its contract says, and nothing else. Not part
 * of the build, since the fuzzer instruments the process it runs in; one target at a time:
 *
 * <p>{@code JAZZER_FUZZ=1 ./mvnw -pl http -am test -Dtest='ParserFuzzTarget#json*'}
 */
final class ParserFuzzTarget {

    @FuzzTest(maxDuration = "60s")
    void json_is_cut_into_messages_that_are_json_or_refused(byte[] body) {
        List<byte[]> messages;
        try {
            messages = JsonMessages.of(body);
        } catch (InvalidJson e) {
            return;
        }
        ByteArrayOutputStream again = new ByteArrayOutputStream();
        again.write('[');
        for (int i = 0; i < messages.size(); i++) {
            if (i > 0) {
                again.write(',');
            }
            again.writeBytes(messages.get(i));
        }
        again.write(']');
        try {
            List<byte[]> cutAgain = JsonMessages.of(again.toByteArray());
            assertThat(Arrays.deepEquals(cutAgain.toArray(), messages.toArray()))
                    .isTrue();
        } catch (InvalidJson e) {
            throw new AssertionError("what was cut out is no JSON any more", e);
        }
    }

    @FuzzTest(maxDuration = "60s")
    void names_queries_and_offsets_are_understood_or_refused(FuzzedDataProvider data) {
        understoodOrRefused(() -> StreamName.of("/v1/stream/" + data.consumeString(100), 11));
        understoodOrRefused(() -> ReadParameters.of(data.consumeString(100), data.consumeString(40)));
        understoodOrRefused(() -> StreamOffset.parse(data.consumeRemainingAsString()));
    }

    private static void understoodOrRefused(Runnable reads) {
        try {
            reads.run();
        } catch (HttpProblem refused) {
            assertThat(refused.problem().status()).isBetween(400, 403);
        }
    }
}
