package dev.holdfast.uimessage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.turn.MessageAssembler.Assembly;
import dev.holdfast.turn.MessageAssembler.End;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class ChunkCompactorTest {

    private static final int SEQUENCES = 2_000;
    private static final List<String> VOCABULARY = List.of(
            "{'type':'start','messageId':'m1'}",
            "{'type':'start-step'}",
            "{'type':'finish-step'}",
            "{'type':'reset-step'}",
            "{'type':'text-start','id':'a'}",
            "{'type':'text-delta','id':'a','delta':'x'}",
            "{'type':'text-delta','id':'a','delta':'\\ud83c'}",
            "{'type':'text-delta','id':'a','delta':'y','providerMetadata':{'p':{'n':1}}}",
            "{'type':'text-delta','id':'a','delta':'z','extra':true}",
            "{'type':'text-delta','id':'b','delta':'x'}",
            "{'type':'text-end','id':'a'}",
            "{'type':'reasoning-start','id':'a'}",
            "{'type':'reasoning-delta','id':'a','delta':'r'}",
            "{'type':'reasoning-end','id':'a'}",
            "{'type':'tool-input-start','toolCallId':'c','toolName':'w'}",
            "{'type':'tool-input-delta','toolCallId':'c','inputTextDelta':'[1'}",
            "{'type':'tool-input-delta','toolCallId':'c','inputTextDelta':','}",
            "{'type':'tool-input-delta','toolCallId':'never','inputTextDelta':','}",
            "{'type':'tool-input-available','toolCallId':'c','toolName':'w','input':{}}",
            "{'type':'tool-output-available','toolCallId':'c','output':1}",
            "{'type':'data-toast','data':1,'transient':true}",
            "{'type':'data-x','id':'d','data':1}",
            "{'type':'message-metadata','messageMetadata':{'a':1}}",
            "{'type':'hologram'}",
            "not json",
            "{'type':'finish'}");

    @Test
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
    void what_is_not_merged_keeps_its_bytes() {
        byte[] spaced = "{ \"delta\" : \"x\",\"id\":\"a\",\"type\":\"text-delta\" }".getBytes(StandardCharsets.UTF_8);
        assertThat(ChunkCompactor.compact(List.of(spaced))).containsExactly(spaced);
    }

    @Test
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

    @ParameterizedTest
    @EnumSource(End.class)
    void the_compacted_replay_makes_the_same_message(End end) {
        UiMessageAssembler assembler = new UiMessageAssembler();
        for (int seed = 0; seed < SEQUENCES; seed++) {
            List<byte[]> chunks = sequence(new Random(seed));
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

    private static List<byte[]> sequence(Random random) {
        List<byte[]> chunks = new ArrayList<>();
        int length = random.nextInt(40);
        while (chunks.size() < length) {
            byte[] chunk = ClientData.bytes(VOCABULARY.get(random.nextInt(VOCABULARY.size())));
            for (int times = 1 + random.nextInt(3); times > 0; times--) {
                chunks.add(chunk);
            }
        }
        return chunks;
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
