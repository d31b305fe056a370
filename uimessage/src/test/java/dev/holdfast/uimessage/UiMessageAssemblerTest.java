package dev.holdfast.uimessage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.holdfast.turn.MessageAssembler.Assembly;
import dev.holdfast.turn.MessageAssembler.End;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

final class UiMessageAssemblerTest {

    private static final String CALL =
            "{'type':'tool-input-available','toolCallId':'c','toolName':'pay','input':{'sum':1}}";
    private static final String RESULT = "{'type':'tool-output-available','toolCallId':'c','output':'paid'}";

    private final UiMessageAssembler assembler = new UiMessageAssembler();

    @ParameterizedTest
    @EnumSource(End.class)
    @Tag("S51")
    void a_turn_that_said_nothing_leaves_no_message(End end) {
        assertThat(assemble(end, null)).isEmpty();
        assertThat(assemble(
                        end,
                        null,
                        "{'type':'start','messageId':'m1'}",
                        "{'type':'start-step'}",
                        "{'type':'finish-step'}"))
                .isEmpty();
    }

    @ParameterizedTest
    @EnumSource(End.class)
    void an_open_text_is_done_however_the_stream_ends(End end) {
        JsonNode part = message(end, "{'type':'text-start','id':'t'}", "{'type':'text-delta','id':'t','delta':'half'}")
                .at("/parts/0");
        assertThat(part).isEqualTo(ClientData.tree("{'type':'text','text':'half','state':'done'}"));
    }

    @ParameterizedTest
    @EnumSource(value = End.class, mode = EnumSource.Mode.EXCLUDE, names = "AWAITING")
    @Tag("S51")
    @Tag("recovery-interrupt")
    void a_call_without_a_result_ends_with_an_error_that_says_so(End end) {
        JsonNode part = message(end, CALL).at("/parts/0");
        assertThat(part.get("state").stringValue()).isEqualTo("output-error");
        assertThat(part.get("errorText").stringValue()).contains("interrupted");
        assertThat(part.get("input")).isEqualTo(ClientData.tree("{'sum':1}"));
    }

    @Test
    void a_call_that_the_turn_waits_for_stays_open() {
        assertThat(message(End.AWAITING, CALL).at("/parts/0/state").stringValue())
                .isEqualTo("input-available");
        assertThat(message(End.AWAITING, CALL, "{'type':'tool-approval-request','approvalId':'a','toolCallId':'c'}")
                        .at("/parts/0/state")
                        .stringValue())
                .isEqualTo("approval-requested");
    }

    @Test
    void an_approval_that_nobody_gave_ends_with_the_call() {
        JsonNode part = message(End.STOPPED, CALL, "{'type':'tool-approval-request','approvalId':'a','toolCallId':'c'}")
                .at("/parts/0");
        assertThat(part.get("state").stringValue()).isEqualTo("output-error");
        assertThat(part.has("approval")).isFalse();
    }

    @Test
    void a_call_that_a_person_refused_ends_as_denied() {
        JsonNode part = message(
                        End.INTERRUPTED,
                        CALL,
                        "{'type':'tool-approval-request','approvalId':'a','toolCallId':'c'}",
                        "{'type':'tool-approval-response','approvalId':'a','approved':false}")
                .at("/parts/0");
        assertThat(part.get("state").stringValue()).isEqualTo("output-denied");
        assertThat(part.at("/approval/approved").booleanValue()).isFalse();
    }

    @Test
    void input_that_is_not_whole_is_kept_as_text() {
        JsonNode part = message(
                        End.INTERRUPTED,
                        "{'type':'tool-input-start','toolCallId':'c','toolName':'pay'}",
                        "{'type':'tool-input-delta','toolCallId':'c','inputTextDelta':'{\\'sum\\': 1'}")
                .at("/parts/0");
        assertThat(part.get("rawInput").stringValue()).isEqualTo("{\"sum\": 1");
        assertThat(part.has("input")).isFalse();
        assertThat(part.get("state").stringValue()).isEqualTo("output-error");
    }

    @Test
    void input_that_is_whole_but_was_never_announced_becomes_the_input() {
        JsonNode part = message(
                        End.INTERRUPTED,
                        "{'type':'tool-input-start','toolCallId':'c','toolName':'pay'}",
                        "{'type':'tool-input-delta','toolCallId':'c','inputTextDelta':'{}'}")
                .at("/parts/0");
        assertThat(part.get("input")).isEqualTo(ClientData.tree("{}"));
        assertThat(part.has("rawInput")).isFalse();
    }

    @ParameterizedTest
    @EnumSource(End.class)
    @Tag("S51")
    void a_result_is_kept_however_the_stream_ends(End end) {
        assertThat(message(end, CALL, RESULT).at("/parts/0"))
                .isEqualTo(
                        ClientData.tree(
                                "{'type':'tool-pay','toolCallId':'c','state':'output-available','input':{'sum':1},'output':'paid'}"));
    }

