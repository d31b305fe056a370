package dev.holdfast.bench.chat;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One client of Redis, with one command in flight: as much of the protocol (RESP2) as the workload needs. One thread; {@link #close} by any. */
final class RedisConnection implements AutoCloseable {

    private static final byte[] LINE_END = {'\r', '\n'};

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;

    RedisConnection(InetSocketAddress address) throws IOException {
        socket = new Socket();
        socket.setTcpNoDelay(true);
        socket.connect(address);
        in = new BufferedInputStream(socket.getInputStream(), 64 << 10);
        out = new BufferedOutputStream(socket.getOutputStream(), 64 << 10);
    }

    /** Sends a command, of texts and byte arrays, and waits for its answer: a list, bytes, a number, or null. */
    @Nullable
    Object ask(Object... words) throws IOException {
        send(words);
        out.flush();
        return answer();
    }

    /** Sends commands together and waits for the answers to all of them. */
    void askAll(Object[]... commands) throws IOException {
        for (Object[] command : commands) {
            send(command);
        }
        out.flush();
        for (int i = 0; i < commands.length; i++) {
            Object unused = answer();
        }
    }

    private void send(Object... words) throws IOException {
        line('*', words.length);
        for (Object word : words) {
            byte[] bytes =
                    word instanceof byte[] given ? given : word.toString().getBytes(StandardCharsets.UTF_8);
            line('$', bytes.length);
            out.write(bytes);
            out.write(LINE_END);
        }
    }

    private void line(char type, int number) throws IOException {
        out.write(type);
        out.write(Integer.toString(number).getBytes(StandardCharsets.US_ASCII));
        out.write(LINE_END);
    }

    private @Nullable Object answer() throws IOException {
        String line = line();
        String rest = line.substring(1);
        return switch (line.charAt(0)) {
            case '+' -> rest;
            case ':' -> Long.parseLong(rest);
            case '$' -> bytes(Integer.parseInt(rest));
            case '*' -> list(Integer.parseInt(rest));
            default -> throw new IOException("Redis refused: " + line);
        };
    }

    private @Nullable Object bytes(int length) throws IOException {
        if (length < 0) {
            return null;
        }
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length || in.readNBytes(2).length < 2) {
            throw new EOFException("Redis closed the connection");
        }
        return bytes;
    }

    private @Nullable Object list(int length) throws IOException {
        if (length < 0) {
            return null;
        }
        List<@Nullable Object> list = new ArrayList<>(length);
        for (int i = 0; i < length; i++) {
            list.add(answer());
        }
        return list;
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\r'; c = in.read()) {
            if (c < 0) {
                throw new EOFException("Redis closed the connection");
            }
            line.append((char) c);
        }
        int unused = in.read();
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
