package dev.holdfast.models;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.models.loopback.Recording;
import dev.holdfast.uimessage.UiChunk;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.ObjectNode;

/** EVERY-CURSOR: after any event, a mapper made of the chunks so far goes on with the chunks of an unbroken run. */
final class MapperEveryCursorTest {

    @ParameterizedTest
    @ValueSource(
            strings = {"openai-chat-text", "deepseek-chat-reasoning", "deepseek-chat-tool-call", "xai-chat-tool-call"})
    void chat_completions_go_on_after_any_event(String name) {
        List<ObjectNode> events = events(name);
        everyCursor(
                events,
                new ChatCompletionsMapper("m1")::accept,
                chunks -> ChatCompletionsMapper.after("m1", chunks)::accept);
    }

    @Test
    void the_end_of_chat_completions_follows_from_the_chunks() {
        for (String name : Recording.NAMES.subList(0, 4)) {
            ChatCompletionsMapper whole = new ChatCompletionsMapper("m1");
            List<UiChunk> chunks = new ArrayList<>();
            events(name).forEach(event -> chunks.addAll(whole.accept(event)));
            assertThat(text(ChatCompletionsMapper.after("m1", chunks).end())).isEqualTo(text(whole.end()));
        }
    }

    @Test
    void responses_go_on_after_any_event() {
        List<ObjectNode> events = events("openai-responses-mcp-tool");
        everyCursor(events, new ResponsesMapper("m1")::accept, chunks -> ResponsesMapper.after("m1", chunks)::accept);
    }

    @Test
    void responses_of_every_kind_go_on_after_any_event() {
        List<ObjectNode> events = ResponsesMapperTest.EVERY_KIND.stream()
                .map(event -> ModelJson.event(event.replace('\'', '"').getBytes(StandardCharsets.UTF_8)))
                .toList();
        everyCursor(events, new ResponsesMapper("m1")::accept, chunks -> ResponsesMapper.after("m1", chunks)::accept);
    }

    private static void everyCursor(
            List<ObjectNode> events,
            Function<ObjectNode, List<UiChunk>> unbroken,
            Function<List<UiChunk>, Function<ObjectNode, List<UiChunk>>> after) {
        List<UiChunk> durable = new ArrayList<>();
        List<Integer> ends = new ArrayList<>(List.of(0));
        for (ObjectNode event : events) {
            for (UiChunk chunk : unbroken.apply(event)) {
                durable.add(UiChunk.parse(chunk.toBytes()));
            }
            ends.add(durable.size());
        }
        for (int k = 0; k <= events.size(); k++) {
            Function<ObjectNode, List<UiChunk>> again = after.apply(durable.subList(0, ends.get(k)));
            List<UiChunk> rest = new ArrayList<>();
            events.subList(k, events.size()).forEach(event -> rest.addAll(again.apply(event)));
            assertThat(rest).as("after event %d", k).isEqualTo(durable.subList(ends.get(k), durable.size()));
        }
    }

    private static List<ObjectNode> events(String name) {
        return Recording.named(name).orElseThrow().events().stream()
                .map(event -> ModelJson.event(event.getBytes(StandardCharsets.UTF_8)))
                .toList();
    }

    private static List<String> text(List<UiChunk> chunks) {
        return chunks.stream()
                .map(chunk -> new String(chunk.toBytes(), StandardCharsets.UTF_8))
                .toList();
    }
}