    @Test
    void chunks_of_a_settled_call_that_come_again_change_nothing() {
        List<byte[]> once = ClientData.chunks(
                "{'type':'tool-input-start','toolCallId':'c','toolName':'pay'}",
                "{'type':'tool-input-delta','toolCallId':'c','inputTextDelta':'{\\'sum\\':1}'}",
                CALL,
                RESULT);
        byte[] expected = assembler
                .assemble(new Assembly("m1", null, once, End.COMPLETED, null))
                .orElseThrow();
        for (int from = 0; from < once.size(); from++) {
            for (int to = from; to <= once.size(); to++) {
                List<byte[]> again = new ArrayList<>(once);
                again.addAll(once.subList(from, to));
                again.addAll(ClientData.chunks("{'type':'tool-output-error','toolCallId':'c','errorText':'late'}"));
                assertThat(assembler.assemble(new Assembly("m1", null, again, End.COMPLETED, null)))
                        .hasValueSatisfying(made -> assertThat(made).isEqualTo(expected));
            }
        }
    }

    @Test
    @Tag("row-14")
    void the_metadata_says_how_the_message_ended_beside_what_the_agent_said() {
        JsonNode metadata = ClientData.tree(assemble(
                                End.FAILED,
                                "the model was lost",
                                "{'type':'start','messageMetadata':{'model':'m','holdfast':{'node':7}}}",
                                "{'type':'data-x','data':1}")
                        .orElseThrow())
                .get("metadata");
        assertThat(metadata)
                .isEqualTo(ClientData.tree(
                        "{'model':'m','holdfast':{'node':7,'status':'failed','reason':'the model was lost'}}"));
    }

    @Test
    void metadata_that_is_not_an_object_is_left_alone() {
        assertThat(message(End.COMPLETED, "{'type':'start','messageMetadata':'mine'}", "{'type':'data-x','data':1}")
                        .get("metadata")
                        .stringValue())
                .isEqualTo("mine");
    }

    @Test
    void a_message_that_goes_on_loses_the_status_of_its_wait() {
        byte[] before = assemble(End.AWAITING, "payment", CALL).orElseThrow();
        JsonNode message = ClientData.tree(assembler
                .assemble(new Assembly("m1", before, ClientData.chunks(RESULT), End.COMPLETED, null))
                .orElseThrow());
        assertThat(message.at("/parts/0/state").stringValue()).isEqualTo("output-available");
        assertThat(message.at("/metadata/holdfast")).isEqualTo(ClientData.tree("{'status':'completed'}"));
    }

    @Test
    @Tag("S51")
    @Tag("S65")
    void a_message_that_goes_on_is_kept_even_if_nothing_is_added() {
        byte[] before = assemble(End.AWAITING, null, CALL).orElseThrow();
        assertThat(assembler.assemble(new Assembly("m1", before, List.of(), End.STOPPED, "stop")))
                .hasValueSatisfying(made -> assertThat(
                                ClientData.tree(made).at("/parts/0/state").stringValue())
                        .isEqualTo("output-error"));
    }

    @Test
    void an_earlier_message_that_cannot_be_read_is_not_replaced() {
        assertThatThrownBy(() -> assembler.assemble(
                        new Assembly("m1", ClientData.bytes("{'parts':[]}"), List.of(), End.COMPLETED, null)))
                .isInstanceOf(InvalidUiJson.class);
    }

    @Test
    @Tag("row-2")
    void the_message_keeps_its_id_whatever_the_agent_says() {
        JsonNode message = message(
                End.COMPLETED,
                "{'type':'text-start','id':'t'}",
                "{'type':'text-delta','id':'t','delta':'kept'}",
                "{'type':'start','messageId':'another'}");
        assertThat(message.get("id").stringValue()).isEqualTo("m1");
        assertThat(message.at("/parts/0/text").stringValue()).isEqualTo("kept");
    }

    @Test
    void chunks_that_cannot_be_applied_are_skipped_and_the_message_says_so() {
        JsonNode message = message(
                End.COMPLETED,
                "not json",
                "{'type':'hologram'}",
                "{'type':'text-end','id':'never'}",
                RESULT,
                "{'type':'text-delta','id':'t','delta':'never opened, never lost'}");
        assertThat(message.at("/parts/0/text").stringValue()).isEqualTo("never opened, never lost");
        assertThat(message.get("parts")).hasSize(1);
        assertThat(message.at("/metadata/holdfast"))
                .isEqualTo(ClientData.tree("{'status':'completed','incomplete':true}"));
    }

    @Test
    void the_work_grows_with_the_chunks_and_not_with_their_square() {
        allocated(1_000);
        long half = allocated(20_000);
        long whole = allocated(40_000);
        assertThat((double) whole / half).isBetween(1.5, 2.6);
    }

    /** Bytes allocated to assemble a text and an input of so many deltas each; counted, so that no clock is needed. */
    private long allocated(int deltas) {
        List<byte[]> chunks = new ArrayList<>(ClientData.chunks(
                "{'type':'text-start','id':'t'}", "{'type':'tool-input-start','toolCallId':'c','toolName':'w'}"));
        for (int i = 0; i < deltas; i++) {
            chunks.add(new UiChunk.TextDelta("t", "word ").toBytes());
            chunks.add(new UiChunk.ToolInputDelta("c", "[1,").toBytes());
        }
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        byte[] made = assembler
                .assemble(new Assembly("m1", null, chunks, End.INTERRUPTED, null))
                .orElseThrow();
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(made.length).isGreaterThan(deltas * 8);
        return allocated;
    }

    private JsonNode message(End end, String... chunks) {
        return ClientData.tree(assemble(end, null, chunks).orElseThrow());
    }

    private Optional<byte[]> assemble(End end, @Nullable String reason, String... chunks) {
        return assembler.assemble(new Assembly("m1", null, ClientData.chunks(chunks), end, reason));
    }
}
