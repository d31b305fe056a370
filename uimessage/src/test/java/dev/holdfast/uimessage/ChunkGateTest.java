package dev.holdfast.uimessage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** What the gate lets through is what the published clients (ai 5, 6 and 7) follow; src/test/js/gate.mjs asked them. */
final class ChunkGateTest {

    private static final JsonNode CUT = ClientData.tree("{'type':'(cut)'}");

    @TestFactory
    List<DynamicTest> the_gate_lets_through_what_the_client_follows_and_changes_nothing_else() {
        List<DynamicTest> tests = new ArrayList<>();
        for (JsonNode testCase : ClientData.gate().get("sequences")) {
            testCase.get("gated").properties().forEach(gated -> {
                String name = testCase.get("name").stringValue() + ", client " + gated.getKey();
                tests.add(dynamicTest(name, () -> {
                    int major = Integer.parseInt(gated.getKey());
                    JsonNode made = ClientData.JSON.valueToTree(gated(testCase, major));
                    assertThat(made).isEqualTo(gated.getValue());
                    boolean refused = testCase.get("refused").valueStream().anyMatch(r -> r.asInt() == major);
                    assertThat(made.equals(testCase.get("chunks")))
                            .as("the chunks pass as they came where the client follows them")
                            .isEqualTo(!refused);
                }));
            });
        }
        return tests;
    }

    @TestFactory
    List<DynamicTest> each_client_accepts_the_types_that_the_table_says() {
        List<DynamicTest> tests = new ArrayList<>();
        for (JsonNode sample : ClientData.gate().get("accepted")) {
            tests.add(dynamicTest(sample.get("chunk").toString(), () -> {
                UiChunk chunk = UiChunk.parse(ClientData.JSON.writeValueAsBytes(sample.get("chunk")));
                List<Integer> majors = new ArrayList<>();
                for (int major = ChunkGate.OLDEST_MAJOR; major <= ChunkGate.NEWEST_MAJOR; major++) {
                    if (chunk.acceptedBy(major)) {
                        majors.add(major);
                    }
                }
                assertThat(majors)
                        .isEqualTo(sample.get("majors")
                                .valueStream()
                                .map(JsonNode::asInt)
                                .toList());
            }));
        }
        return tests;
    }

    @ParameterizedTest
    @ValueSource(ints = {5, 6, 7})
    @Tag("row-8")
    @Tag("S66")
    void whatever_is_in_a_stream_only_chunks_of_the_client_come_out_and_the_text_is_whole(int major) {
        for (int seed = 0; seed < ChunkSequences.COUNT; seed++) {
            List<byte[]> chunks = ChunkSequences.random(new Random(seed));
            ChunkGate gate = new ChunkGate(major, null);
            MessageFold whole = new MessageFold("m1");
            MessageFold shown = new MessageFold("m1");
            for (byte[] chunk : chunks) {
                if (!(gate.admit(chunk) instanceof ChunkGate.Verdict.Send send)) {
                    break;
                }
                whole.accept(chunk);
                for (byte[] sent : send.chunks()) {
                    assertThat(UiChunk.parse(sent).acceptedBy(major)).isTrue();
                    shown.accept(sent);
                }
            }
            // Clients of 5 and 6 begin another part where a text goes on after its step.
            assertThat(letters(shown.message().text(), major))
                    .as("sequence %d", seed)
                    .isEqualTo(letters(whole.message().text(), major));
            boolean asksOfSettled = chunks.stream()
                    .anyMatch(chunk -> isApproval(chunk)); // clients reopen a settled call, the fold does not
            assertThat(shown.isIncomplete() && !asksOfSettled)
                    .as("sequence %d refers to nothing", seed)
                    .isFalse();
        }
    }

    private static boolean isApproval(byte[] chunk) {
        return new String(chunk, StandardCharsets.UTF_8).contains("tool-approval");
    }

    private static String letters(String text, int major) {
        char[] letters = text.toCharArray();
        if (major < 7) {
            Arrays.sort(letters);
        }
        return String.valueOf(letters);
    }

    @Test
    @Tag("S66")
    void what_passes_keeps_its_bytes() {
        byte[] spaced = ClientData.bytes("{ 'type' : 'start' }");
        assertThat(new ChunkGate(5, null).admit(spaced))
                .isInstanceOfSatisfying(
                        ChunkGate.Verdict.Send.class,
                        send -> assertThat(send.chunks()).containsExactly(spaced));
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 8})
    void a_client_that_nobody_knows_is_refused(int major) {
        assertThatThrownBy(() -> new ChunkGate(major, null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("5 to 7");
    }

    private static List<JsonNode> gated(JsonNode testCase, int major) {
        UiMessage before = testCase.has("before")
                ? UiMessage.parse(ClientData.JSON.writeValueAsBytes(testCase.get("before")))
                : null;
        ChunkGate gate = new ChunkGate(major, before);
        List<JsonNode> sent = new ArrayList<>();
        for (byte[] chunk : ClientData.chunks(testCase)) {
            switch (gate.admit(chunk)) {
                case ChunkGate.Verdict.Send send -> send.chunks().forEach(one -> sent.add(ClientData.tree(one)));
                case ChunkGate.Verdict.Cut cut -> {
                    sent.add(CUT);
                    return sent;
                }
            }
        }
        return sent;
    }
}
