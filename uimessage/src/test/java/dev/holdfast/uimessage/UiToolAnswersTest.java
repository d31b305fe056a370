package dev.holdfast.uimessage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.turn.ToolAnswer;
import dev.holdfast.turn.ToolAnswers.Applied;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Answers written into messages. */
class UiToolAnswersTest {

    private static final UiToolAnswers ANSWERS = new UiToolAnswers();

    private static final String CLIENT =
            "{\"type\":\"tool-where\",\"toolCallId\":\"c1\",\"state\":\"input-available\",\"input\":{}}";
    private static final String ASKS =
            "{\"type\":\"tool-delete\",\"toolCallId\":\"c2\",\"state\":\"approval-requested\",\"input\":{},\"approval\":{\"id\":\"a\"}}";

    private static byte[] message(String... parts) {
        return ("{\"id\":\"m\",\"role\":\"assistant\",\"parts\":[" + String.join(",", parts) + "]}")
                .getBytes(StandardCharsets.UTF_8);
    }

    private static ToolAnswer.Output output(String call, String json) {
        return new ToolAnswer.Output(call, json.getBytes(StandardCharsets.UTF_8));
    }

    private static Applied.Changed changed(byte[] message, ToolAnswer answer) {
        return (Applied.Changed) ANSWERS.apply(message, answer);
    }

    private static UiPart.Tool call(byte[] message, int index) {
        return (UiPart.Tool) UiMessage.parse(message).parts().get(index);
    }

    @Test
    void an_output_settles_its_call_and_the_message_once_all_are() {
        Applied.Changed first = changed(message(CLIENT, ASKS), output("c1", "{\"lat\":1.50}"));
        assertThat(first.settled()).isFalse();
        assertThat(call(first.message(), 0).state()).isEqualTo("output-available");
        assertThat(call(first.message(), 0).output().orElseThrow()).hasToString("{\"lat\":1.50}");

        Applied.Changed second = changed(first.message(), new ToolAnswer.Approval("c2", true, "go on"));

        assertThat(second.settled()).isTrue();
        assertThat(call(second.message(), 1).state()).isEqualTo("approval-responded");
        assertThat(call(second.message(), 1).json().get("approval"))
                .hasToString("{\"id\":\"a\",\"approved\":true,\"reason\":\"go on\"}");
    }

    @Test
    void the_same_answer_again_is_known_and_another_one_contradicts() {
        byte[] answered = changed(message(CLIENT), output("c1", "[1, 2]")).message();
        assertThat(ANSWERS.apply(answered, output("c1", "[1,2]"))).isInstanceOf(Applied.Same.class);
        assertThat(ANSWERS.apply(answered, output("c1", "[1]"))).isInstanceOf(Applied.Contradicts.class);
        assertThat(ANSWERS.apply(answered, new ToolAnswer.Failure("c1", "no"))).isInstanceOf(Applied.Contradicts.class);

        byte[] failed =
                changed(message(CLIENT), new ToolAnswer.Failure("c1", "no")).message();
        assertThat(call(failed, 0).errorText()).contains("no");
        assertThat(ANSWERS.apply(failed, new ToolAnswer.Failure("c1", "no"))).isInstanceOf(Applied.Same.class);
    }

    @Test
    void a_decision_stands_also_once_the_tool_has_run() {
        byte[] approved = changed(message(ASKS), new ToolAnswer.Approval("c2", true, null))
                .message();
        byte[] run = changed(approved, output("c2", "\"gone\"")).message();
        assertThat(ANSWERS.apply(run, new ToolAnswer.Approval("c2", true, "late")))
                .isInstanceOf(Applied.Same.class);
        assertThat(ANSWERS.apply(run, new ToolAnswer.Approval("c2", false, null)))
                .isInstanceOf(Applied.Contradicts.class);
    }

    @Test
    void a_denied_call_takes_no_output() {
        byte[] denied = changed(message(ASKS), new ToolAnswer.Approval("c2", false, null))
                .message();
        assertThat(UiToolAnswers.isSettled(UiMessage.parse(denied))).isTrue();
        assertThat(ANSWERS.apply(denied, output("c2", "1"))).isInstanceOf(Applied.Contradicts.class);
    }

    @ParameterizedTest
    @CsvSource({
        "input-streaming, false",
        "approval-requested, false",
        "output-denied, false",
        "input-available, true",
    })
    void a_call_that_is_not_the_clients_to_answer_takes_no_output(String state, boolean provider) {
        byte[] message = message(
                "{\"type\":\"tool-x\",\"toolCallId\":\"c\",\"state\":\"%s\",\"providerExecuted\":%s,\"input\":{}}"
                        .formatted(state, provider));
        assertThat(ANSWERS.apply(message, output("c", "1"))).isInstanceOf(Applied.Contradicts.class);
    }

    @Test
    void what_nobody_asked_is_told_so() {
        assertThat(ANSWERS.apply(message(CLIENT), output("other", "1"))).isInstanceOf(Applied.Unknown.class);
        assertThat(ANSWERS.apply(message(CLIENT), new ToolAnswer.Approval("c1", true, null)))
                .isInstanceOf(Applied.Contradicts.class);
        assertThatThrownBy(() -> ANSWERS.apply(message(CLIENT), output("c1", "{")))
                .isInstanceOf(InvalidArgument.class);
    }

    @Test
    void the_newest_call_of_an_id_is_meant_and_the_rest_of_the_message_stays() {
        String old =
                "{\"type\":\"tool-x\",\"toolCallId\":\"c1\",\"state\":\"output-available\",\"output\":1,\"input\":{}}";
        byte[] answered = changed(message(old, "{\"type\":\"step-start\"}", CLIENT), output("c1", "2"))
                .message();
        assertThat(call(answered, 0).output().orElseThrow()).hasToString("1");
        assertThat(call(answered, 2).output().orElseThrow()).hasToString("2");
        assertThat(UiMessage.parse(answered).parts()).hasSize(3);
    }
}
