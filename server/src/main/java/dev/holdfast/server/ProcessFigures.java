package dev.holdfast.server;

import dev.holdfast.http.admin.NodeFigures;
import dev.holdfast.http.session.SessionTransport;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What this process knows of itself. Thread-safe. */
final class ProcessFigures implements NodeFigures {

    private static final Logger LOG = LoggerFactory.getLogger(ProcessFigures.class);

    /** Files of the data folder that are counted; a store has less than ten. */
    private static final int MAX_FILES = 1_000;

    private final SessionTransport transport;
    private final Optional<Path> data;

    /** @param data the folder of the embedded store, if there is one */
    ProcessFigures(SessionTransport transport, Optional<Path> data) {
        this.transport = transport;
        this.data = data;
    }

    @Override
    public String version() {
        return Version.current();
    }

    @Override
    public Duration uptime() {
        return Duration.ofMillis(ManagementFactory.getRuntimeMXBean().getUptime());
    }

    @Override
    public long heapBytes() {
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    @Override
    public int connections() {
        return transport.connections();
    }

    @Override
    public int watchedSessions() {
        return transport.watchedSessions();
    }

    @Override
    public OptionalLong storeBytes() {
        if (data.isEmpty()) {
            return OptionalLong.empty();
        }
        try (Stream<Path> files = Files.list(data.get())) {
            return OptionalLong.of(
                    files.limit(MAX_FILES).mapToLong(ProcessFigures::size).sum());
        } catch (IOException e) {
            LOG.warn("The size of {} cannot be told", data.get(), e);
            return OptionalLong.empty();
        }
    }

    private static long size(Path file) {
        try {
            return Files.isRegularFile(file) ? Files.size(file) : 0;
        } catch (NoSuchFileException e) {
            return 0; // gone in this moment
        } catch (IOException e) {
            LOG.warn("The size of {} cannot be told", file, e);
            return 0;
        }
    }
}
