package dev.holdfast.cluster;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A record: the number of its components, then each of them. Read through the canonical constructor, so that its checks hold. */
final class RecordShape implements Shape {

    private final String type;
    private final MethodHandle constructor;
    private final MethodHandle[] accessors;
    private final String[] places;

    /** Set once, before the shape is used: a record may hold records of its own type. */
    private List<Slot> slots = List.of();

    RecordShape(Class<?> type) {
        this.type = type.getSimpleName();
        RecordComponent[] components = type.getRecordComponents();
        this.places = Arrays.stream(components)
                .map(component -> this.type + "." + component.getName())
                .toArray(String[]::new);
        try {
            this.constructor = constructor(type, components);
            this.accessors = new MethodHandle[components.length];
            for (int i = 0; i < components.length; i++) {
                accessors[i] = accessor(components[i].getAccessor());
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException(type + " cannot be reached by reflection.", e);
        }
    }

    void setSlots(List<Slot> components) {
        slots = List.copyOf(components);
    }

    @Override
    public void write(ValueWriter out, Object value) {
        for (int i = places.length - 1; i >= 0; i--) {
            slots.get(i).write(out, component(i, value), places[i]);
        }
        out.unsigned(places.length);
    }

    @Override
    public Object read(ValueReader in) {
        int sent = in.valueCount();
        @Nullable Object[] values = new @Nullable Object[places.length];
        for (int i = 0; i < places.length; i++) {
            values[i] =
                    i < sent ? slots.get(i).read(in, places[i]) : slots.get(i).absent(in, places[i]);
        }
        for (int i = places.length; i < sent; i++) {
            in.skipValue();
        }
        return construct(values);
    }

    @Override
    public @Nullable Object absent() {
        return null;
    }

    private @Nullable Object component(int index, Object value) {
        try {
            return (@Nullable Object) accessors[index].invokeExact(value);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("An accessor of a record throws no checked exception.", e);
        }
    }

    private Object construct(@Nullable Object[] values) {
        try {
            return (Object) constructor.invokeExact(values);
        } catch (Error e) {
            throw e;
        } catch (Throwable e) {
            // the record's own checks: the sender had them too, so that these are not values it ever had
            throw ValueReader.malformed("%s refuses them (%s)".formatted(type, e.getMessage()));
        }
    }

    private static MethodHandle constructor(Class<?> type, RecordComponent[] components)
            throws ReflectiveOperationException {
        Class<?>[] types =
                Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
        Constructor<?> canonical = type.getDeclaredConstructor(types);
        open(canonical);
        return MethodHandles.lookup()
                .unreflectConstructor(canonical)
                .asSpreader(Object[].class, types.length)
                .asType(MethodType.methodType(Object.class, Object[].class));
    }

    private static MethodHandle accessor(Method method) throws ReflectiveOperationException {
        open(method);
        return MethodHandles.lookup().unreflect(method).asType(MethodType.methodType(Object.class, Object.class));
    }

    /** Records that are not public travel too: what is sent is the business of the package that sends it. */
    private static void open(AccessibleObject member) {
        member.setAccessible(true);
    }
}
