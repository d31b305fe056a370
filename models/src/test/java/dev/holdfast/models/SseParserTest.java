package dev.holdfast.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SseParserTest {

    private static final String STREAM =
            "\uFEFF: a comment\n\nevent: x\ndata: {\"a\":\"é🌍\"}\nid: 7\n\ndata\n\ndata:one\ndata: two\nretry: 3\n\n"
                    + "dataset: no\n\ndata: [DONE]\n\ndata: cut off";
    private static final List<String> EVENTS = List.of("{\"a\":\"é🌍\"}", "", "one\ntwo", "[DONE]");

    @ParameterizedTest
    @ValueSource(strings = {"\n", "\r\n", "\r"})
    void events_are_whole_wherever_the_bytes_are_split(String lineEnd) {
        byte[] bytes = STREAM.replace("\n", lineEnd).getBytes(StandardCharsets.UTF_8);
        for (int first = 0; first <= bytes.length; first++) {
            for (int second = first; second <= bytes.length; second++) {
                assertThat(parse(bytes, first, second))
                        .as("split at %d and %d", first, second)
                        .isEqualTo(EVENTS);
            }
        }
    }

    @Test
    void a_stream_that_comes_byte_by_byte_is_the_same() {
        byte[] bytes = STREAM.replace("\n", "\r\n").getBytes(StandardCharsets.UTF_8);
        List<String> events = new ArrayList<>();
        SseParser parser = parser(events, 1000);
        for (int i = 0; i < bytes.length; i++) {
            parser.feed(bytes, i, i + 1);
        }
        assertThat(events).isEqualTo(EVENTS);
    }

    @Test
    void an_event_is_bounded_over_its_lines() {
        SseParser parser = parser(new ArrayList<>(), 100);
        byte[] line = ("data: " + "x".repeat(40) + "\n").getBytes(StandardCharsets.UTF_8);
        parser.feed(line, 0, line.length);
        parser.feed(line, 0, line.length);
        assertThatThrownBy(() -> parser.feed(line, 0, line.length))
                .isInstanceOf(ProviderException.Malformed.class)
                .hasMessageContaining("100");
    }

    private static List<String> parse(byte[] bytes, int first, int second) {
        List<String> events = new ArrayList<>();
        SseParser parser = parser(events, 1000);
        parser.feed(bytes, 0, first);
        parser.feed(bytes, first, second);
        parser.feed(bytes, second, bytes.length);
        return events;
    }

    private static SseParser parser(List<String> events, int maxBytes) {
        return new SseParser(maxBytes, event -> events.add(new String(event.data(), StandardCharsets.UTF_8)));
    }
}
