package dev.holdfast.cluster;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Records that use every type a letter may have. */
final class Samples {

    private Samples() {}

    enum Colour {
        RED,
        GREEN {
            @Override
            public String toString() {
                return "a constant with a body has a class of its own";
            }
        }
    }

    sealed interface Figure permits Circle, Polygon, Colour2 {}

    record Circle(double radius) implements Figure {}

    sealed interface Polygon extends Figure permits Square, Point {}

    record Square(long side, @Nullable Figure inner) implements Polygon {}

    record Point() implements Polygon {}

    enum Colour2 implements Figure {
        NONE
    }

    record Scalars(
            boolean flag,
            int number,
            long big,
            double real,
            Boolean boxedFlag,
            Integer boxedNumber,
            Long boxedBig,
            Double boxedReal,
            String text,
            Colour colour,
            Duration duration,
            Instant instant,
            OptionalInt someInt,
            OptionalLong someLong) {}

    record Containers(
            List<String> list,
            Set<Integer> set,
            Map<String, Figure> map,
            Optional<String> optional,
            List<? extends Figure> figures,
            List<@Nullable String> holes,
            Map<String, @Nullable Duration> lives,
            List<List<Optional<Long>>> nested) {}

    record Nullables(
            @Nullable Boolean flag,
            @Nullable Long big,
            @Nullable String text,
            byte @Nullable [] bytes,
            @Nullable List<String> list,
            @Nullable Figure figure,
            @Nullable Nullables self) {}

    record Tree(String name, List<Tree> children) {}

    record Answer<T, U>(T value, @Nullable U more) {}

    record Everything(Scalars scalars, Containers containers, Nullables nullables, Tree tree) {}

    static final Scalars SCALARS = new Scalars(
            true,
            Integer.MIN_VALUE,
            Long.MAX_VALUE,
            -0.0,
            false,
            -1,
            Long.MIN_VALUE,
            Double.NaN,
            "häßlich \uD83D\uDE00",
            Colour.GREEN,
            Duration.ofSeconds(-5, 7),
            Instant.MAX,
            OptionalInt.of(-3),
            OptionalLong.empty());

    static final Containers CONTAINERS = new Containers(
            List.of("", "b"),
            Set.of(7),
            Map.of("circle", new Circle(1.5), "none", Colour2.NONE),
            Optional.of(""),
            List.of(new Square(3, new Point()), new Square(-1, null)),
            java.util.Arrays.asList("x", null, ""),
            java.util.Collections.singletonMap("gone", null),
            List.of(List.of(), List.of(Optional.empty(), Optional.of(9L))));

    static final Nullables NULLS = new Nullables(null, null, null, null, null, null, null);

    static final Everything EVERYTHING = new Everything(
            SCALARS,
            CONTAINERS,
            new Nullables(true, 0L, "", null, List.of(), new Circle(0), NULLS),
            new Tree("root", List.of(new Tree("leaf", List.of()), new Tree("", List.of()))));
}
