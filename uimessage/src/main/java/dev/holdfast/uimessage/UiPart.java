package dev.holdfast.uimessage;

import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * One part of a message, as the AI SDK (majors 5, 6 and 7) persists it.
 *
 * <p>A part is a typed view of its JSON object, which is kept whole: fields that this version does not know survive reading and writing. The
 * object is shared, not copied: do not change it.
 */
public sealed interface UiPart {

    /** The part as it stands in the message. */
    ObjectNode json();

    /** The value of the field {@code type}. */
    default String type() {
        return text("type").orElse("");
    }

    /** The text of a field, if it has one. */
    default Optional<String> text(String field) {
        return UiPartFields.text(json(), field);
    }

    /** The value of a field, if it has one; JSON null is a value. */
    default Optional<JsonNode> value(String field) {
        return Optional.ofNullable(json().get(field));
    }

    /** A view of the object, by its field {@code type}. */
    static UiPart of(ObjectNode json) {
        String type = UiPartFields.text(json, "type").orElse("");
        return switch (type) {
            case "text" -> new Text(json);
            case "reasoning" -> new Reasoning(json);
            case "source-url" -> new SourceUrl(json);
            case "source-document" -> new SourceDocument(json);
            case "file" -> new File(json);
            case "reasoning-file" -> new ReasoningFile(json);
            case "step-start" -> new StepStart(json);
            case "dynamic-tool" -> new Tool(json);
            case "custom", "steering-message" -> new Other(json);
            default -> {
                if (type.startsWith("tool-")) {
                    yield new Tool(json);
                }
                yield type.startsWith("data-") ? new Data(json) : new Other(json);
            }
        };
    }

    /** Text of the answer or of the user. */
    record Text(ObjectNode json) implements UiPart {
        public String text() {
            return text("text").orElse("");
        }

        /** {@code streaming} or {@code done}. */
        public Optional<String> state() {
            return text("state");
        }
    }

    /** What the model thought. */
    record Reasoning(ObjectNode json) implements UiPart {
        public String text() {
            return text("text").orElse("");
        }

        /** {@code streaming} or {@code done}. */
        public Optional<String> state() {
            return text("state");
        }
    }

    /** A tool call: {@code tool-NAME}, or {@code dynamic-tool} with the name in a field. */
    record Tool(ObjectNode json) implements UiPart {
        public String toolCallId() {
            return text("toolCallId").orElse("");
        }

        public String toolName() {
            return isDynamic() ? text("toolName").orElse("") : type().substring("tool-".length());
        }

        public boolean isDynamic() {
            return type().equals("dynamic-tool");
        }

        /**
         * {@code input-streaming}, {@code input-available}, {@code approval-requested}, {@code approval-responded},
         * {@code output-available}, {@code output-error} or {@code output-denied}.
         */
        public String state() {
            return text("state").orElse("");
        }

        public Optional<JsonNode> input() {
            return value("input");
        }

        /** The text of an input that never became a JSON value. */
        public Optional<String> rawInput() {
            return text("rawInput");
        }

        public Optional<JsonNode> output() {
            return value("output");
        }

        public Optional<String> errorText() {
            return text("errorText");
        }

        public boolean isProviderExecuted() {
            return UiPartFields.isTrue(json, "providerExecuted");
        }

        /** Whether the call has its result; a preliminary output is not one. */
        public boolean isSettled() {
            return switch (state()) {
                case "output-available" -> !UiPartFields.isTrue(json, "preliminary");
                case "output-error", "output-denied" -> true;
                default -> false;
            };
        }

        /** Whether the call was closed without a result, because its turn ended before it had one: nothing failed in it. */
        public boolean isCutShort() {
            return state().equals("output-error")
                    && errorText()
                            .filter(UiMessageAssembler.INTERRUPTED::equals)
                            .isPresent();
        }
    }

    record SourceUrl(ObjectNode json) implements UiPart {
        public String url() {
            return text("url").orElse("");
        }

        public Optional<String> title() {
            return text("title");
        }
    }

    record SourceDocument(ObjectNode json) implements UiPart {
        public String title() {
            return text("title").orElse("");
        }
    }

    record File(ObjectNode json) implements UiPart {
        public String url() {
            return text("url").orElse("");
        }

        public String mediaType() {
            return text("mediaType").orElse("");
        }
    }

    record ReasoningFile(ObjectNode json) implements UiPart {}

    /** A part of the application's own: {@code data-NAME}. */
    record Data(ObjectNode json) implements UiPart {
        public Optional<JsonNode> data() {
            return value("data");
        }
    }

    /** Where a step of the answer begins. */
    record StepStart(ObjectNode json) implements UiPart {}

    /** A part of a type without a view of its own: {@code custom}, {@code steering-message}, or one that this version does not know. */
    record Other(ObjectNode json) implements UiPart {}
}
