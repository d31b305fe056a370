package dev.holdfast.store;

/** Writing properties. */
public interface PropertyWrites {

    /** Inserts or replaces. */
    void putProperty(PropertyRow row);

    void deleteProperty(String owner, String name);

    /**
     * Deletes all properties of an owner, at most {@code limit}.
     *
     * @return how many; less than {@code limit} means that none is left
     */
    int purgeProperties(String owner, int limit);
}
