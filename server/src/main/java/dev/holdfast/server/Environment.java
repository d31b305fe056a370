package dev.holdfast.server;

import java.util.Map;
import java.util.Optional;

/** The process's environment variables, as far as Holdfast reads them. */
record Environment(Map<String, String> variables) {

    static final String PREFIX = "HOLDFAST_";

    static Environment ofProcess() {
        return new Environment(System.getenv());
    }

    /** The variable of an option: {@code --model-url} is {@code HOLDFAST_MODEL_URL}. Empty counts as not set. */
    Optional<String> of(String option) {
        return Optional.ofNullable(variables.get(variable(option))).filter(value -> !value.isEmpty());
    }

    static String variable(String option) {
        return PREFIX + option.replace('-', '_').toUpperCase(java.util.Locale.ROOT);
    }
}
