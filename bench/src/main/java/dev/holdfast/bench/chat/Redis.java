package dev.holdfast.bench.chat;

import dev.holdfast.bench.command.Programs;
import dev.holdfast.bench.command.Scratch;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A Redis of this machine in a process of its own, which syncs its append-only file before it answers. */
final class Redis implements AutoCloseable {

    private static final String PROGRAM = "redis-server";
    private static final long START_MILLIS = 20_000;

    private final Scratch scratch;
    private final Process process;
    private final InetSocketAddress address;

    private Redis(Scratch scratch, Process process, InetSocketAddress address) {
        this.scratch = scratch;
        this.process = process;
        this.address = address;
    }

    static Optional<Path> program() {
        return Programs.onPath(PROGRAM);
    }

    static Redis start(Path program, Path folder) throws IOException, InterruptedException {
        Scratch scratch = Scratch.in(folder);
        int port = freePort();
        Process process = new ProcessBuilder(
                        program.toString(),
                        "--port",
                        Integer.toString(port),
                        "--bind",
                        "127.0.0.1",
                        "--dir",
                        scratch.path().toString(),
                        "--save",
                        "",
                        "--appendonly",
                        "yes",
                        "--appendfsync",
                        "always",
                        "--auto-aof-rewrite-percentage",
                        "0")
                .redirectErrorStream(true)
                .redirectOutput(scratch.path().resolve("log").toFile())
                .start();
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        Redis redis = new Redis(scratch, process, address);
        long deadline = System.nanoTime() + START_MILLIS * 1_000_000;
        while (!listens(address)) {
            if (!process.isAlive() || System.nanoTime() > deadline) {
                String log = Files.readString(scratch.path().resolve("log"));
                redis.close();
                throw new IOException("Redis did not start:\n" + log);
            }
            Thread.sleep(20);
        }
        return redis;
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static boolean listens(InetSocketAddress address) {
        try (Socket socket = new Socket()) {
            socket.connect(address);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    InetSocketAddress address() {
        return address;
    }

    /** The size of its append-only file. */
    long fileBytes() throws IOException {
        try (Stream<Path> files = Files.walk(scratch.path().resolve("appendonlydir"))) {
            long bytes = 0;
            List<Path> all = files.filter(Files::isRegularFile).toList();
            for (Path file : all) {
                bytes += Files.size(file);
            }
            return bytes;
        }
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        process.onExit().join();
        scratch.close();
    }
}
