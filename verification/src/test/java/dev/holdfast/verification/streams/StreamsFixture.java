package dev.holdfast.verification.streams;

import dev.holdfast.stream.Streams;
import dev.holdfast.verification.rig.Instance;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** An instance with a store of its own for each test, which can be closed and opened again. */
abstract class StreamsFixture {

    @TempDir
    Path folder;

    Instance instance;
    Streams streams;

    @BeforeEach
    void open() {
        instance = new Instance(folder);
        streams = instance.streams();
    }

    @AfterEach
    void close() {
        instance.close();
    }

    void restart() {
        instance.restart();
        streams = instance.streams();
    }
}
