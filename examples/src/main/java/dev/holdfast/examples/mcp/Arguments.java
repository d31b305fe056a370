package dev.holdfast.examples.mcp;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The arguments of a command: options with a value, options without, and the rest. Immutable. */
public final class Arguments {

    private static final int MAX_PORT = 65_535;

    private final Map<String, String> values;
    private final Set<String> flags;
    private final List<String> rest;

    private Arguments(Map<String, String> values, Set<String> flags, List<String> rest) {
        this.values = values;
        this.flags = flags;
        this.rest = rest;
    }

    /** A command that was called wrongly; the message says what to change. */
    public static final class Wrong extends RuntimeException {
        public Wrong(String message) {
            super(message);
        }
    }

    /**
     * @param valued the options that have a value, such as {@code --port}
     * @param flags the options that have none
     * @throws Wrong if there is another option, one twice, or a value is missing
     */
    public static Arguments parse(String[] arguments, Set<String> valued, Set<String> flags) {
        Map<String, String> values = new HashMap<>();
        Set<String> given = new HashSet<>();
        List<String> rest = new ArrayList<>();
        for (int i = 0; i < arguments.length; i++) {
            String argument = arguments[i];
            if (flags.contains(argument)) {
                given.add(argument);
            } else if (valued.contains(argument)) {
                i++;
                if (i == arguments.length) {
                    throw new Wrong(argument + " needs a value.");
                }
                if (values.put(argument, arguments[i]) != null) {
                    throw new Wrong(argument + " was given twice; give it once.");
                }
            } else if (argument.startsWith("--")) {
                throw new Wrong("There is no option " + argument + ".");
            } else {
                rest.add(argument);
            }
        }
        return new Arguments(values, given, rest);
    }

    public Optional<String> value(String option) {
        return Optional.ofNullable(values.get(option));
    }

    public boolean has(String flag) {
        return flags.contains(flag);
    }

    /** What is no option. */
    public List<String> rest() {
        return rest;
    }

    /** The value of {@code --port}; 0, which is any, if it is not there. */
    public int port() {
        int port = number("--port", 0);
        if (port > MAX_PORT) {
            throw new Wrong("--port is a number from 0, for any, to %d, and not %d.".formatted(MAX_PORT, port));
        }
        return port;
    }

    /** The whole number, not negative, that is an option's value. */
    public int number(String option, int otherwise) {
        String text = values.get(option);
        if (text == null) {
            return otherwise;
        }
        try {
            int number = Integer.parseInt(text);
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            // told below
        }
        throw new Wrong("%s is a whole number from 0 on, and not \"%s\".".formatted(option, text));
    }
}
