package dev.holdfast.session;

import dev.holdfast.session.PropertyWrite.Condition;

/** One of the changes that {@link Properties#change} makes together. */
public sealed interface PropertyChange permits PropertyWrite, PropertyDeletion {

    /** Which property. */
    String name();

    /** What must hold for the change, and all that go with it, to be made. */
    Condition condition();
}
