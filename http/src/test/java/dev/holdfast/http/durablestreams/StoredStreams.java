package dev.holdfast.http.durablestreams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.HoldfastException.StreamGone;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.stream.ReadBatch;
import dev.holdfast.stream.StreamListing;
import dev.holdfast.stream.StreamStatus;
import dev.holdfast.stream.Streams;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What was stored when it was looked at last: streams only grow or go, and have names that can be read in one way only. */
final class StoredStreams {

    private static final int MAX_READ_BYTES = 1 << 20;

    private final Streams streams;
    private Map<Long, List<String>> before = new HashMap<>();

    StoredStreams(Streams streams) {
        this.streams = streams;
    }

    /** Whatever was stored is still there, unless its stream is not. */
    void check(String context) {
        Map<Long, List<String>> now = new HashMap<>();
        for (StreamStatus status : streams.list(StreamListing.all())) {
            assertThat(status.name())
                    .as(context)
                    .doesNotStartWith("turn/")
                    .doesNotStartWith("mcp/")
                    .doesNotStartWith("__ds/");
            assertThat(List.of(status.name().split("/", -1)))
                    .as(context)
                    .doesNotContain("", ".", "..")
                    .noneMatch(segment ->
                            segment.indexOf('\\') >= 0 || segment.chars().anyMatch(Character::isISOControl));
            Optional<List<String>> found = chunks(status, context);
            if (found.isEmpty()) {
                continue;
            }
            List<String> chunks = found.get();
            List<String> known = before.getOrDefault(status.incarnation(), List.of());
            assertThat(chunks).as(context).hasSizeGreaterThanOrEqualTo(known.size());
            assertThat(chunks.subList(0, known.size())).as(context).isEqualTo(known);
            now.put(status.incarnation(), chunks);
        }
        before = now;
    }

    /** Empty if it expired since it was listed. */
    private Optional<List<String>> chunks(StreamStatus status, String context) {
        List<String> chunks = new ArrayList<>();
        try {
            ReadBatch batch = streams.read(status.name(), 0, MAX_READ_BYTES);
            batch.chunks().forEach(chunk -> chunks.add(chunk.text()));
            assertThat(batch.tail()).as(context).isEqualTo(chunks.size());
            return Optional.of(chunks);
        } catch (StreamNotFound | StreamGone e) {
            return Optional.empty();
        }
    }
}
