package dev.holdfast.session;

import dev.holdfast.session.PropertyWrite.Condition;
import dev.holdfast.session.PropertyWrite.Notice;

/**
 * A property to be deleted, if it is there.
 *
 * @param name its name
 * @param condition what must hold for it to be deleted
 * @param notice whether the owner's feed tells of it
 */
public record PropertyDeletion(String name, Condition condition, Notice notice) implements PropertyChange {

    public static PropertyDeletion of(String name) {
        return new PropertyDeletion(name, Condition.ALWAYS, Notice.SILENT);
    }

    /** Only if the property has this version. */
    public PropertyDeletion ifVersion(long version) {
        return new PropertyDeletion(name, new Condition.Version(version), notice);
    }
}
