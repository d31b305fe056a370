package dev.holdfast.cluster;

import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.AnnotatedWildcardType;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Derives shapes from Java types, each once. A type is looked at as a whole when it is first used, so that a bad one never works in part. */
final class Shapes {

    private final Map<Type, Slot> tops = new ConcurrentHashMap<>();

    /** Guarded by this. */
    private final Map<Key, Shape> known = new HashMap<>();

    /** The place of a value as a whole: null may be in it, unless it is primitive. */
    Slot top(Type type) {
        Slot slot = tops.get(type);
        return slot != null ? slot : derive(type);
    }

    private synchronized Slot derive(Type type) {
        Derivation derivation = new Derivation(new HashMap<>(known));
        Slot slot = derivation.slot(type, null, Map.of());
        boolean primitive = type instanceof Class<?> plain && plain.isPrimitive() && plain != void.class;
        Slot top = primitive ? slot : slot.orNull();
        known.putAll(derivation.shapes);
        tops.put(type, top);
        return top;
    }

    /** A record or sealed interface with its arguments, if it is generic. */
    private record Key(Class<?> type, List<Slot> arguments) {}

    /**
     * One derivation.
     *
     * @param shapes also those that are still being derived, so that a type may hold itself
     */
    private record Derivation(Map<Key, Shape> shapes) {

        /**
         * @param annotated the same type with its annotations, where there are any
         * @param bindings what the type's variables stand for
         */
        Slot slot(Type type, @Nullable AnnotatedType annotated, Map<TypeVariable<?>, Slot> bindings) {
            boolean nullable = annotated != null && annotated.isAnnotationPresent(Nullable.class);
            Slot slot = bare(type, annotated, bindings);
            return nullable ? slot.orNull() : slot;
        }

        private Slot bare(Type type, @Nullable AnnotatedType annotated, Map<TypeVariable<?>, Slot> bindings) {
            return switch (type) {
                case Class<?> plain -> new Slot(shape(plain, List.of()), plain == void.class || plain == Void.class);
                case TypeVariable<?> variable -> {
                    Slot bound = bindings.get(variable);
                    if (bound == null) {
                        throw unfit(type, "a type variable that stands for nothing");
                    }
                    yield bound;
                }
                case WildcardType wildcard ->
                    slot(
                            wildcard.getUpperBounds()[0],
                            annotated instanceof AnnotatedWildcardType known
                                    ? known.getAnnotatedUpperBounds()[0]
                                    : null,
                            bindings);
                case ParameterizedType generic -> {
                    List<Slot> arguments = arguments(generic, annotated, bindings);
                    yield new Slot(shape((Class<?>) generic.getRawType(), arguments), false);
                }
                case GenericArrayType array -> throw unfit(array, "an array of something else than bytes");
                default -> throw unfit(type, "a type of an unknown kind");
            };
        }

        private List<Slot> arguments(
                ParameterizedType generic, @Nullable AnnotatedType annotated, Map<TypeVariable<?>, Slot> bindings) {
            Type[] types = generic.getActualTypeArguments();
            AnnotatedType @Nullable [] annotations = annotated instanceof AnnotatedParameterizedType known
                    ? known.getAnnotatedActualTypeArguments()
                    : null;
            List<Slot> slots = new ArrayList<>(types.length);
            for (int i = 0; i < types.length; i++) {
                slots.add(slot(types[i], annotations == null ? null : annotations[i], bindings));
            }
            return slots;
        }

        private Shape shape(Class<?> type, List<Slot> arguments) {
            Shape scalar = Scalar.of(type);
            if (scalar != null) {
                return scalar;
            }
            if (arguments.size() != type.getTypeParameters().length) {
                throw unfit(type, "generic, but its arguments are not given");
            }
            if (type == List.class) {
                return new Container.ListOf(arguments.getFirst());
            }
            if (type == Set.class) {
                return new Container.SetOf(arguments.getFirst());
            }
            if (type == Optional.class) {
                return new Container.OptionalOf(arguments.getFirst());
            }
            if (type == Map.class) {
                if (!arguments.getFirst().shape().equals(Scalar.TEXT)) {
                    throw unfit(type, "a map whose keys are not text");
                }
                return new Container.MapOf(arguments.getFirst(), arguments.getLast());
            }
            Shape found = shapes.get(new Key(type, arguments));
            return found != null ? found : named(type, arguments);
        }

        private Shape named(Class<?> type, List<Slot> arguments) {
            Key key = new Key(type, arguments);
            if (type.isRecord()) {
                RecordShape shape = new RecordShape(type);
                shapes.put(key, shape);
                shape.setSlots(components(type, arguments));
                return shape;
            }
            if (type.isEnum()) {
                Shape shape = Named.Constants.of(type);
                shapes.put(key, shape);
                return shape;
            }
            if (type.isInterface() && type.isSealed()) {
                Named.Permitted shape = new Named.Permitted(type);
                shapes.put(key, shape);
                permit(type, shape);
                return shape;
            }
            throw unfit(
                    type,
                    "none of: a primitive type, text, bytes, a time, a record, an enum, a sealed interface, or a list, set, map or optional of"
                            + " these");
        }

        private List<Slot> components(Class<?> type, List<Slot> arguments) {
            Map<TypeVariable<?>, Slot> bindings = new HashMap<>();
            for (int i = 0; i < arguments.size(); i++) {
                bindings.put(type.getTypeParameters()[i], arguments.get(i));
            }
            List<Slot> slots = new ArrayList<>();
            for (RecordComponent component : type.getRecordComponents()) {
                try {
                    slots.add(slot(component.getGenericType(), component.getAnnotatedType(), bindings));
                } catch (IllegalArgumentException e) {
                    throw new IllegalArgumentException(
                            "%s.%s: %s".formatted(type.getSimpleName(), component.getName(), e.getMessage()), e);
                }
            }
            return slots;
        }

        private void permit(Class<?> type, Named.Permitted shape) {
            for (Class<?> permitted : type.getPermittedSubclasses()) {
                if (permitted.isInterface() && permitted.isSealed()) {
                    permit(permitted, shape);
                } else if (permitted.isRecord() || permitted.isEnum()) {
                    shape.permit(permitted, shape(permitted, List.of()));
                } else {
                    throw unfit(permitted, "permitted by %s, but neither record nor enum".formatted(type));
                }
            }
        }

        private static IllegalArgumentException unfit(Type type, String why) {
            return new IllegalArgumentException(
                    "%s cannot be sent to another node: it is %s.".formatted(type.getTypeName(), why));
        }
    }
}
