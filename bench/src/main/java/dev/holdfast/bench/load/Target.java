package dev.holdfast.bench.load;

/** What the driver loads. Thread-safe: any number of producers append at the same time. */
public interface Target extends AutoCloseable {

    /** Appends to a stream (numbered from 0) and returns once it is durable. The bytes are not changed afterwards. */
    void append(int stream, byte[] payload);

    @Override
    void close();
}
