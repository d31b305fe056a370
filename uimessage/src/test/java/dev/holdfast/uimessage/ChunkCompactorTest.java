package dev.holdfast.uimessage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.turn.MessageAssembler.Assembly;
import dev.holdfast.turn.MessageAssembler.End;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class ChunkCompactorTest {

    @Test
    @Tag("row-5")
    @Tag("S71")
    void adjacent_deltas_of_one_part_become_one() {
        assertThat(compact(
                        "{'type':'text-start','id':'a'}",
                        "{'type':'text-delta','id':'a','delta':'1'}",
                        "{'type':'data-toast','data':1,'transient':true}",
                        "{'type':'text-delta','id':'a','delta':'2'}",
                        "{'type':'text-delta','id':'b','delta':'3'}",
                        "{'type':'reasoning-delta','id':'b','delta':'4'}",
                        "{'type':'reasoning-delta','id':'b','delta':'5'}",
                        "{'type':'text-end','id':'a'}"))
                .containsExactly(
                        "{'type':'text-start','id':'a'}",
                        "{'type':'text-delta','id':'a','delta':'12'}",
                        "{'type':'text-delta','id':'b','delta':'3'}",
                        "{'type':'reasoning-delta','id':'b','delta':'45'}",
                        "{'type':'text-end','id':'a'}");
    }

    @Test
    void a_part_of_a_replay_keeps_the_resets_that_may_reach_behind_it() {
        List<byte[]> part = ClientData.chunks(
                "{'type':'text-delta','id':'a','delta':'half a step that began before '}",
                "{'type':'data-toast','data':1,'transient':true}",
                "{'type':'text-delta','id':'a','delta':'this part'}",
                "{'type':'reset-step'}",
                "{'type':'text-delta','id':'b','delta':'again'}");
        assertThat(ChunkCompactor.merged(part).stream().map(chunk -> new String(chunk, StandardCharsets.UTF_8)))
                .containsExactly(
                        "{\"type\":\"text-delta\",\"id\":\"a\",\"delta\":\"half a step that began before this part\"}",
                        "{\"type\":\"reset-step\"}",
                        "{\"type\":\"text-delta\",\"id\":\"b\",\"delta\":\"again\"}");
    }

    @Test
    void what_is_not_merged_keeps_its_bytes() {
        byte[] spaced = "{ \"delta\" : \"x\",\"id\":\"a\",\"type\":\"text-delta\" }".getBytes(StandardCharsets.UTF_8);
        assertThat(ChunkCompactor.compact(List.of(spaced))).containsExactly(spaced);
    }

    @Test
    @Tag("S71")
    void a_merged_delta_is_bounded() {
        String text = "x".repeat(1000);
        List<byte[]> chunks = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            chunks.add(new UiChunk.TextDelta("a", text).toBytes());
        }
        assertThat(ChunkCompactor.compact(chunks))
                .hasSize(4)
                .allSatisfy(chunk -> assertThat(chunk.length).isLessThan(UiLimits.MAX_MERGED_CHARS + 2000));
    }

    @Test
    @Tag("row-5")
    void a_merged_delta_never_ends_within_a_code_point() {
        String text = "x".repeat(UiLimits.MAX_MERGED_CHARS - 1);
        List<byte[]> chunks = new ArrayList<>(ClientData.chunks(
                "{'type':'text-delta','id':'a','delta':'" + text + "'}",
                "{'type':'text-delta','id':'a','delta':'\\ud83c'}",
                "{'type':'text-delta','id':'a','delta':'\\udf0d'}",
                "{'type':'text-delta','id':'a','delta':'more'}"));
        assertThat(ChunkCompactor.compact(chunks))
                .extracting(chunk -> ((UiChunk.TextDelta) UiChunk.parse(chunk)).delta())
                .containsExactly(text + "\ud83c\udf0d", "more");
    }

    @Test
    @Tag("row-10")
    void a_step_that_was_redone_is_there_once_and_what_a_reset_does_not_undo_is_kept() {
        assertThat(compact(
                        "{'type':'start','messageId':'m1'}",
                        "{'type':'start-step'}",
                        "{'type':'tool-input-available','toolCallId':'c','toolName':'w','input':{}}",
                        "{'type':'data-x','id':'d','data':1}",
                        "{'type':'start-step'}",
                        "{'type':'text-start','id':'a'}",
                        "{'type':'text-delta','id':'a','delta':'lost'}",
                        "{'type':'tool-output-available','toolCallId':'c','output':1}",
                        "{'type':'message-metadata','messageMetadata':{'a':1}}",
                        "{'type':'data-x','id':'d','data':2}",
                        "{'type':'data-x','id':'e','data':3}",
                        "{'type':'reset-step'}",
                        "{'type':'text-start','id':'a'}",
                        "{'type':'text-delta','id':'a','delta':'kept'}"))
                .containsExactly(
                        "{'type':'start','messageId':'m1'}",
                        "{'type':'start-step'}",
                        "{'type':'tool-input-available','toolCallId':'c','toolName':'w','input':{}}",
                        "{'type':'data-x','id':'d','data':1}",
                        "{'type':'start-step'}",
                        "{'type':'tool-output-available','toolCallId':'c','output':1}",
                        "{'type':'message-metadata','messageMetadata':{'a':1}}",
                        "{'type':'data-x','id':'d','data':2}",
                        "{'type':'text-start','id':'a'}",
                        "{'type':'text-delta','id':'a','delta':'kept'}");
    }

    @Test
    void a_reset_of_what_was_shown_already_passes() {
        List<byte[]> out = new ArrayList<>();
        ChunkCompactor compactor = new ChunkCompactor(out::add);
        ClientData.chunks("{'type':'start-step'}", "{'type':'text-start','id':'a'}")
                .forEach(compactor::add);
        compactor.flush();
        ClientData.chunks("{'type':'reset-step'}", "{'type':'text-start','id':'a'}")
                .forEach(compactor::add);
        compactor.flush();
        assertThat(out).hasSize(4);
    }

    @Test
    void a_step_that_is_too_long_to_hold_back_is_given_out() {
        List<byte[]> out = new ArrayList<>();
        ChunkCompactor compactor = new ChunkCompactor(out::add);
        byte[] delta = new UiChunk.TextDelta("a", "x".repeat(UiLimits.MAX_MERGED_CHARS)).toBytes();
        for (int i = 0; i * (long) delta.length <= UiLimits.MAX_HELD_STEP_BYTES; i++) {
            compactor.add(delta);
        }
        assertThat(out).hasSizeGreaterThan(30);
        compactor.add(ClientData.bytes("{'type':'reset-step'}"));
        assertThat(out)
                .last()
                .satisfies(chunk -> assertThat(UiChunk.parse(chunk)).isInstanceOf(UiChunk.ResetStep.class));
    }

    @ParameterizedTest
    @EnumSource(End.class)
    @Tag("S71")
    void the_compacted_replay_makes_the_same_message(End end) {
        UiMessageAssembler assembler = new UiMessageAssembler();
        for (int seed = 0; seed < ChunkSequences.COUNT; seed++) {
            List<byte[]> chunks = ChunkSequences.random(new Random(seed));
            List<byte[]> compacted = ChunkCompactor.compact(chunks);
            Optional<String> whole = text(assembler.assemble(new Assembly("m1", null, chunks, end, null)));
            assertThat(text(assembler.assemble(new Assembly("m1", null, compacted, end, null))))
                    .as("sequence %d", seed)
                    .isEqualTo(whole);
            assertThat(ChunkCompactor.compact(compacted))
                    .as("sequence %d", seed)
                    .containsExactlyElementsOf(compacted);
        }
    }

    private static List<String> compact(String... chunks) {
        return ChunkCompactor.compact(ClientData.chunks(chunks)).stream()
                .map(chunk -> new String(chunk, StandardCharsets.UTF_8).replace('"', '\''))
                .toList();
    }

    private static Optional<String> text(Optional<byte[]> message) {
        return message.map(bytes -> new String(bytes, StandardCharsets.UTF_8));
    }
}
