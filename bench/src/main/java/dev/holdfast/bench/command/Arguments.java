package dev.holdfast.bench.command;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** A command's arguments, taken one after the other. What cannot be understood is an {@link IllegalArgumentException} with a message for the user. */
public final class Arguments {

    private final Deque<String> rest;
    private String option = "";

    public Arguments(List<String> arguments) {
        this.rest = new ArrayDeque<>(arguments);
    }

    public boolean hasNext() {
        return !rest.isEmpty();
    }

    /** The next option's name. */
    public String next() {
        option = rest.removeFirst();
        return option;
    }

    /** The name of the option that was taken last. */
    String option() {
        return option;
    }

    /** The value of the option that was taken last. */
    public String value() {
        String value = rest.pollFirst();
        if (value == null) {
            throw new IllegalArgumentException("The option " + option + " needs a value.");
        }
        return value;
    }

    /** The value as a positive number. */
    public int number() {
        return positive(value());
    }

    /** The value as positive numbers, separated by commas. */
    public List<Integer> numbers() {
        return Arrays.stream(value().split(",", -1)).map(this::positive).toList();
    }

    /** The value as constants, in whatever case, separated by commas. */
    public <E extends Enum<E>> Set<E> constants(Class<E> type) {
        Set<E> constants = EnumSet.noneOf(type);
        for (String name : value().split(",", -1)) {
            try {
                constants.add(Enum.valueOf(type, name.toUpperCase(Locale.ROOT)));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(
                        "There is no \"%s\" for %s; there are %s."
                                .formatted(name, option, Arrays.toString(type.getEnumConstants()))
                                .toLowerCase(Locale.ROOT),
                        e);
            }
        }
        return constants;
    }

    private int positive(String text) {
        try {
            int number = Integer.parseInt(text);
            if (number > 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new IllegalArgumentException("The option " + option + " needs a positive number, not \"" + text + "\".");
    }

    /** What there is to say of an option that nobody knows. */
    public IllegalArgumentException unknown() {
        return new IllegalArgumentException("There is no option \"" + option + "\".");
    }
}
