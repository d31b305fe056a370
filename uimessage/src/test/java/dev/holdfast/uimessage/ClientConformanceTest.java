package dev.holdfast.uimessage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import tools.jackson.databind.JsonNode;

/** The messages made here are those that the published clients (ai 5, 6 and 7) make of the same chunks. */
final class ClientConformanceTest {

    @TestFactory
    List<DynamicTest> the_message_is_the_one_that_the_client_makes() {
        List<DynamicTest> tests = new ArrayList<>();
        for (JsonNode testCase : ClientData.messages()) {
            testCase.get("expected").properties().forEach(expected -> {
                boolean differs = testCase.path("differs").has(expected.getKey());
                String name = testCase.get("name").stringValue() + ", client " + expected.getKey()
                        + (differs ? " (differs)" : "");
                tests.add(dynamicTest(name, () -> {
                    JsonNode made = ClientData.tree(fold(testCase).message().toBytes());
                    if (differs) {
                        assertThat(made).isNotEqualTo(expected.getValue());
                    } else {
                        assertThat(made).isEqualTo(expected.getValue());
                    }
                }));
            });
        }
        return tests;
    }

    @Test
    @Tag("S66")
    void every_chunk_of_these_sequences_survives_reading_and_writing() {
        for (JsonNode testCase : ClientData.messages()) {
            for (byte[] chunk : ClientData.chunks(testCase)) {
                assertThat(ClientData.tree(UiChunk.parse(chunk).toBytes())).isEqualTo(ClientData.tree(chunk));
            }
        }
    }

    @Test
    @Tag("S66")
    void every_chunk_tells_a_first_major_that_does_not_exceed_the_clients_that_accepted_it() {
        for (JsonNode testCase : ClientData.messages()) {
            for (byte[] chunk : ClientData.chunks(testCase)) {
                UiChunk parsed = UiChunk.parse(chunk);
                testCase.get("expected")
                        .propertyNames()
                        .forEach(major -> assertThat(parsed.acceptedBy(Integer.parseInt(major)))
                                .as("%s by %s", parsed.type(), major)
                                .isTrue());
            }
        }
    }

    @Test
    void every_message_of_these_clients_survives_reading_and_writing() {
        for (JsonNode testCase : ClientData.messages()) {
            for (JsonNode message : testCase.get("expected")) {
                byte[] json = ClientData.JSON.writeValueAsBytes(message);
                assertThat(ClientData.tree(UiMessage.parse(json).toBytes())).isEqualTo(message);
            }
        }
    }

    @Test
    void the_beginning_of_a_json_text_tells_what_it_tells_the_client() {
        for (JsonNode testCase : ClientData.partialTexts()) {
            String text = testCase.get("text").stringValue();
            JsonNode value = PartialJson.read(text);
            if (testCase.has("value")) {
                assertThat(value).as(text).isNotNull();
                assertThat(ClientData.tree(String.valueOf(value))).as(text).isEqualTo(testCase.get("value"));
            } else {
                assertThat(value).as(text).isNull();
            }
        }
    }

    private static MessageFold fold(JsonNode testCase) {
        MessageFold fold = testCase.has("before")
                ? new MessageFold("m1", UiMessage.parse(ClientData.JSON.writeValueAsBytes(testCase.get("before"))))
                : new MessageFold("m1");
        ClientData.chunks(testCase).forEach(fold::accept);
        return fold;
    }
}
