package dev.holdfast.uimessage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.turn.MessageAssembler.Assembly;
import dev.holdfast.turn.MessageAssembler.End;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A message told as chunks is the same message again. */
final class MessageChunksTest {

    private final UiMessageAssembler assembler = new UiMessageAssembler();

    static List<JsonNode> cases() {
        return ClientData.messages();
    }

    @ParameterizedTest
    @MethodSource("cases")
    @Tag("S72")
    void the_chunks_of_a_message_make_that_message(JsonNode testCase) {
        for (End end : List.of(End.COMPLETED, End.AWAITING)) {
            byte[] message = assembler
                    .assemble(new Assembly("m1", null, ClientData.chunks(testCase), end, ""))
                    .orElse(null);
            if (message != null) {
                List<byte[]> chunks = bytes(MessageChunks.of(UiMessage.parse(message)));
                byte[] again = assembler
                        .assemble(new Assembly("m1", null, chunks, end, ""))
                        .orElseThrow();
                assertThat(comparable(again))
                        .as("%s %s", testCase.get("name"), end)
                        .isEqualTo(comparable(message));
            }
        }
    }

    /** The parts; where a call failed, a text that never became its input stands for it. */
    private static JsonNode comparable(byte[] message) {
        JsonNode parts = ClientData.tree(message).get("parts");
        for (JsonNode part : parts) {
            String state = part.path("state").asString("");
            if (part instanceof ObjectNode call && (state.equals("output-error") || state.equals("output-denied"))) {
                JsonNode raw = call.remove("rawInput");
                if (raw != null && !call.has("input")) {
                    call.set("input", raw);
                }
            }
        }
        return parts;
    }

    private static List<byte[]> bytes(List<UiChunk> chunks) {
        List<byte[]> bytes = new ArrayList<>();
        chunks.forEach(chunk -> bytes.add(chunk.toBytes()));
        return bytes;
    }

    @Test
    @Tag("row-12")
    void a_call_with_its_result_does_not_run_again() {
        UiMessage message = UiMessage.parse(ClientData.bytes("{'id':'m1','role':'assistant','parts':["
                + "{'type':'tool-where','toolCallId':'c1','state':'output-available','input':{'a':1},'output':2},"
                + "{'type':'tool-where','toolCallId':'c2','state':'input-available','input':{}}]}"));
        List<String> types =
                MessageChunks.of(message).stream().map(UiChunk::type).toList();
        assertThat(types)
                .containsExactly(
                        "start",
                        "tool-input-start",
                        "tool-input-delta",
                        "tool-output-available",
                        "tool-input-available");
    }
}
